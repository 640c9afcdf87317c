# cmake -D include_dir=FOLDER -P header_includes_test.cmake: fails if a public header that includes a large
# library, itself or through others of ours, does not say so in the comment at its top, or says it and does not:
#
#   /// Includes CCCL by design: ...
#   /// Includes CCCL and, where it is found, oneTBB by design: ...
#
# Only these may be slow to compile (benchmarks/compile.py measures it). Fails also if what nvcc reads of reduce.hpp,
# reduce_axis.hpp, or of what explains them, includes one of the standard library's large headers: each is up to a second
# of every file that includes it.

cmake_minimum_required(VERSION 3.25)

set(libraries CCCL Hana oneTBB)
set(CCCL_include "^(cub|thrust|cuda|nv)/")
set(Hana_include "^boost/hana")
set(oneTBB_include "^(oneapi/)?tbb/|^execution$")  # GNU's <execution> is made of oneTBB

file(GLOB_RECURSE headers RELATIVE "${include_dir}" "${include_dir}/*.hpp")
if(NOT headers)
  message(FATAL_ERROR "There is no header in '${include_dir}'.")
endif()
foreach(header IN LISTS headers)
  file(READ "${include_dir}/${header}" text)
  string(REGEX MATCH "^(///[^\n]*\n)+" head_of_${header} "${text}")
  string(REGEX MATCHALL "#include <[^>]+>" included_by_${header} "${text}")
  list(TRANSFORM included_by_${header} REPLACE "#include <([^>]+)>" "\\1")
endforeach()

# all_included(HEADER): sets `all` to what a header includes, itself and through others of ours.
macro(all_included header)
  set(all)
  set(to_read "${header}")
  while(to_read)
    list(POP_FRONT to_read next)
    foreach(file IN LISTS included_by_${next})
      if(NOT file IN_LIST all)
        list(APPEND all "${file}")
        list(APPEND to_read "${file}")
      endif()
    endforeach()
  endwhile()
endmacro()

set(failed FALSE)
foreach(header IN LISTS headers)
  all_included("${header}")
  foreach(library IN LISTS libraries)
    set(found "${all}")
    list(FILTER found INCLUDE REGEX "${${library}_include}")
    set(says FALSE)
    if(head_of_${header} MATCHES "Includes [^.:]*${library}[^.:]* by design")
      set(says TRUE)
    endif()
    if(found AND NOT says)
      list(GET found 0 first)
      message("${header} includes <${first}>, and its head does not say 'Includes ${library} by design'.")
      set(failed TRUE)
    elseif(says AND NOT found)
      message("${header} says that it includes ${library}, and does not.")
      set(failed TRUE)
    endif()
  endforeach()
endforeach()

set(large "^(algorithm|functional|iostream|map|memory|mutex|ostream|sstream|string|thread|unordered_map|vector)$")
set(emulated_headers "${headers}")
list(FILTER emulated_headers INCLUDE REGEX "^warpfold/emulation/")  # only host compilers read them, and what stands
                                                                   # under !defined(__CUDACC__)
foreach(header IN LISTS emulated_headers)
  set(included_by_${header})
endforeach()
foreach(header IN LISTS headers)
  file(READ "${include_dir}/${header}" text)
  string(REGEX MATCHALL "#if !defined\\(__CUDACC__\\)\n(#include [^\n]*\n)+" parts "${text}")
  string(REGEX MATCHALL "#include <[^>]+>" of_host "${parts}")
  list(TRANSFORM of_host REPLACE "#include <([^>]+)>" "\\1")
  list(REMOVE_ITEM included_by_${header} ${of_host})
endforeach()
foreach(header IN ITEMS reduce reduce_axis explain explain_axis)
  all_included("warpfold/${header}.hpp")
  list(LENGTH all count)
  if(count LESS 50)
    message(FATAL_ERROR "warpfold/${header}.hpp is seen to include ${count} headers only.")
  endif()
  list(FILTER all INCLUDE REGEX "${large}")
  if(all)
    message("warpfold/${header}.hpp includes ${all}, itself or through others of ours.")
    set(failed TRUE)
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "Say it in the head, or do without the include.")
endif()
