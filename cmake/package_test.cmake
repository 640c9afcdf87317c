# Installs the build tree `build_dir` into a fresh prefix, then configures, builds and runs the
# project `source_dir` against it, as a user of the installed package would.

function(run)
  string(JOIN " " line ${ARGN})
  message("$ ${line}")
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${work_dir}")
run("${CMAKE_COMMAND}" --install "${build_dir}" --prefix "${work_dir}/prefix")
run("${CMAKE_COMMAND}" -S "${source_dir}" -B "${work_dir}/build" -G "${generator}"
  "-DCMAKE_MAKE_PROGRAM=${make_program}"
  "-DCMAKE_PREFIX_PATH=${work_dir}/prefix"
  "-DCMAKE_FIND_PACKAGE_PREFER_CONFIG=ON"
  "-DCMAKE_CXX_COMPILER=${cxx_compiler}"
  "-DCMAKE_CUDA_COMPILER=${cuda_compiler}"
  "-DCMAKE_CUDA_ARCHITECTURES=${cuda_architecture}")
run("${CMAKE_COMMAND}" --build "${work_dir}/build")
run("${work_dir}/build/host")
