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
#
# and what it needs, if anything (see warpfold_needs.cmake).

file(GLOB cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile/*.cpp")
if(WARPFOLD_CUDA)
  file(GLOB cuda_cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/compile/*.cu")
  list(APPEND cases ${cuda_cases})
endif()

foreach(case IN LISTS cases)
  get_filename_component(name "${case}" NAME)
  warpfold_needs("${case}" needs missing)
  if(missing)
    message(STATUS "warpfold: compile test ${name} left out, for ${missing} is not here")
    continue()
  endif()
  set(include_dirs "${PROJECT_SOURCE_DIR}/include" "${CMAKE_CURRENT_SOURCE_DIR}")
  if("boost" IN_LIST needs)
    get_target_property(boost_include_dir Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
    list(APPEND include_dirs ${boost_include_dir})
  endif()
  list(TRANSFORM include_dirs PREPEND "-I")
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
    # -ptx runs the device front end only: quick, and it instantiates host code too.
    set(compiler "${CMAKE_CUDA_COMPILER}" -std=c++${standard} -arch=compute_${architecture} --extended-lambda -ptx
      -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx")
    if(CMAKE_CUDA_HOST_COMPILER)
      list(APPEND compiler "-ccbin=${CMAKE_CUDA_HOST_COMPILER}")
    endif()
  else()
    set(compiler "${CMAKE_CXX_COMPILER}" -std=c++${standard} -fsyntax-only)
  endif()
  add_test(NAME "compile/${name}" COMMAND "${CMAKE_COMMAND}"
    -D "case=${case}" -D "ptx=${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx"
    -P "${PROJECT_SOURCE_DIR}/cmake/compile_test.cmake"
    -- ${compiler} ${include_dirs} "${case}")
  set_tests_properties("compile/${name}" PROPERTIES LABELS host)
endforeach()
