# shellcheck shell=bash
# The program on real data: ./dev demo

# Without a GPU there is nothing that CUDA code could run on, so it is not built unless --cuda asks for it.
# Arguments after the options go to the program: ./dev demo --repeat 10
cmd_demo() {
  local cuda=OFF rest=()
  ! has_gpu || cuda=ON
  while (($#)); do
    case $1 in
      --cuda) cuda=ON ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
  setup_packages
  if [[ $cuda == ON ]]; then
    setup_cuda
  else
    unset CUDACXX
    say "no GPU here: CUDA code is not built (--cuda builds it)"
  fi
  configure demo -DWARPFOLD_BUILD_CUDA="$cuda"
  build_tree demo warpfold_program
  section "Demo"
  # src/demo/fetch.py brings real data that comes with packages; the program reduces it.
  python_venv build/demo/python numpy pillow ||
    die "the demo's data is made with NumPy and Pillow, and pip could not fetch them"
  build/demo/python/bin/python src/demo/fetch.py build/demo/data
  build/demo/warpfold demo build/demo/data "${rest[@]}"
}
