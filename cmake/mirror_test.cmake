# cmake -D include_dir=FOLDER -D test_dir=FOLDER -P mirror_test.cmake: fails if a header has no test by its name:
#
#   include/warpfold/ROOM/NAME.hpp   test/ROOM/NAME_test.cpp or .cu, or test/ROOM/NAME_*_test.cpp or .cu
#   include/warpfold/NAME.hpp        the same in test/calls/
#
# If one header's name begins with another's, a test belongs to the longer name: reduce_axis_test.cpp tests reduce_axis.hpp,
# not reduce.hpp. Fails, too, if a file other than main.cpp and CMakeLists.txt lies at the top of the tests' folder.

cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE headers RELATIVE "${include_dir}/warpfold" "${include_dir}/warpfold/*.hpp")
if(NOT headers)
  message(FATAL_ERROR "There is no header in '${include_dir}/warpfold'.")
endif()
list(SORT headers)

# The names of each room's headers, in names_ROOM.
set(rooms)
foreach(header IN LISTS headers)
  get_filename_component(room "${header}" DIRECTORY)
  get_filename_component(name "${header}" NAME_WE)
  if(NOT room)
    set(room calls)
  endif()
  list(APPEND rooms "${room}")
  list(APPEND "names_${room}" "${name}")
endforeach()
list(REMOVE_DUPLICATES rooms)

set(failed FALSE)
foreach(room IN LISTS rooms)
  file(GLOB tests RELATIVE "${test_dir}/${room}" "${test_dir}/${room}/*_test.cpp" "${test_dir}/${room}/*_test.cu")
  set(tested)
  foreach(test IN LISTS tests)
    set(longest "")
    foreach(name IN LISTS "names_${room}")
      string(LENGTH "${longest}" length)
      string(LENGTH "${name}" own_length)
      if(test MATCHES "^${name}_(.*_)?test\\." AND own_length GREATER length)
        set(longest "${name}")
      endif()
    endforeach()
    list(APPEND tested "${longest}")
  endforeach()
  foreach(name IN LISTS "names_${room}")
    if(NOT name IN_LIST tested)
      set(folder "${room}/")
      if(room STREQUAL "calls")
        set(folder "")
      endif()
      message("include/warpfold/${folder}${name}.hpp has no test test/${room}/${name}_test.*")
      set(failed TRUE)
    endif()
  endforeach()
endforeach()

file(GLOB loose LIST_DIRECTORIES false RELATIVE "${test_dir}" "${test_dir}/*")
list(REMOVE_ITEM loose main.cpp CMakeLists.txt)
foreach(file IN LISTS loose)
  message("test/${file} lies at the top of test/; move it to the folder of what it tests.")
  set(failed TRUE)
endforeach()
if(failed)
  message(FATAL_ERROR "The folders of test/ do not mirror those of include/warpfold/.")
endif()
