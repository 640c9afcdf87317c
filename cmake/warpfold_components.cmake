# The parts of the library that link another package. warpfold-config.cmake and CMakeLists.txt both
# include this file, so the names are the same in an installed package and in a subdirectory:
#
#   warpfold::par        wf::par and wf::baseline::std_par, with oneTBB
#   warpfold::emulated   wf::emulated, with Boost.Context
#   warpfold::mpi        wf::mpi, with an implementation of MPI
#   warpfold::nccl       wf::nccl, with NCCL: NVIDIA's packages, or the wheel of a Python environment
#
# and the C interface, which links nothing else; src/compiled/CMakeLists.txt makes it in a subdirectory:
#
#   warpfold::compiled   libwarpfold and warpfold.h

set(warpfold_components par emulated mpi nccl compiled)

# warpfold_find_nccl(): makes the target warpfold_nccl_library if NCCL is found: in NCCL_ROOT or NCCL_HOME, with the system's
# libraries or the CUDA Toolkit, or as the wheel nvidia-nccl-cu* of python3.
function(warpfold_find_nccl)
  if(TARGET warpfold_nccl_library)
    return()
  endif()
  set(hints "${NCCL_ROOT}" "${NCCL_HOME}" "$ENV{NCCL_ROOT}" "$ENV{NCCL_HOME}" ${CUDAToolkit_LIBRARY_ROOT}
    "${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}/.." /usr/local/cuda)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${hints} PATH_SUFFIXES include)
  # The header and the library of one NCCL: a folder of a wheel has only libnccl.so.2.
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${hints} PATH_SUFFIXES lib lib64)
  find_program(WARPFOLD_PYTHON3 python3)
  if(NOT (NCCL_INCLUDE_DIR AND NCCL_LIBRARY) AND WARPFOLD_PYTHON3)
    execute_process(COMMAND "${WARPFOLD_PYTHON3}" -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
      OUTPUT_VARIABLE wheel OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(wheel)
      find_path(NCCL_INCLUDE_DIR nccl.h PATHS "${wheel}/include" NO_DEFAULT_PATH)
      find_library(NCCL_LIBRARY NAMES libnccl.so.2 PATHS "${wheel}/lib" NO_DEFAULT_PATH)
    endif()
  endif()
  if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
    add_library(warpfold_nccl_library INTERFACE IMPORTED GLOBAL)
    get_filename_component(folder "${NCCL_LIBRARY}" DIRECTORY)
    target_include_directories(warpfold_nccl_library SYSTEM INTERFACE "${NCCL_INCLUDE_DIR}")
    target_link_libraries(warpfold_nccl_library INTERFACE "${NCCL_LIBRARY}")
    target_link_options(warpfold_nccl_library INTERFACE "LINKER:-rpath,${folder}")
  endif()
endfunction()

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
  elseif("${name}" STREQUAL "nccl")
    warpfold_find_nccl()
    set(warpfold_dependency warpfold_nccl_library)
    set(warpfold_missing
      "NCCL, which was not found (Debian: libnccl-dev of NVIDIA's repository; PyPI: nvidia-nccl-cu13; elsewhere set NCCL_ROOT)")
  elseif("${name}" STREQUAL "compiled")
    if(NOT TARGET warpfold_compiled_library AND EXISTS "${warpfold_library_folder}/libwarpfold.so")
      add_library(warpfold_compiled_library SHARED IMPORTED GLOBAL)
      set_target_properties(warpfold_compiled_library PROPERTIES
        IMPORTED_LOCATION "${warpfold_library_folder}/libwarpfold.so"
        INTERFACE_INCLUDE_DIRECTORIES "${warpfold_include_folder}")
    endif()
    set(warpfold_dependency warpfold_compiled_library)
    set(warpfold_missing
      "libwarpfold, which this installation lacks (Debian: libwarpfold-compiled-dev, which cpack makes; elsewhere configure warpfold \
with -DWARPFOLD_BUILD_COMPILED=ON, build and install it)")
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
