# A source says in one of its first lines what it cannot be compiled without:
#
#   // needs: tbb
#
# with several needs in one line and blanks between. The needs are:
#
#   cuda      nvcc itself: no host compiler reads this file
#   cccl      CUDA's and CCCL's headers, for the host compiler too
#   tbb, openmp, boost, boost_context, png

# warpfold_needs(FILE NEEDS MISSING): sets NEEDS to what FILE needs, MISSING to what of it is not
# here.
function(warpfold_needs file needs_variable missing_variable)
  # The lines may change with any edit of the file.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  set(target_of_cuda warpfold_cudart)
  set(target_of_cccl warpfold_cudart)
  set(target_of_tbb TBB::tbb)
  set(target_of_openmp OpenMP::OpenMP_CXX)
  set(target_of_boost Boost::headers)
  set(target_of_boost_context Boost::context)
  set(target_of_png PNG::PNG)

  file(READ "${file}" text LIMIT 4000)
  set(needs "")
  set(missing "")
  if(text MATCHES "(^|\n)///? needs: ([a-z_ ]+)")
    string(REPLACE " " ";" needs "${CMAKE_MATCH_2}")
  endif()
  foreach(need IN LISTS needs)
    if(NOT DEFINED target_of_${need})
      message(FATAL_ERROR "${file}: 'needs: ${need}' is not one that this project knows")
    elseif(NOT TARGET "${target_of_${need}}")
      list(APPEND missing ${need})
    endif()
  endforeach()
  set(${needs_variable} "${needs}" PARENT_SCOPE)
  set(${missing_variable} "${missing}" PARENT_SCOPE)
endfunction()
