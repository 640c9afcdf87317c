# Builds test/examples/mpi_solver against an installed warpfold, as a project of its own, and runs it with 1 and 4 processes.
# Fails unless the solution has the same digits each time.
#
# cmake -D build_dir=FOLDER -D source_dir=FOLDER -D work_dir=FOLDER -D generator=NAME -D make_program=FILE -D cxx_compiler=FILE
#   -D mpirun=FILE -P mpi_example_test.cmake

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${work_dir}")
run("${CMAKE_COMMAND}" --install "${build_dir}" --prefix "${work_dir}/prefix")
run("${CMAKE_COMMAND}" -S "${source_dir}" -B "${work_dir}/build" -G "${generator}" "-DCMAKE_MAKE_PROGRAM=${make_program}"
  "-DCMAKE_CXX_COMPILER=${cxx_compiler}" "-DCMAKE_PREFIX_PATH=${work_dir}/prefix")
run("${CMAKE_COMMAND}" --build "${work_dir}/build")
set(expected "")
foreach(ranks IN ITEMS 1 4)
  run("${mpirun}" -n ${ranks} "${work_dir}/build/mpi_solver")
  message("${ranks} processes: ${output}")
  if(NOT output MATCHES "^[0-9]+ steps, sum of x = [0-9.]+\n$")
    message(FATAL_ERROR "The output is not that of the solver.")
  endif()
  if(expected AND NOT output STREQUAL expected)
    message(FATAL_ERROR "The solution depends on the number of processes; one process printed: ${expected}")
  endif()
  set(expected "${output}")
endforeach()
