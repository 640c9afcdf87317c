# shellcheck shell=bash
# Building and testing: ./dev build, ./dev test

# configure PRESET [CMAKE ARGUMENTS]
configure() {
  local preset=$1 log=build/configure.log arguments=() cached
  shift
  section "Configure: preset $preset"
  if have ccache; then
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
  fi
  # Configures from scratch if the CUDA compiler has changed.
  cached=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "build/$preset/CMakeCache.txt" 2>/dev/null) ||
    true
  [[ ${cached%*NOTFOUND} == "${CUDACXX:-}" ]] || arguments+=(--fresh)
  if ! cmake --preset "$preset" "${arguments[@]}" "$@" >"$log" 2>&1; then
    cat "$log"
    die "CMake could not configure the preset $preset"
  fi
  sed -n 's/^-- warpfold: /    /p' "$log"
}

# build_tree PRESET [TARGET...]
build_tree() {
  local preset=$1
  shift
  section "Build: build/$preset, $jobs jobs"
  cmake --build --preset "$preset" --parallel "$jobs" ${@:+--target "$@"}
}

# Reads --preset NAME into `preset`, and the other arguments into `rest`.
parse_preset() {
  preset=dev
  [[ -z ${CI:-} ]] || preset=ci
  rest=()
  while (($#)); do
    case $1 in
      --preset) preset=${2:?--preset needs a name}; shift 2 ;;
      --preset=*) preset=${1#*=}; shift ;;
      *) rest+=("$1"); shift ;;
    esac
  done
}

cmd_build() {
  parse_preset "$@"
  setup
  configure "$preset"
  build_tree "$preset" "${rest[@]}"
}

# Arguments after the options go to ctest: ./dev test -R view
cmd_test() {
  parse_preset "$@"
  setup
  configure "$preset"
  build_tree "$preset"
  section "Test"
  ctest --preset "$preset" --no-tests=error --output-on-failure --parallel "$jobs" "${rest[@]}"
}
