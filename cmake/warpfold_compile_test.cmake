# Compile tests: each test/compile/*.cpp and *.cu says in comments what the compiler must say.
#
#   // expect: REGEX    it does not compile, and the output matches REGEX (CMake's syntax)
#   // expect: ok       it compiles
#   // errors: N        how many errors it may print at most (1 where the line is missing)
#   // lines: N         how many lines it may print at most (any number where the line is missing)
#   // standard: N      it is compiled with -std=c++N (20 where the line is missing)
#   // architecture: N  .cu files are compiled for compute_N (90 where the line is missing); what is beyond 90 is left out
#                       where CUDA is older than 13.0
#   // generates: REGEX  a .cu file that compiles has this in its PTX
#   // warnings: none    every warning of warpfold_user_warnings is an error. A .cpp file is compiled as C++20 and as C++23, by
#                       GCC and by Clang where both are found; a .cu file up to the host compiler that nvcc calls
#
# and what it needs, if anything (see warpfold_needs.cmake).

file(GLOB cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile/*.cpp")
if(WARPFOLD_CUDA)
  file(GLOB cuda_cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile/*.cu")
  list(APPEND cases ${cuda_cases})
endif()

# The compiler that the build does not use: GCC or Clang.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_program(WARPFOLD_OTHER_CXX_COMPILER clang++)
else()
  find_program(WARPFOLD_OTHER_CXX_COMPILER g++)
endif()
if(NOT WARPFOLD_OTHER_CXX_COMPILER)
  message(STATUS "warpfold: only one of GCC and Clang found, so warnings are tested with that one")
endif()

# add_compile_test(<name> <case> <command>...)
function(add_compile_test name case)
  add_test(NAME "compile/${name}" COMMAND "${CMAKE_COMMAND}"
    -D "case=${case}" -D "ptx=${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx"
    -P "${PROJECT_SOURCE_DIR}/cmake/compile_test.cmake"
    -- ${ARGN})
  set_tests_properties("compile/${name}" PROPERTIES LABELS host)
endfunction()

foreach(case IN LISTS cases)
  get_filename_component(name "${case}" NAME)
  warpfold_needs("${case}" needs missing)
  if(missing)
    message(STATUS "warpfold: compile test ${name} left out, for ${missing} is not here")
    continue()
  endif()
  set(include_dirs "-I${PROJECT_SOURCE_DIR}/include" "-I${CMAKE_CURRENT_SOURCE_DIR}")
  if("cccl" IN_LIST needs)
    foreach(dir IN LISTS CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES)
      list(APPEND include_dirs -isystem "${dir}/cccl" -isystem "${dir}")
    endforeach()
  endif()
  # Without warnings as -isystem, which must not name /usr/include; nvcc knows no -idirafter.
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
        message(STATUS "warpfold: compile test ${name} left out, for it needs CUDA 13.0")
        continue()
      endif()
    endif()
    set(compiler "${CMAKE_CUDA_COMPILER}" -std=c++${standard} --extended-lambda)
    if(no_warnings)
      set(flags ${warpfold_user_warnings} -Werror)
      list(REMOVE_ITEM flags -Wpedantic)  # which warns of the code that nvcc writes
      list(JOIN flags "," flags)
      list(APPEND compiler "-gencode=arch=compute_${architecture},code=compute_${architecture}"
        -Werror=all-warnings "-Xcompiler=${flags}" -c -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
    else()
      # -ptx runs the device front end only: quick, and it instantiates host code too.
      list(APPEND compiler -arch=compute_${architecture} -ptx
        -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx")
    endif()
    if(CMAKE_CUDA_HOST_COMPILER)
      list(APPEND compiler "-ccbin=${CMAKE_CUDA_HOST_COMPILER}")
    endif()
    add_compile_test("${name}" "${case}" ${compiler} ${include_dirs} "${case}")
  elseif(no_warnings)
    set(compilers "${CMAKE_CXX_COMPILER}")
    if(WARPFOLD_OTHER_CXX_COMPILER)
      list(APPEND compilers "${WARPFOLD_OTHER_CXX_COMPILER}")
    endif()
    foreach(compiler IN LISTS compilers)
      get_filename_component(compiler_name "${compiler}" NAME)
      foreach(standard IN ITEMS c++20 c++2b)
        add_compile_test("${name}/${compiler_name}/${standard}" "${case}"
          "${compiler}" -std=${standard} -fsyntax-only ${warpfold_user_warnings} -Werror
          ${include_dirs} "${case}")
      endforeach()
    endforeach()
  else()
    add_compile_test("${name}" "${case}" "${CMAKE_CXX_COMPILER}" -std=c++${standard} -fsyntax-only
      ${include_dirs} "${case}")
  endif()
endforeach()
