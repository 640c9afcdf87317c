# Compile tests: each test/compile/*.cpp and *.cu says in comments what the compiler must say.
#
#   // expect: REGEX    it does not compile, and the output matches REGEX (CMake's syntax)
#   // expect: ok       it compiles
#   // errors: N        how many errors it may print at most (1 where the line is missing)
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
  if(case MATCHES "\\.cu$")
    # -ptx runs the device front end only: quick, and it instantiates host code too.
    set(compiler "${CMAKE_CUDA_COMPILER}" -std=c++20 -arch=compute_90 --extended-lambda -ptx
      -o "${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx")
    if(CMAKE_CUDA_HOST_COMPILER)
      list(APPEND compiler "-ccbin=${CMAKE_CUDA_HOST_COMPILER}")
    endif()
  else()
    set(compiler "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only)
  endif()
  add_test(NAME "compile/${name}" COMMAND "${CMAKE_COMMAND}"
    -D "case=${case}" -P "${PROJECT_SOURCE_DIR}/cmake/compile_test.cmake"
    -- ${compiler} ${include_dirs} "${case}")
  set_tests_properties("compile/${name}" PROPERTIES LABELS host)
endforeach()
