# Tests of the documentation, all labelled docs:
#
#   docs/links        links between files of the repository lead somewhere
#   docs/site         the site builds without a warning or a broken link, where Doxygen and Sphinx are (./dev setup)
#   docs/code/<page>  every block of C++ or CUDA in the page compiles

find_program(WARPFOLD_PYTHON3 python3)
if(NOT WARPFOLD_PYTHON3)
  message(STATUS "warpfold: tests of the documentation left out, for python3 is not here")
  return()
endif()
set(site "${PROJECT_SOURCE_DIR}/docs/site")

add_test(NAME docs/links COMMAND "${WARPFOLD_PYTHON3}" "${site}/links.py")
set_tests_properties(docs/links PROPERTIES LABELS docs)

find_program(WARPFOLD_DOXYGEN doxygen)
find_program(WARPFOLD_DOCS_PYTHON python NO_DEFAULT_PATH
  PATHS "${PROJECT_SOURCE_DIR}/build/toolchain/docs/bin")
if(WARPFOLD_DOXYGEN AND WARPFOLD_DOCS_PYTHON)
  add_test(NAME docs/site COMMAND "${WARPFOLD_DOCS_PYTHON}" "${site}/build.py" "${CMAKE_CURRENT_BINARY_DIR}/docs")
  set_tests_properties(docs/site PROPERTIES LABELS docs)
else()
  message(STATUS "warpfold: test docs/site left out, for doxygen or Sphinx is not here")
endif()
