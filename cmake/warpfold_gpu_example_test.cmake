# nccl/example and mpi/gpu_example: the examples that are CMake projects of their own and use several GPUs. Without a GPU they are
# only built, and reported as skipped.

# add_gpu_example_test(<name> <example> <define>...)
function(add_gpu_example_test name example)
  list(GET CMAKE_CUDA_ARCHITECTURES -1 architecture)  # the test needs only one
  add_test(NAME "${name}" COMMAND "${CMAKE_COMMAND}"
    -D "example=${example}"
    -D "build_dir=${PROJECT_BINARY_DIR}"
    -D "source_dir=${CMAKE_CURRENT_SOURCE_DIR}/examples/${example}"
    -D "work_dir=${CMAKE_CURRENT_BINARY_DIR}/${name}"
    -D "generator=${CMAKE_GENERATOR}"
    -D "make_program=${CMAKE_MAKE_PROGRAM}"
    -D "cxx_compiler=${CMAKE_CXX_COMPILER}"
    -D "cuda_compiler=${CMAKE_CUDA_COMPILER}"
    -D "cuda_architecture=${architecture}"
    ${ARGN}
    -P "${PROJECT_SOURCE_DIR}/cmake/gpu_example_test.cmake")
  # Not the label gpu: a sanitizer cannot run the script.
  set_tests_properties("${name}" PROPERTIES LABELS host RESOURCE_LOCK gpu SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

if(NOT WARPFOLD_CUDA)
  return()
endif()
if(TARGET warpfold_nccl_library)
  add_gpu_example_test(nccl/example nccl_norm
    -D "nccl_include_dir=${NCCL_INCLUDE_DIR}" -D "nccl_library=${NCCL_LIBRARY}")
endif()
if(TARGET MPI::MPI_CXX AND MPIEXEC_EXECUTABLE)
  add_gpu_example_test(mpi/gpu_example mpi_gpu_solver -D "mpirun=${MPIEXEC_EXECUTABLE}")
  set_tests_properties(mpi/gpu_example PROPERTIES PROCESSORS 2 ENVIRONMENT "${mpi_environment}")
endif()
