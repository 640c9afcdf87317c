# shellcheck shell=bash
# Runs the program on real data: ./dev demo

# Without a GPU, CUDA code is built only with --cuda.
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
    say "no GPU: CUDA code is not built (--cuda builds it)"
  fi
  configure demo -DWARPFOLD_BUILD_CUDA="$cuda"
  # src/demo/fetch.py fetches real data from Python packages, while the program is built; the program reduces it.
  local fetched=build/demo/fetch.log fetching
  fetch_demo_data >"$fetched" 2>&1 &
  fetching=$!
  build_tree demo warpfold_program
  wait "$fetching" || { cat "$fetched"; die "the demo has no data (see above)"; }
  section "Demo"
  cat "$fetched"
  build/demo/warpfold demo build/demo/data "${rest[@]}"
}

fetch_demo_data() {
  python_venv build/demo/python numpy pillow ||
    { warn "the demo needs NumPy and Pillow, and pip could not install them"; return 1; }
  build/demo/python/bin/python src/demo/fetch.py build/demo/data
}
