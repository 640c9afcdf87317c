# Builds an example that is a CMake project of its own against an installed warpfold, and runs it. Prints a line with SKIPPED if the
# example returns 77, because there is no GPU. With mpirun, it runs with 1 and 2 processes, which must print the same.
#
# cmake -D example=NAME -D build_dir=FOLDER -D source_dir=FOLDER -D work_dir=FOLDER -D generator=NAME -D make_program=FILE
#   -D cxx_compiler=FILE -D cuda_compiler=FILE -D cuda_architecture=NAME [-D nccl_include_dir=FOLDER -D nccl_library=FILE]
#   [-D mpirun=FILE] -P gpu_example_test.cmake

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${work_dir}")
run("${CMAKE_COMMAND}" --install "${build_dir}" --prefix "${work_dir}/prefix")
set(arguments)
if(nccl_library)
  list(APPEND arguments "-DNCCL_INCLUDE_DIR=${nccl_include_dir}" "-DNCCL_LIBRARY=${nccl_library}")
endif()
run("${CMAKE_COMMAND}" -S "${source_dir}" -B "${work_dir}/build" -G "${generator}" "-DCMAKE_MAKE_PROGRAM=${make_program}"
  "-DCMAKE_CXX_COMPILER=${cxx_compiler}" "-DCMAKE_CUDA_COMPILER=${cuda_compiler}"
  "-DCMAKE_CUDA_ARCHITECTURES=${cuda_architecture}" "-DCMAKE_PREFIX_PATH=${work_dir}/prefix" ${arguments})
run("${CMAKE_COMMAND}" --build "${work_dir}/build")

set(expected "")
set(counts 1)
if(mpirun)
  set(counts 1 2)
endif()
foreach(count IN LISTS counts)
  set(command "${work_dir}/build/${example}")
  if(mpirun)
    set(command "${mpirun}" -n ${count} "${work_dir}/build/${example}")
  endif()
  execute_process(COMMAND ${command} RESULT_VARIABLE rc OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  message("${output}${errors}")
  if(rc EQUAL 77)
    message("SKIPPED: ${example} is built, and needs a GPU to run")
    return()
  endif()
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "${example} returned ${rc}.")
  endif()
  if(expected AND NOT output STREQUAL expected)
    message(FATAL_ERROR "The output depends on the number of processes; one process printed: ${expected}")
  endif()
  set(expected "${output}")
endforeach()
