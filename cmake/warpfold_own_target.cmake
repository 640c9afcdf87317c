# warpfold_own_target(target): sets the flags of this project's tests, benchmarks and program. They are
# not part of warpfold::warpfold, so they do not affect projects that use the library.

# Warnings of GCC and Clang that a user's project may enable; the headers must not cause any. The header tests and the compile tests with
# `// warnings: none` use them.
set(warpfold_user_warnings -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow)

# The header tests also use warpfold_warnings.
add_library(warpfold_warnings INTERFACE)
set(werror "$<BOOL:${WARPFOLD_WARNINGS_AS_ERRORS}>")
target_compile_options(warpfold_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>"
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,${werror}>:-Werror>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,${werror}>:-Werror=all-warnings;-Xcompiler=-Werror>")

# GCC 12 warns about its own std::string (GCC bug 105329).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(warpfold_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wno-restrict>")
endif()

add_library(warpfold_own_flags INTERFACE)
target_link_libraries(warpfold_own_flags INTERFACE warpfold_warnings)
# nvcc passes its own -O behind the options of -Xcompiler. So it is an option of the targets that are optimized.
if(WARPFOLD_CUDA)
  foreach(config IN ITEMS RELEASE RELWITHDEBINFO MINSIZEREL)
    if(NOT "${CMAKE_CUDA_FLAGS_${config}}" MATCHES "^(-O[0-3])( [^X]*)?$")
      continue()  # the user's own flags
    endif()
    set(level "${CMAKE_MATCH_1}")
    set(CMAKE_CUDA_FLAGS_${config} "${CMAKE_MATCH_2}")
    set(optimized "$<NOT:$<BOOL:$<TARGET_PROPERTY:WARPFOLD_NOT_OPTIMIZED>>>")
    target_compile_options(warpfold_own_flags INTERFACE
      "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:${config}>,${optimized}>:${level}>")
  endforeach()
endif()
# -lineinfo: compute-sanitizer and the profilers show source lines. -G, in Debug, implies it.
target_compile_options(warpfold_own_flags INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>"
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Debug>>>:-lineinfo>")

# warpfold_sanitize(target, sanitizer): adds the address, undefined or thread sanitizer to host code.
function(warpfold_sanitize target sanitizer)
  get_target_property(type ${target} TYPE)
  set(scope PRIVATE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_compile_options(${target} ${scope}
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${sanitizer};-fno-omit-frame-pointer;-fno-sanitize-recover=all;-g1>")
  target_link_options(${target} ${scope} -fsanitize=${sanitizer})
  if(sanitizer STREQUAL "thread")
    # Replaces oneTBB, which is compiled without the sanitizer; see the files of the folder.
    target_include_directories(${target} BEFORE ${scope}
      "$<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/test/fuzz/threads>")
    # GNU's <execution> includes oneTBB too, unless told not to.
    target_compile_definitions(${target} ${scope} "$<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_USE_TBB_PAR_BACKEND=0>")
  endif()
endfunction()

set(WARPFOLD_SANITIZER "" CACHE STRING "Build this project's host code with -fsanitize=address, undefined or thread")
if(WARPFOLD_SANITIZER)
  warpfold_sanitize(warpfold_own_flags "${WARPFOLD_SANITIZER}")
endif()

# Host code at -Og takes half of the time to compile. GCC without these passes and with a larger heap takes another quarter less for
# large tests: everyday_emulated_test 31 s -> 23 s; it runs in 4.9 s instead of 4.7 s. At -O0 it takes 19 s, but runs in 22 s.
set(warpfold_quick_flags -Og)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND warpfold_quick_flags --param=ggc-min-heapsize=500000)
  foreach(pass IN ITEMS tree-fre tree-pta tree-ccp tree-bit-ccp tree-copy-prop tree-dominator-opts tree-phiprop tree-dce tree-sink
      tree-ter forward-propagate cprop-registers combine-stack-adjustments ipa-pure-const ipa-reference ipa-profile)
    list(APPEND warpfold_quick_flags -fno-${pass})
  endforeach()
endif()
set(warpfold_quick_flags_of_nvcc -Og)
if(NOT CMAKE_CUDA_HOST_COMPILER)  # then it is the compiler of the build or another GCC
  list(JOIN warpfold_quick_flags "," warpfold_quick_flags_of_nvcc)
endif()
function(warpfold_do_not_optimize target)
  set_target_properties(${target} PROPERTIES WARPFOLD_NOT_OPTIMIZED ON)
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:${warpfold_quick_flags}>"
    "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Debug>>>:-Xcompiler=${warpfold_quick_flags_of_nvcc}>")
endfunction()

# GCC or Clang, the one that the build does not use.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(WARPFOLD_OTHER_CXX_COMPILER clang++)
else()
  find_program(WARPFOLD_OTHER_CXX_COMPILER g++)
endif()

# Host code without optimization, by Clang if found: it takes a third of the time of GCC at -Og, but loops run 6 times as long
# (GCC's -O0: 0.8 and 4.5 times). reduce_segments_emulated_test 108 s -> 33 s.
# The flags, in a library so that they follow those of warpfold_warnings, turn off warnings about braces, and about what a test declares
# only to compile it. Clang does not know all of GCC's warnings.
add_library(warpfold_fast_flags INTERFACE)
target_compile_options(warpfold_fast_flags INTERFACE -O0)
if("${CMAKE_CXX_COMPILER_ID} ${WARPFOLD_OTHER_CXX_COMPILER}" MATCHES "[Cc]lang")
  target_compile_options(warpfold_fast_flags INTERFACE -Wno-unknown-warning-option -Wno-missing-braces -Wno-unused-const-variable
    -Wno-unneeded-internal-declaration)
endif()
function(warpfold_compile_fast target)
  target_link_libraries(${target} PRIVATE warpfold_fast_flags)
  if(WARPFOLD_OTHER_CXX_COMPILER MATCHES "clang")
    set(command "${PROJECT_SOURCE_DIR}/cmake/compile_with.sh" ${CMAKE_CXX_COMPILER_LAUNCHER} ${WARPFOLD_OTHER_CXX_COMPILER} --)
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${command}")
  endif()
endfunction()

function(warpfold_own_target target)
  target_link_libraries(${target} PRIVATE warpfold::warpfold warpfold_own_flags)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
