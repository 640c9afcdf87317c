# Fuzzes the program's readers of files and command lines with libFuzzer. Builds test/fuzz/NAME_fuzz.cpp and sources of src/ with
# clang, AddressSanitizer and UndefinedBehaviorSanitizer, also if another compiler builds everything else. The test fuzz/NAME reads the corpus,
# test/fuzz/corpus/NAME/, and tries new inputs for 8 seconds. `./dev fuzz --files` runs longer.
#
# New inputs stay in the build folder; an input that fails is saved there as NAME-crash-*. Fix the cause, and add the input
# to the corpus under a name that describes it.

find_program(WARPFOLD_FUZZ_COMPILER NAMES clang++)
set(fuzz_flags -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
if(WARPFOLD_FUZZ_COMPILER AND NOT DEFINED WARPFOLD_HAS_LIBFUZZER)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/fuzz/try.cpp"
    "#include <cstddef>\nextern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, std::size_t) { return 0; }\n")
  execute_process(
    COMMAND "${WARPFOLD_FUZZ_COMPILER}" ${fuzz_flags} try.cpp -o try
    WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/fuzz"
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(WARPFOLD_HAS_LIBFUZZER OFF CACHE INTERNAL "")
  else()
    set(WARPFOLD_HAS_LIBFUZZER ON CACHE INTERNAL "")
  endif()
endif()
if(NOT WARPFOLD_HAS_LIBFUZZER)
  message(STATUS "warpfold: clang with libFuzzer not found; the fuzz tests of files and command lines are not built")
  return()
endif()

add_custom_target(fuzz_files)  # all fuzzers

# add_fuzzer(<name> <source of src/>...)
function(add_fuzzer name)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/fuzz")
  set(program "${folder}/${name}")
  set(flags ${fuzz_flags} -Wall -Wextra "$<$<BOOL:${WARPFOLD_WARNINGS_AS_ERRORS}>:-Werror>"
    "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/src")
  # A folder that the compiler searches by default must keep its position in the search order.
  if(WARPFOLD_CLI11_INCLUDE_DIR AND
      NOT WARPFOLD_CLI11_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND flags -isystem "${WARPFOLD_CLI11_INCLUDE_DIR}")
  endif()
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/src/")
  set(objects)
  foreach(source IN LISTS ARGN ITEMS "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}_fuzz.cpp")
    get_filename_component(file "${source}" NAME_WE)
    set(object "${folder}/${name}.objects/${file}.o")
    add_custom_command(OUTPUT "${object}"
      COMMAND "${WARPFOLD_FUZZ_COMPILER}" ${flags} -MD -MF "${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}"
      DEPFILE "${object}.d"
      COMMENT "Building fuzz/${name}: ${file}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  add_custom_command(OUTPUT "${program}"
    COMMAND "${WARPFOLD_FUZZ_COMPILER}" ${fuzz_flags} ${objects} -o "${program}"
    DEPENDS ${objects}
    COMMENT "Linking fuzz/${name}"
    VERBATIM)
  file(MAKE_DIRECTORY "${folder}/${name}.objects" "${folder}/${name}.found")
  add_custom_target("test.fuzz.${name}" ALL DEPENDS "${program}")
  add_dependencies(fuzz_files "test.fuzz.${name}")

  # A fixed seed, so that runs are repeatable.
  add_test(NAME "fuzz/${name}" COMMAND "${program}"
    -seed=1 -max_total_time=8 -timeout=20 -max_len=2048
    "-dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict" "-artifact_prefix=${folder}/${name}-"
    "${folder}/${name}.found" "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}")
  set_tests_properties("fuzz/${name}" PROPERTIES LABELS host TIMEOUT 120)
endfunction()

add_fuzzer(npy npy.cpp printable.cpp regular_file.cpp)
add_fuzzer(tuning printable.cpp)
if(WARPFOLD_CLI11_INCLUDE_DIR)
  add_fuzzer(command_line command_line.cpp printable.cpp)
endif()
