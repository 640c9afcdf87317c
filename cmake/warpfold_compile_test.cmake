# Compile tests: comments in each test/compile/*.cpp and *.cu name the expected result of the compiler.
#
#   // expect: REGEX    the file does not compile, and the output matches REGEX
#   // expect: ok       the file compiles
#   // errors: N        the compiler prints at most N errors (default: 1)
#   // lines: N         the compiler prints at most N lines (default: no limit)
#   // standard: N      compiles with -std=c++N (default: 20)
#   // architecture: N  compiles a .cu file for compute_N (default: 90); above 90 the test needs CUDA 13.0
#   // generates: REGEX  the PTX of a .cu file matches REGEX
#   // warnings: none    every warning of warpfold_user_warnings is an error. A .cpp file is compiled as C++20 and as C++23,
#                       with GCC and with Clang if found; a .cu file with nvcc and its host compiler
#
# A file NAME_cases.cpp or NAME_cases.cu has several cases that must not compile, each in a namespace of its name.
# compile_test.py compiles them together, and checks each.
#
# Comments also name the needs of a file (see warpfold_needs.cmake).

file(GLOB cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile/*.cpp")
if(WARPFOLD_CUDA)
  file(GLOB cuda_cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile/*.cu")
  list(APPEND cases ${cuda_cases})
endif()

if(NOT WARPFOLD_OTHER_CXX_COMPILER)
  message(STATUS "warpfold: only one of GCC and Clang found; warnings are tested only with that compiler")
endif()

find_program(WARPFOLD_PYTHON3 python3)
if(NOT WARPFOLD_PYTHON3)
  message(STATUS "warpfold: python3 not found; the tests compile/... are not run")
  return()
endif()

# add_compile_test(<name> <case> <command>...)
function(add_compile_test name case)
  # The traces of other compilers are not known.
  set(alone)
  if(name MATCHES "\\.cpp$" AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(alone --alone)
  endif()
  list(REMOVE_ITEM ARGN "${case}")
  add_test(NAME "compile/${name}" COMMAND "${WARPFOLD_PYTHON3}" "${PROJECT_SOURCE_DIR}/cmake/compile_test.py"
    ${alone} "${case}" -- ${ARGN})
  set_tests_properties("compile/${name}" PROPERTIES LABELS host)
endfunction()

foreach(case IN LISTS cases)
  get_filename_component(name "${case}" NAME)
  warpfold_needs("${case}" needs missing)
  if(missing)
    message(STATUS "warpfold: ${missing} not found; compile test ${name} is not run")
    continue()
  endif()
  set(include_dirs "-I${PROJECT_SOURCE_DIR}/include" "-I${CMAKE_CURRENT_SOURCE_DIR}")
  if("cccl" IN_LIST needs)
    foreach(dir IN LISTS CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES)
      list(APPEND include_dirs -isystem "${dir}/cccl" -isystem "${dir}")
    endforeach()
  endif()
  # -idirafter suppresses warnings as -isystem does, but also accepts /usr/include. nvcc does not have it.
  set(external "-idirafter")
  if(case MATCHES "\\.cu$")
    set(external "-I")
  endif()
  foreach(library IN ITEMS Boost::headers TBB::tbb)
    if(TARGET ${library})
      get_target_property(dirs ${library} INTERFACE_INCLUDE_DIRECTORIES)
      list(TRANSFORM dirs PREPEND "${external}")
      list(APPEND include_dirs ${dirs})
    endif()
  endforeach()
  file(STRINGS "${case}" no_warnings REGEX "^// warnings: none$")
  set(standard 20)
  file(STRINGS "${case}" line REGEX "^// standard: ")
  if(line MATCHES "^// standard: ([0-9]+)$")
    set(standard "${CMAKE_MATCH_1}")
  endif()
  if(case MATCHES "\\.cu$")
    set(architecture 90)
    file(STRINGS "${case}" line REGEX "^// architecture: ")
    if(line MATCHES "^// architecture: ([0-9]+)$")
      set(architecture "${CMAKE_MATCH_1}")
      if(architecture GREATER 90 AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
        message(STATUS "warpfold: compile test ${name} is not run; it needs CUDA 13.0")
        continue()
      endif()
    endif()
    set(compiler "${CMAKE_CUDA_COMPILER}" -std=c++${standard} --extended-lambda)
    if(no_warnings)
      set(flags ${warpfold_user_warnings} -Werror)
      list(REMOVE_ITEM flags -Wpedantic)  # it warns about code that nvcc generates
      list(JOIN flags "," flags)
      list(APPEND compiler "-gencode=arch=compute_${architecture},code=compute_${architecture}"
        -Werror=all-warnings "-Xcompiler=${flags}" -c -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
    else()
      # Only the device front end, which also instantiates host code (cmake/front_end_of_nvcc.sh), unless the test reads the PTX.
      file(STRINGS "${case}" reads_ptx REGEX "^// generates: ")
      if(NOT reads_ptx)
        list(PREPEND compiler "${PROJECT_SOURCE_DIR}/cmake/front_end_of_nvcc.sh")
      endif()
      list(APPEND compiler "--generate-code=arch=compute_${architecture},code=[compute_${architecture}]" -Xcicc -O0 -ptx
        -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx")
    endif()
    if(CMAKE_CUDA_HOST_COMPILER)
      list(APPEND compiler "-ccbin=${CMAKE_CUDA_HOST_COMPILER}")
    endif()
    add_compile_test("${name}" "${case}" ${compiler} ${include_dirs} "${case}")
  elseif(no_warnings)
    # One language for each compiler: all four pairs take twice as long.
    set(compilers "${CMAKE_CXX_COMPILER}" c++20)
    if(WARPFOLD_OTHER_CXX_COMPILER)
      list(APPEND compilers "${WARPFOLD_OTHER_CXX_COMPILER}")
    else()
      list(APPEND compilers "${CMAKE_CXX_COMPILER}")
    endif()
    list(APPEND compilers c++2b)
    while(compilers)
      list(POP_FRONT compilers compiler standard)
      get_filename_component(compiler_name "${compiler}" NAME)
      add_compile_test("${name}/${compiler_name}/${standard}" "${case}"
        "${compiler}" -std=${standard} -fsyntax-only ${warpfold_user_warnings} -Werror
        ${include_dirs} "${case}")
    endwhile()
  else()
    add_compile_test("${name}" "${case}" "${CMAKE_CXX_COMPILER}" -std=c++${standard} -fsyntax-only
      ${include_dirs} "${case}")
  endif()
endforeach()
