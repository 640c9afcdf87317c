# The parts of the library that link another package. warpfold-config.cmake and CMakeLists.txt both
# include this file, so the names are the same in an installed package and in a subdirectory:
#
#   warpfold::par        wf::par and wf::baseline::std_par, with oneTBB
#   warpfold::emulated   wf::emulated, with Boost.Context
#   warpfold::mpi        wf::mpi, with an implementation of MPI

set(warpfold_components par emulated mpi)

# warpfold_find_component(NAME): finds the package of a component. Sets `warpfold_dependency` to its
# target, or to nothing if it is not found. Sets `warpfold_missing` to the remedy.
macro(warpfold_find_component name)
  set(warpfold_dependency "")
  set(warpfold_missing "")
  if("${name}" STREQUAL "par")
    if(NOT TARGET TBB::tbb)
      find_package(TBB QUIET)
    endif()
    set(warpfold_dependency TBB::tbb)
    set(warpfold_missing
      "oneTBB, which was not found (Debian: libtbb-dev; elsewhere set TBB_DIR or CMAKE_PREFIX_PATH)")
  elseif("${name}" STREQUAL "emulated")
    if(NOT TARGET Boost::context)
      find_package(Boost QUIET CONFIG OPTIONAL_COMPONENTS context)
    endif()
    set(warpfold_dependency Boost::context)
    set(warpfold_missing
      "Boost.Context, which was not found (Debian: libboost-context-dev; elsewhere set Boost_DIR or CMAKE_PREFIX_PATH)")
  elseif("${name}" STREQUAL "mpi")
    if(NOT TARGET MPI::MPI_CXX)
      find_package(MPI QUIET COMPONENTS CXX)
    endif()
    set(warpfold_dependency MPI::MPI_CXX)
    set(warpfold_missing
      "MPI, which was not found (Debian: libopenmpi-dev or libmpich-dev; elsewhere set MPI_HOME or MPI_CXX_COMPILER)")
  endif()
  if(NOT TARGET "${warpfold_dependency}")
    set(warpfold_dependency "")
  endif()
endmacro()

# Warns if `native` cannot name an architecture. CMake's own error does not say what to pass instead.
function(warpfold_check_native)
  if(NOT "${CMAKE_CUDA_ARCHITECTURES};$ENV{CUDAARCHS}" MATCHES "native")
    return()
  endif()
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
  if(no_gpu)
    message(WARNING "warpfold: CMAKE_CUDA_ARCHITECTURES is native, but nvidia-smi finds no GPU. Pass the architecture of the GPU "
      "that will run the code, for example -DCMAKE_CUDA_ARCHITECTURES=90.${ARGN}")
  endif()
endfunction()
