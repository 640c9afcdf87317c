# Kills one of three processes between two calls of wf::across. Fails if the others get a result, or if mpirun does not end.
#
# By default mpirun ends the job. Open MPI 4 with --enable-recovery lets the other processes run until their calls throw.
#
# cmake -D mpirun=FILE -D program=FILE -P mpi_killed_test.cmake

if(NOT EXISTS "${program}")
  message(FATAL_ERROR "There is no program ${program}; build it first.")
endif()

function(run_with)
  execute_process(COMMAND "${mpirun}" ${ARGN} -n 3 "${program}" --no-skip "--test-case=a rank that is killed"
    TIMEOUT 60 RESULT_VARIABLE rc OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  message("mpirun ${ARGN}: ${rc}\n${output}${errors}")
  if(rc MATCHES "timeout")
    message(FATAL_ERROR "mpirun did not end within 60 s.")
  endif()
  if(output MATCHES "caught: nothing" OR output MATCHES "caught: another type")
    message(FATAL_ERROR "A rank got a result, or another exception.")
  endif()
  set(rc "${rc}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run_with()
if(rc EQUAL 0)
  message(FATAL_ERROR "mpirun returned 0, although a process was killed.")
endif()

execute_process(COMMAND "${mpirun}" --version OUTPUT_VARIABLE version)
if(version MATCHES "\\((Open MPI|OpenRTE)\\) 4\\.")
  run_with(--enable-recovery)  # it returns 0
  if(NOT output MATCHES "caught: warpfold: a rank did not join the MPI_Iallgather")
    message(FATAL_ERROR "No rank threw communication_error.")
  endif()
endif()
