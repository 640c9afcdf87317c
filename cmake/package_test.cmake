# Uses the library as other projects do: installed, as a subdirectory and with FetchContent, with and
# without its components. `project_dir` is the library, `build_dir` a build folder of it, and
# `source_dir` the project that uses it. `components` lists those whose package is installed,
# separated by blanks. `conan` is the program, or empty.

function(run)
  string(JOIN " " line ${ARGN})
  message("$ ${line}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# expect(<what> <output> <regex>...): fails unless the output matches each.
function(expect what output)
  string(REGEX REPLACE "[ \n]+" " " one_line "${output}")
  foreach(wanted IN LISTS ARGN)
    if(NOT one_line MATCHES "${wanted}")
      message(FATAL_ERROR "${what}: the output of CMake does not match '${wanted}':\n${output}")
    endif()
  endforeach()
endfunction()

# expect_bits_of_headers(<program>): fails unless a program of libwarpfold prints `expected`.
function(expect_bits_of_headers program)
  execute_process(COMMAND "${program}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} prints\n${output}instead of\n${expected}")
  endif()
  message("${program} prints what the headers compute")
endfunction()

# configure_user(<name> <rc> <cmake argument>...): configures the project in a folder of that name.
# Sets `output`, and fails unless CMake returns `rc`.
function(configure_user name wanted_rc)
  string(JOIN " " line ${ARGN})
  message("$ cmake -S ${source_dir} -B ${work_dir}/${name} ${line}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${source_dir}" -B "${work_dir}/${name}" -G "${generator}"
      "-DCMAKE_MAKE_PROGRAM=${make_program}"
      "-DCMAKE_PREFIX_PATH=${work_dir}/prefix"
      "-DCMAKE_FIND_PACKAGE_PREFER_CONFIG=ON"
      "-DCMAKE_CXX_COMPILER=${cxx_compiler}"
      "-DCMAKE_CUDA_ARCHITECTURES=${cuda_architecture}"
      ${ARGN}
    RESULT_VARIABLE rc OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT rc EQUAL wanted_rc)
    message(FATAL_ERROR "${name}: CMake returned ${rc} instead of ${wanted_rc}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${work_dir}")
string(STRIP "${components}" components)
separate_arguments(component_list UNIX_COMMAND "${components}")
if(NOT component_list)
  message("No component is tested: their packages are not installed.")
endif()

# --- install -------------------------------------------------------------------------------------

# Installs from a fresh build folder without a build.
run("${CMAKE_COMMAND}" -S "${project_dir}" -B "${work_dir}/unbuilt" -G "${generator}"
  "-DCMAKE_MAKE_PROGRAM=${make_program}"
  "-DCMAKE_CXX_COMPILER=${cxx_compiler}"
  "-DCMAKE_CUDA_COMPILER=${cuda_compiler}"
  "-DCMAKE_CUDA_ARCHITECTURES=${cuda_architecture}")
run("${CMAKE_COMMAND}" --install "${work_dir}/unbuilt" --prefix "${work_dir}/prefix")
if(NOT EXISTS "${work_dir}/prefix/include/warpfold/reduce.hpp")
  message(FATAL_ERROR "Without a build, the project installs no headers.")
endif()
# This build folder may have the program.
run("${CMAKE_COMMAND}" --install "${build_dir}" --prefix "${work_dir}/prefix_of_build")
if(EXISTS "${build_dir}/warpfold" AND NOT EXISTS "${work_dir}/prefix_of_build/bin/warpfold")
  message(FATAL_ERROR "The program is built but not installed.")
endif()

# --- the installed package -----------------------------------------------------------------------

configure_user(found 0 -DWAY=find_package "-DCOMPONENTS=${components}" "-DCMAKE_CUDA_COMPILER=${cuda_compiler}")
foreach(component IN LISTS component_list)
  expect("find_package" "${output}" "warpfold::${component} is available; found is 'TRUE'")
endforeach()
run("${CMAKE_COMMAND}" --build "${work_dir}/found")
foreach(program IN LISTS component_list ITEMS host)
  run("${work_dir}/found/${program}")
endforeach()

# `native` without a GPU.
execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
if(no_gpu)
  configure_user(native 0 -DWAY=find_package -DCMAKE_CUDA_COMPILER= -DCMAKE_CUDA_ARCHITECTURES=native)
  expect("native" "${output}" "is native, but nvidia-smi finds no GPU. Pass the architecture")
endif()

# Hides the packages of the components from CMake.
set(package_of_par TBB)
set(says_of_par "oneTBB" "libtbb-dev")
set(package_of_emulated Boost)
set(says_of_emulated "Boost.Context" "libboost-context-dev")
set(package_of_mpi MPI)
set(says_of_mpi "MPI" "libopenmpi-dev")
foreach(component IN ITEMS par emulated mpi)
  set(hidden "-DCMAKE_DISABLE_FIND_PACKAGE_${package_of_${component}}=ON" -DCMAKE_CUDA_COMPILER=)
  configure_user("${component}_required" 1 -DWAY=find_package "-DCOMPONENTS=${component}" ${hidden})
  expect("required" "${output}" "component '${component}' of warpfold needs" ${says_of_${component}})
  configure_user("${component}_optional" 0 -DWAY=find_package "-DOPTIONAL_COMPONENTS=${component}" ${hidden})
  expect("optional" "${output}" "warpfold::${component} is missing; found is 'FALSE'")
  configure_user("${component}_subdirectory" 0
    -DWAY=add_subdirectory "-DSOURCE=${project_dir}" "-DOPTIONAL_COMPONENTS=${component}" ${hidden})
  expect("add_subdirectory" "${output}"
    "no target warpfold::${component}; it needs" ${says_of_${component}} "warpfold::${component} is missing")
endforeach()
configure_user(unknown 1 -DWAY=find_package "-DCOMPONENTS=par emulatd" -DCMAKE_CUDA_COMPILER=)
expect("unknown" "${output}" "warpfold has no component 'emulatd'; it has par, emulated, mpi, nccl, compiled")

# --- libwarpfold ---------------------------------------------------------------------------------

# Programs in C, C++ and Fortran print the same as one that uses the headers.
configure_user(no_library 1 -DWAY=find_package -DCOMPONENTS=compiled -DCMAKE_CUDA_COMPILER=)
expect("no library" "${output}" "component 'compiled' of warpfold needs libwarpfold, which this installation lacks")
if(EXISTS "${build_dir}/src/compiled/libwarpfold.so")
  set(user_dir "${project_dir}/test/compiled/user")
  find_program(fortran gfortran)
  run("${CMAKE_COMMAND}" -S "${user_dir}" -B "${work_dir}/compiled_user" -G "${generator}"
    "-DCMAKE_MAKE_PROGRAM=${make_program}" "-DCMAKE_PREFIX_PATH=${work_dir}/prefix_of_build" "-DFORTRAN=${fortran}"
    "-DCMAKE_CXX_COMPILER=${cxx_compiler}"
    "-DCMAKE_Fortran_COMPILER=${fortran}")
  run("${CMAKE_COMMAND}" --build "${work_dir}/compiled_user")
  run("${cxx_compiler}" -std=c++20 -I "${project_dir}/include" "${user_dir}/reference.cpp" -o "${work_dir}/reference" -ldl)
  execute_process(COMMAND "${work_dir}/reference" OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
  set(programs user_c user_cxx)
  if(fortran)
    list(APPEND programs user_fortran)
  else()
    message("No Fortran program is tested: gfortran is missing.")
  endif()
  foreach(program IN LISTS programs)
    expect_bits_of_headers("${work_dir}/compiled_user/${program}")
  endforeach()
endif()

# --- the Debian package, and pkg-config ----------------------------------------------------------

# Installs the package in a folder, and compiles programs with what pkg-config says.
find_program(dpkg dpkg)
find_program(pkg_config pkg-config)
if(dpkg AND pkg_config)
  run("${CMAKE_COMMAND}" -S "${project_dir}" -B "${work_dir}/deb" -G "${generator}" "-DCMAKE_MAKE_PROGRAM=${make_program}"
    "-DCMAKE_CXX_COMPILER=${cxx_compiler}" -DWARPFOLD_BUILD_TESTS=OFF -DWARPFOLD_BUILD_BENCHMARKS=OFF -DWARPFOLD_BUILD_PROGRAM=OFF)
  get_filename_component(folder_of_cmake "${CMAKE_COMMAND}" DIRECTORY)
  run("${folder_of_cmake}/cpack" -G DEB --config "${work_dir}/deb/CPackConfig.cmake" -B "${work_dir}/deb")
  file(GLOB package "${work_dir}/deb/libwarpfold-dev_*_all.deb")
  set(packages libwarpfold-dev)
  if(EXISTS "${build_dir}/src/compiled/libwarpfold.so")
    run("${folder_of_cmake}/cpack" -G DEB --config "${build_dir}/CPackConfig.cmake" -B "${work_dir}/deb_compiled"
      -D "CPACK_COMPONENTS_ALL=library\;library_development")
    file(GLOB package_of_library "${work_dir}/deb_compiled/libwarpfold*.deb")
    list(LENGTH package_of_library found)
    if(NOT found EQUAL 2)
      message(FATAL_ERROR "Two packages were expected, not ${package_of_library}")
    endif()
  endif()
  set(root "${work_dir}/root")
  file(MAKE_DIRECTORY "${root}/var/lib/dpkg/info" "${root}/var/lib/dpkg/updates" "${root}/var/lib/dpkg/triggers")
  file(TOUCH "${root}/var/lib/dpkg/status")
  run("${dpkg}" "--root=${root}" --force-not-root --install ${package})
  foreach(file IN LISTS package_of_library)
    run("${dpkg}" --extract "${file}" "${root}")  # its script, which calls ldconfig, is for a whole system
    string(REGEX REPLACE ".*/|_.*" "" name "${file}")
    list(APPEND packages "${name}")
    execute_process(COMMAND "${dpkg}-deb" --field "${file}" Depends OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
    if(NOT depends MATCHES "libtbb")
      message(FATAL_ERROR "The Debian package ${name} does not depend on oneTBB, but on ${depends}")
    endif()
  endforeach()
  foreach(name IN LISTS packages)
    if(NOT EXISTS "${root}/usr/share/doc/${name}/copyright")
      message(FATAL_ERROR "The Debian package ${name} has no license.")
    endif()
  endforeach()
  set(ENV{PKG_CONFIG_PATH} "${root}/usr/share/pkgconfig")
  foreach(program IN LISTS component_list ITEMS host)
    if(NOT program MATCHES "^(host|par|emulated)$")
      continue()
    endif()
    set(name "warpfold-${program}")
    if(program STREQUAL "host")
      set(name warpfold)
    endif()
    execute_process(COMMAND "${pkg_config}" --cflags --libs "${name}" OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${cxx_compiler}" -std=c++20 "${source_dir}/${program}.cpp" -o "${work_dir}/root/${program}" ${flags})
    run("${work_dir}/root/${program}")
  endforeach()
  if(package_of_library)
    execute_process(COMMAND "${pkg_config}" --cflags --libs warpfold-compiled OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("${cxx_compiler}" -std=c++20 -DUSE_LIBRARY "${project_dir}/test/compiled/user/reference.cpp"
      -o "${work_dir}/root/user_of_deb" ${flags} "-Wl,-rpath,${root}/usr/lib")
    expect_bits_of_headers("${work_dir}/root/user_of_deb")
  endif()
  # Not the headers of the source folder.
  configure_user(found_in_root 0 -DWAY=find_package "-DCMAKE_PREFIX_PATH=${root}/usr" -DCMAKE_CUDA_COMPILER=)
  run("${CMAKE_COMMAND}" --build "${work_dir}/found_in_root")
  run("${work_dir}/found_in_root/host")
else()
  message("Neither the Debian package nor pkg-config is tested: dpkg or pkg-config is missing.")
endif()

# --- the Conan package ---------------------------------------------------------------------------

if(conan)
  set(ENV{CONAN_HOME} "${work_dir}/conan_home")
  file(COPY "${source_dir}/" DESTINATION "${work_dir}/conan_user")  # Conan builds there
  run("${conan}" profile detect)
  execute_process(
    COMMAND "${conan}" create "${project_dir}/tools/conan" -s compiler.cppstd=20 --test-folder "${work_dir}/conan_user"
    ERROR_VARIABLE output OUTPUT_VARIABLE output RESULT_VARIABLE rc)
  if(NOT rc EQUAL 0 OR NOT output MATCHES "\nsum: 10\n")
    message(FATAL_ERROR "conan create returned ${rc}:\n${output}")
  endif()
  # C++17 is refused.
  execute_process(COMMAND "${conan}" create "${project_dir}/tools/conan" -s compiler.cppstd=17
    ERROR_VARIABLE output OUTPUT_VARIABLE output RESULT_VARIABLE rc)
  if(rc EQUAL 0 OR NOT output MATCHES "cppstd")
    message(FATAL_ERROR "conan create for C++17 returned ${rc}:\n${output}")
  endif()
else()
  message("The Conan package is not tested: ./dev setup installs Conan.")
endif()

# --- the source folder ---------------------------------------------------------------------------

foreach(way IN ITEMS add_subdirectory FetchContent)
  configure_user("${way}" 0 "-DWAY=${way}" "-DSOURCE=${project_dir}" "-DCOMPONENTS=${components}"
    -DCMAKE_CUDA_COMPILER=)
  foreach(component IN LISTS component_list)
    expect("${way}" "${output}" "warpfold::${component} is available")
  endforeach()
endforeach()
run("${CMAKE_COMMAND}" --build "${work_dir}/FetchContent")
set(host_programs host ${component_list})
list(REMOVE_ITEM host_programs nccl)  # has kernels
foreach(program IN LISTS host_programs)
  run("${work_dir}/FetchContent/${program}")
endforeach()
