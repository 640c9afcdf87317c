# mpi/<implementation>_<ranks>: test/policy/mpi_test.cpp under mpirun. The implementation that CMake has found is "default".
# mpi/<implementation>_killed: the same with a process that is killed.
# mpi/example: test/examples/mpi_solver, a project of its own.
# mpi/program: test/program/processes_test.py, the command-line program.
# OpenMPI and MPICH are tested both if Debian's compilers of both are there.

if(NOT TARGET test.host.policy.mpi)
  return()
endif()

# OpenMPI runs neither as root nor with more processes than cores unless it is told to.
# The implementations leak, and a collective that never ends is left to them.
set(mpi_environment ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)

# add_mpi_tests(<implementation> <mpirun> <program>)
function(add_mpi_tests implementation mpirun program)
  foreach(ranks IN ITEMS 2 3 5 8)
    set(name "mpi/${implementation}_${ranks}")
    add_test(NAME "${name}" COMMAND "${mpirun}" -n ${ranks} "${program}")
    set_tests_properties("${name}" PROPERTIES LABELS host PROCESSORS 2 TIMEOUT 300
      ENVIRONMENT "${mpi_environment};WARPFOLD_TEST_RANKS=${ranks}")
  endforeach()
  add_test(NAME "mpi/${implementation}_killed" COMMAND "${CMAKE_COMMAND}"
    -D "mpirun=${mpirun}" -D "program=${program}" -P "${PROJECT_SOURCE_DIR}/cmake/mpi_killed_test.cmake")
  set_tests_properties("mpi/${implementation}_killed" PROPERTIES LABELS host PROCESSORS 2 TIMEOUT 150
    ENVIRONMENT "${mpi_environment}")
endfunction()

set_tests_properties(host/policy/mpi PROPERTIES ENVIRONMENT "${mpi_environment}")
if(MPIEXEC_EXECUTABLE)
  add_mpi_tests(default "${MPIEXEC_EXECUTABLE}" "$<TARGET_FILE:test.host.policy.mpi>")
  add_test(NAME mpi/example COMMAND "${CMAKE_COMMAND}"
    -D "build_dir=${PROJECT_BINARY_DIR}"
    -D "source_dir=${CMAKE_CURRENT_SOURCE_DIR}/examples/mpi_solver"
    -D "work_dir=${CMAKE_CURRENT_BINARY_DIR}/mpi/example"
    -D "generator=${CMAKE_GENERATOR}"
    -D "make_program=${CMAKE_MAKE_PROGRAM}"
    -D "cxx_compiler=${CMAKE_CXX_COMPILER}"
    -D "mpirun=${MPIEXEC_EXECUTABLE}"
    -P "${PROJECT_SOURCE_DIR}/cmake/mpi_example_test.cmake")
  set_tests_properties(mpi/example PROPERTIES LABELS host PROCESSORS 2 ENVIRONMENT "${mpi_environment}")
  if(TARGET warpfold_program AND WARPFOLD_PYTHON3 AND WARPFOLD_PROGRAM_MPI)
    add_test(NAME mpi/program COMMAND "${WARPFOLD_PYTHON3}" "${CMAKE_CURRENT_SOURCE_DIR}/program/processes_test.py"
      $<TARGET_FILE:warpfold_program> "${MPIEXEC_EXECUTABLE}")
    # Uses the GPU if the machine has one, so no other GPU test may run at the same time.
    set_tests_properties(mpi/program PROPERTIES LABELS host PROCESSORS 2 TIMEOUT 300 RESOURCE_LOCK gpu
      ENVIRONMENT "${mpi_environment}")
  endif()
endif()

foreach(implementation IN ITEMS openmpi mpich)
  find_program(WARPFOLD_MPICXX_${implementation} mpicxx.${implementation})
  find_program(WARPFOLD_MPIRUN_${implementation} mpirun.${implementation})
  set(compiler "${WARPFOLD_MPICXX_${implementation}}")
  if(NOT compiler OR NOT WARPFOLD_MPIRUN_${implementation})
    continue()
  endif()
  execute_process(COMMAND "${compiler}" -show OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(line UNIX_COMMAND "${line}")
  set(include_dirs ${line})
  list(FILTER include_dirs INCLUDE REGEX "^-I")
  list(TRANSFORM include_dirs REPLACE "^-I" "")
  set(is_default OFF)
  foreach(dir IN LISTS include_dirs)
    if(dir IN_LIST MPI_CXX_INCLUDE_DIRS)
      set(is_default ON)
    endif()
  endforeach()
  if(is_default)
    continue()
  endif()
  set(options ${line})
  list(FILTER options INCLUDE REGEX "^-(L|l|Wl)")

  set(target test.mpi.${implementation})
  add_executable(${target} policy/mpi_test.cpp)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME "mpi_test" RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/mpi/${implementation}")
  target_include_directories(${target} SYSTEM PRIVATE ${include_dirs})
  target_link_libraries(${target} PRIVATE test_main ${options})
  warpfold_own_target(${target})
  target_compile_options(${target} PRIVATE -O0)
  add_mpi_tests(${implementation} "${WARPFOLD_MPIRUN_${implementation}}"
    "$<TARGET_FILE:${target}>")
endforeach()
