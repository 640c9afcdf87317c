# Enables CUDA if a CUDA compiler is found. Without one, all host code still builds.
#
# Sets     WARPFOLD_CUDA    ON if .cu files are built
# Defines  warpfold_cccl    for host-compiled files that include CUDA's or CCCL's (Thrust, libcu++)
#                           headers; nvcc finds both by itself. Empty without CUDA
#          warpfold_cudart  CUDA's runtime library; only with CUDA
#          warpfold_environments  only with CCCL 3.1 or later, which has execution environments
#          warpfold_never_launches(TARGET)  compiles device code without optimizing it
#          warpfold_front_end_only(TARGET)  the same, and makes intermediate code of an object library
#
# Without a GPU, the tests and benchmarks that need one cannot run. Only nvcc's front end then compiles them, in less
# than a tenth of the time. It reports errors of the device half: host compilers, nvcc's back end and ptxas do not run. Before a
# run on a GPU, build everything with -D WARPFOLD_BUILD_GPU_PROGRAMS=ON.

option(WARPFOLD_BUILD_CUDA "Build .cu files if a CUDA compiler is found" ON)
set(has_cuda_compiler OFF)
if(WARPFOLD_BUILD_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(has_cuda_compiler ON)
  endif()
endif()

if(has_cuda_compiler)
  warpfold_check_native(" Or build no CUDA code: -DWARPFOLD_BUILD_CUDA=OFF.")
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
    if(no_gpu)
      # 75 is the oldest supported architecture: code that needs a newer one without a check does not
      # compile. 90 is the architecture that the library is tuned for; its PTX runs on all newer GPUs.
      set(CMAKE_CUDA_ARCHITECTURES "75-real;90")
    else()
      set(CMAKE_CUDA_ARCHITECTURES native)
    endif()
  endif()
  enable_language(CUDA)
  set(WARPFOLD_CUDA ON)
  message(STATUS
    "warpfold: CUDA ${CMAKE_CUDA_COMPILER_VERSION} for architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  set(WARPFOLD_CUDA OFF)
  if(WARPFOLD_BUILD_CUDA)
    message(STATUS "warpfold: no CUDA compiler (nvcc) found; .cu files are not built")
  else()
    message(STATUS "warpfold: WARPFOLD_BUILD_CUDA is OFF; .cu files are not built")
  endif()
endif()

add_library(warpfold_cccl INTERFACE)
if(WARPFOLD_CUDA)
  # Not find_package(CUDAToolkit): CMake 3.25's fails on a toolkit that lacks NVTX.
  find_library(WARPFOLD_CUDART_LIBRARY cudart_static
    HINTS ${CMAKE_CUDA_HOST_IMPLICIT_LINK_DIRECTORIES} REQUIRED)
  add_library(warpfold_cudart INTERFACE)
  target_link_libraries(warpfold_cudart INTERFACE
    "${WARPFOLD_CUDART_LIBRARY}" Threads::Threads ${CMAKE_DL_LIBS} rt)
  target_link_libraries(warpfold_cccl INTERFACE warpfold_cudart)
  # The 13.0 toolkit has CCCL in a separate folder; older ones have it beside the other headers.
  foreach(dir IN LISTS CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES)
    if(EXISTS "${dir}/cccl")
      target_include_directories(warpfold_cccl SYSTEM INTERFACE
        "$<$<COMPILE_LANGUAGE:CXX>:${dir}/cccl>")
    endif()
    target_include_directories(warpfold_cccl SYSTEM INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${dir}>")
    if(EXISTS "${dir}/cccl/cuda/__execution/require.h")
      add_library(warpfold_environments INTERFACE)
    endif()
  endforeach()
endif()

set(has_gpu OFF)
if(WARPFOLD_CUDA)
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
  if(NOT no_gpu)
    set(has_gpu ON)
  endif()
endif()
option(WARPFOLD_BUILD_GPU_PROGRAMS "Build the tests and benchmarks that need a GPU; OFF runs nvcc's front end only" ${has_gpu})

function(warpfold_never_launches target)
  list(GET CMAKE_CUDA_ARCHITECTURES -1 architecture)
  string(REGEX REPLACE "-.*" "" architecture "${architecture}")
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architecture}-virtual")
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcicc -O0>")
endfunction()

function(warpfold_front_end_only target)
  warpfold_never_launches(${target})
  get_target_property(launchers ${target} CUDA_COMPILER_LAUNCHER)
  list(FILTER launchers EXCLUDE REGEX "NOTFOUND$")
  list(PREPEND launchers "${PROJECT_SOURCE_DIR}/cmake/front_end_of_nvcc.sh")
  set_target_properties(${target} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_COMPILER_LAUNCHER "${launchers}")
endfunction()
