# The target warpfold_kernels: a generated header, all_kernels.hpp, with the kernels of include/warpfold/kernel
# and its folder ladder/.
#
# A kernel is found by the last line of its header, static_assert(reduction_kernel<NAME>);, so a new kernel edits no list.
# The program and the contract tests include this header.

set(folder "${PROJECT_SOURCE_DIR}/include/warpfold/kernel")
file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${folder}/*.hpp" "${folder}/ladder/*.hpp")
set(includes "")
set(types "")
foreach(header IN LISTS headers)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/${header}")
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/${header}" found
    REGEX "^static_assert\\(reduction_kernel<.*>\\);")
  file(STRINGS "${PROJECT_SOURCE_DIR}/include/${header}" any REGEX "^ *static_assert\\(.*reduction_kernel<")
  if(any AND NOT found)
    message(FATAL_ERROR "${header}: write static_assert(reduction_kernel<NAME>); unqualified and on one line; the list of "
      "all kernels finds kernels by it")
  endif()
  foreach(line IN LISTS found)
    string(REGEX REPLACE "^static_assert\\(reduction_kernel<(.*)>\\);.*" "\\1" type "${line}")
    list(APPEND types "${type}")
    string(APPEND includes "#include <${header}>\n")
  endforeach()
endforeach()
list(JOIN types ",\n               " types)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/all_kernels.hpp" @ONLY CONTENT
"/// @file
/// Every kernel of include/warpfold/kernel, made by cmake/warpfold_kernels.cmake.
#pragma once

#include <tuple>

@includes@
namespace warpfold::kernel {

using every_kernel =
    std::tuple<@types@>;

}  // namespace warpfold::kernel
")
add_library(warpfold_kernels INTERFACE)
target_include_directories(warpfold_kernels INTERFACE "${PROJECT_BINARY_DIR}/generated")
