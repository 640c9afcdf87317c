# shellcheck shell=bash
# Puts faults into the headers, and runs the tests: ./dev mutate

# Arguments go to the script: ./dev mutate --only '^op/' --sample 200
cmd_mutate() {
  setup
  need_python
  section "Faults in the headers, and the tests that detect them"
  WARPFOLD_COMMIT=${WARPFOLD_COMMIT:-$(commit_of_tree)} python3 test/mutate/mutate.py "$@"
}
