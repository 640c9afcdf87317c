# cmake -D include_dir=FOLDER -D work_dir=FOLDER -D compiler=FILE -P standard_test.cmake
# Compiles each public header as C++14 and C++17. Fails if the compiler prints more than the two errors of config.hpp. Needs
# no other library, because headers include config.hpp before them.

cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE headers RELATIVE "${include_dir}" "${include_dir}/*.hpp")
if(NOT headers)
  message(FATAL_ERROR "'${include_dir}' has no headers.")
endif()
set(failed FALSE)
set(refused 0)
foreach(standard IN ITEMS 14 17)
  foreach(header IN LISTS headers)
    file(WRITE "${work_dir}/alone.cpp" "#include <${header}>\n")
    execute_process(
      COMMAND "${compiler}" -std=c++${standard} -fsyntax-only "-I${include_dir}" "${work_dir}/alone.cpp"
      RESULT_VARIABLE rc OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX MATCHALL "error:" errors "${output}")
    list(LENGTH errors count)
    if(rc EQUAL 0)
      continue()  # the header compiles without C++20
    endif()
    math(EXPR refused "${refused} + 1")
    if(count GREATER 2 OR NOT output MATCHES "error: [^\n]*warpfold needs C\\+\\+20; compile with -std=c\\+\\+20")
      message("${header} in C++${standard}: ${count} errors. Include warpfold/core/config.hpp before all other headers.")
      set(failed TRUE)
    endif()
  endforeach()
endforeach()
if(failed OR refused LESS 200)
  message(FATAL_ERROR "The headers above print other errors, or fewer than 200 headers rejected an older C++ (${refused} did).")
endif()
