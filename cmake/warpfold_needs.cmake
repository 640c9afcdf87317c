# A source names in one of its first lines the libraries that it requires:
#
#   // needs: tbb
#
# Several needs are separated by blanks. The needs are:
#
#   cuda          nvcc: host compilers cannot compile the file
#   cccl          the headers of CUDA and CCCL, also for the host compiler
#   environments  the execution environments of CCCL 3.1 and later
#   compiled      libwarpfold
#   tbb, openmp, boost, boost_context, mpi, nccl, png

# warpfold_needs(FILE NEEDS MISSING): sets NEEDS to the needs of FILE, and MISSING to those that are not
# installed.
function(warpfold_needs file needs_variable missing_variable)
  # Configures again if the file changes, because its needs may change.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  set(target_of_cuda warpfold_cudart)
  set(target_of_cccl warpfold_cudart)
  set(target_of_environments warpfold_environments)
  set(target_of_compiled warpfold_compiled)
  set(target_of_tbb TBB::tbb)
  set(target_of_openmp OpenMP::OpenMP_CXX)
  set(target_of_boost Boost::headers)
  set(target_of_boost_context Boost::context)
  set(target_of_mpi MPI::MPI_CXX)
  set(target_of_nccl warpfold_nccl_library)
  set(target_of_png PNG::PNG)

  file(READ "${file}" text LIMIT 4000)
  set(needs "")
  set(missing "")
  if(text MATCHES "(^|\n)///? needs: ([a-z_ ]+)")
    string(REPLACE " " ";" needs "${CMAKE_MATCH_2}")
  endif()
  foreach(need IN LISTS needs)
    if(NOT DEFINED target_of_${need})
      message(FATAL_ERROR "${file}: unknown need '${need}'; cmake/warpfold_needs.cmake lists the needs")
    elseif(NOT TARGET "${target_of_${need}}")
      list(APPEND missing ${need})
    endif()
  endforeach()
  set(${needs_variable} "${needs}" PARENT_SCOPE)
  set(${missing_variable} "${missing}" PARENT_SCOPE)
endfunction()
