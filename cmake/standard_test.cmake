# cmake -D include_dir=FOLDER -D work_dir=FOLDER -D compiler=FILE -P standard_test.cmake
# Compiles each public header as C++14 and C++17. Fails if the compiler prints more than config.hpp's two errors. Needs no other
# library, because config.hpp is included before them.

cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE headers RELATIVE "${include_dir}" "${include_dir}/*.hpp")
if(NOT headers)
  message(FATAL_ERROR "There is no header in '${include_dir}'.")
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
      message("${header} in C++${standard}: ${count} errors. It includes warpfold/core/config.hpp too late, or not at all.")
      set(failed TRUE)
    endif()
  endforeach()
endforeach()
if(failed OR refused LESS 200)
  message(FATAL_ERROR "${refused} headers were refused; at least 200 must be, and no other error may follow.")
endif()
