# Compiles every public header alone, without warnings: as .cpp with the host compiler and, where that may differ, as .cu with
# nvcc, except where its needs exclude one of them (see warpfold_needs.cmake). Includes it twice, to
# check its guard. nvcc's front end compiles each header, and nvcc one file with all of them for the host. The objects are part of
# `all`. One step of the build compiles 8 headers, one after the other (cmake/compile_each.sh).
#
# The files macros.cpp and macros.cu include all headers after the definition of macros that programs have. The headers of other
# libraries come before.

set(include_dir "${PROJECT_SOURCE_DIR}/include")
set(work_dir "${CMAKE_CURRENT_BINARY_DIR}/headers")
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${include_dir}" "${include_dir}/*.hpp")
set(cxx_sources)
set(cxx_cccl_sources)
set(cuda_sources)
set(cuda_lines "")
set(others)  # headers of other libraries
set(cxx_lines "")
set(all_lines "")
set(left_out "")

foreach(header IN LISTS headers)
  warpfold_needs("${include_dir}/${header}" needs missing)
  if(missing)
    string(APPEND left_out " ${header}")
    continue()
  endif()

  file(STRINGS "${include_dir}/${header}" includes REGEX "^ *# *include <")
  list(FILTER includes EXCLUDE REGEX "<warpfold/")
  list(APPEND others ${includes})
  # nvcc defines the names that the emulation declares.
  if(NOT header MATCHES "^warpfold/(emulation/|runtime/emulated_launcher)")
    string(APPEND all_lines "#include <${header}>\n")
  endif()
  if(NOT "cuda" IN_LIST needs)
    string(APPEND cxx_lines "#include <${header}>\n")
  endif()

  set(two_lines "#include <${header}>\n#include <${header}>\n")
  if(NOT "cuda" IN_LIST needs)
    file(CONFIGURE OUTPUT "${work_dir}/${header}.cpp" CONTENT "${two_lines}" @ONLY)
    if("cccl" IN_LIST needs)
      list(APPEND cxx_cccl_sources "${work_dir}/${header}.cpp")
    else()
      list(APPEND cxx_sources "${work_dir}/${header}.cpp")
    endif()
  endif()
  # nvcc compiles alone what its users include, and what has code for nvcc. The other headers are the same for both compilers,
  # and are compiled by nvcc in the tests.
  file(STRINGS "${include_dir}/${header}" for_nvcc LIMIT_COUNT 1 REGEX "__CUDACC__|__CUDA_ARCH__|needs: cuda")
  if(WARPFOLD_CUDA AND (for_nvcc OR header MATCHES "^warpfold/([^/]*|(policy|drop_in)/.*)$"))
    file(CONFIGURE OUTPUT "${work_dir}/${header}.cu" CONTENT "${two_lines}" @ONLY)
    list(APPEND cuda_sources "${work_dir}/${header}.cu")
    string(APPEND cuda_lines "#include <${header}>\n")
  endif()
endforeach()

if(left_out)
  message(STATUS "warpfold: headers that are not tested because a library is missing:${left_out}")
endif()

# A program's macros. The other capital letters are parameters in Thrust, and most of them in oneTBB.
set(macros "")
foreach(name IN ITEMS G H I J K M N O P Q W X Y Z DIM BLOCK CHECK small "min(a, b)" "max(a, b)" "index(s, c)")
  string(APPEND macros "#define ${name} ?\n")
endforeach()
set(other_lines "")
set(cxx_other_lines "")
list(FILTER others INCLUDE REGEX "^ *# *include <")  # a comment with a semicolon is two elements
list(REMOVE_DUPLICATES others)
foreach(line IN LISTS others)
  string(REGEX REPLACE "^ *# *include (<[^>]*>).*" "\\1" name "${line}")
  set(lines "#if __has_include(${name})\n#include ${name}\n#endif\n")
  string(APPEND other_lines "${lines}")
  if(NOT name MATCHES "<cub/")  # for nvcc only
    string(APPEND cxx_other_lines "${lines}")
  endif()
endforeach()
file(CONFIGURE OUTPUT "${work_dir}/macros.cpp" CONTENT
  "${cxx_other_lines}${macros}${cxx_lines}" @ONLY)
list(APPEND cxx_cccl_sources "${work_dir}/macros.cpp")
file(CONFIGURE OUTPUT "${work_dir}/macros.cu" CONTENT
  "${other_lines}${macros}${all_lines}" @ONLY)
if(WARPFOLD_CUDA)
  list(APPEND cuda_sources "${work_dir}/macros.cu")
endif()

set(cuda_warnings ${warpfold_user_warnings})
list(REMOVE_ITEM cuda_warnings -Wpedantic)  # it warns about code that nvcc generates
list(JOIN cuda_warnings "," cuda_warnings)

# Not warpfold_own_target: public headers must compile without --extended-lambda.
function(add_header_test target language)
  if(NOT ARGN)
    return()
  endif()
  set(groups)
  while(ARGN)
    list(SUBLIST ARGN 0 8 batch)
    list(REMOVE_ITEM ARGN ${batch})
    list(LENGTH groups number)
    set(group "${work_dir}/${target}/group_${number}.${language}")
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" batch)
    file(CONFIGURE OUTPUT "${group}" CONTENT "${batch}" @ONLY)
    list(APPEND groups "${group}")
  endwhile()
  add_library(${target} OBJECT ${groups})
  foreach(launched IN ITEMS CXX CUDA)
    set(launchers "${PROJECT_SOURCE_DIR}/cmake/compile_each.sh" ${CMAKE_${launched}_COMPILER_LAUNCHER})
    set_target_properties(${target} PROPERTIES ${launched}_COMPILER_LAUNCHER "${launchers}")
  endforeach()
  target_link_libraries(${target} PRIVATE warpfold::warpfold warpfold_warnings)
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${warpfold_user_warnings}>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${cuda_warnings}>")
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  foreach(library IN ITEMS Boost::headers MPI::MPI_CXX)
    if(TARGET ${library})
      target_link_libraries(${target} PRIVATE ${library})
    endif()
  endforeach()
endfunction()

add_header_test(headers_cxx cpp ${cxx_sources})
add_header_test(headers_cxx_cccl cpp ${cxx_cccl_sources})
if(TARGET headers_cxx_cccl)
  target_link_libraries(headers_cxx_cccl PRIVATE warpfold_cccl)
endif()
add_header_test(headers_cuda cu ${cuda_sources})
if(TARGET headers_cuda)
  warpfold_front_end_only(headers_cuda)
  file(CONFIGURE OUTPUT "${work_dir}/all.cu" CONTENT "${cuda_lines}" @ONLY)
  add_header_test(headers_cuda_host cu "${work_dir}/all.cu")
  warpfold_never_launches(headers_cuda_host)
  if(TARGET OpenMP::OpenMP_CXX)
    target_compile_options(headers_cuda_host PRIVATE "-Xcompiler=${OpenMP_CXX_FLAGS}")
  endif()
endif()
