# Builds the wheel as `pip install .` does, installs it in a folder, and runs its tests. `python` has pip, scikit-build-core, nanobind and
# NumPy; `project_dir` is the library, `work_dir` a folder of the test.

file(REMOVE_RECURSE "${work_dir}")
# Debug compiles in a third of the time.
execute_process(COMMAND "${python}" -m pip install --quiet --no-build-isolation --no-deps --no-index
  --target "${work_dir}/site" "${project_dir}" -C cmake.build-type=Debug COMMAND_ERROR_IS_FATAL ANY)
set(ENV{PYTHONPATH} "${work_dir}/site")
execute_process(COMMAND "${python}" "${project_dir}/test/python/module_test.py" COMMAND_ERROR_IS_FATAL ANY)

# The bits of the headers.
execute_process(COMMAND "${cxx_compiler}" -std=c++20 -I "${project_dir}/include" "${project_dir}/test/compiled/user/reference.cpp"
  -o "${work_dir}/reference" -ldl COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${work_dir}/reference" OUTPUT_VARIABLE expected COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${python}" "${project_dir}/test/compiled/user/user.py" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "error: [^\n]*\n" "" expected "${expected}")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "user.py prints\n${output}instead of\n${expected}")
endif()
message("user.py prints what the headers compute")
