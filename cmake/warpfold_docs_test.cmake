# Tests of the documentation, all labelled docs:
#
#   docs/links        links between files of the repository lead somewhere
#   docs/messages     the messages that docs/troubleshooting.md quotes are those of the headers
#   docs/site         the site builds without a warning or a broken link, where Doxygen and Sphinx are (./dev setup)
#   docs/code/<page>  every block of C++ or CUDA in the page compiles

find_program(WARPFOLD_PYTHON3 python3)
if(NOT WARPFOLD_PYTHON3)
  message(STATUS "warpfold: tests of the documentation left out, for python3 is not here")
  return()
endif()
set(site "${PROJECT_SOURCE_DIR}/docs/site")

add_test(NAME docs/links COMMAND "${WARPFOLD_PYTHON3}" "${site}/links.py")
add_test(NAME docs/messages COMMAND "${WARPFOLD_PYTHON3}" "${site}/messages.py")
set_tests_properties(docs/links docs/messages PROPERTIES LABELS docs)

find_program(WARPFOLD_DOXYGEN doxygen)
find_program(WARPFOLD_DOCS_PYTHON python NO_DEFAULT_PATH
  PATHS "${PROJECT_SOURCE_DIR}/build/toolchain/docs/bin")
if(WARPFOLD_DOXYGEN AND WARPFOLD_DOCS_PYTHON)
  add_test(NAME docs/site COMMAND "${WARPFOLD_DOCS_PYTHON}" "${site}/build.py" "${CMAKE_CURRENT_BINARY_DIR}/docs")
  set_tests_properties(docs/site PROPERTIES LABELS docs)
else()
  message(STATUS "warpfold: test docs/site left out, for doxygen or Sphinx is not here")
endif()

# One compiler call for each page and language; what the blocks use is in the page, and oneTBB and Boost where they are here.
set(docs_include_dirs "-I${PROJECT_SOURCE_DIR}/include")
set(docs_cuda_dirs "")
foreach(library IN ITEMS Boost::headers TBB::tbb)
  if(TARGET ${library})
    get_target_property(dirs ${library} INTERFACE_INCLUDE_DIRECTORIES)
    foreach(dir IN LISTS dirs)
      string(APPEND docs_include_dirs " -idirafter ${dir}")
    endforeach()
  endif()
endforeach()
set(docs_cuda)
if(WARPFOLD_CUDA)
  set(docs_cuda --nvcc "${CMAKE_CUDA_COMPILER} -std=c++20 --extended-lambda -arch=compute_90 -ptx -diag-suppress 177,940 -o /dev/null -I${PROJECT_SOURCE_DIR}/include")
  if(CMAKE_CUDA_HOST_COMPILER)
    string(APPEND docs_cuda " -ccbin=${CMAKE_CUDA_HOST_COMPILER}")
  endif()
else()
  message(STATUS "warpfold: the CUDA code of the documentation is not compiled, for nvcc is not here")
endif()
file(GLOB docs_pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
list(APPEND docs_pages "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CONTRIBUTING.md")
foreach(page IN LISTS docs_pages)
  if(NOT EXISTS "${page}")
    continue()
  endif()
  get_filename_component(name "${page}" NAME_WE)
  add_test(NAME "docs/code/${name}" COMMAND "${WARPFOLD_PYTHON3}" "${PROJECT_SOURCE_DIR}/test/docs/code_blocks.py"
    "${page}" --work "${CMAKE_CURRENT_BINARY_DIR}/docs_code" --cmake "${CMAKE_COMMAND}"
    --cxx "${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -Wno-return-type ${docs_include_dirs}" ${docs_cuda})
  set_tests_properties("docs/code/${name}" PROPERTIES LABELS docs)
endforeach()
