# shellcheck shell=bash
# Random tests: ./dev fuzz

# Arguments go to the script: ./dev fuzz --seconds 600
cmd_fuzz() {
  if [[ ${1:-} == --files ]]; then fuzz_files "${@:2}"; return; fi
  need_python
  setup
  name_results
  python3 test/fuzz/fuzz.py "$@"
}

# New inputs stay in the build folder; the next run starts from them.
fuzz_files() {
  local seconds=60
  case ${1:-} in
    --seconds) seconds=${2:?--seconds needs a number} ;;
    --seconds=*) seconds=${1#*=} ;;
    '') ;;
    *) die "fuzz --files: unknown argument $1" ;;
  esac
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "fuzz --files: --seconds is '$seconds'; pass an integer above 0"
  setup
  configure dev
  [[ -d build/dev/test/fuzz ]] || die "clang with libFuzzer is missing; install clang and libclang-rt-dev"
  build_tree dev fuzz_files
  local program name log failed=0 tried coverage
  for program in build/dev/test/fuzz/*.found; do
    program=${program%.found} name=${program##*/} log=$program.log
    [[ -x $program ]] || continue
    section "Fuzz: $name, $seconds seconds"
    "$program" -max_total_time="$seconds" -timeout=20 -max_len=2048 -print_final_stats=1 \
      -dict="test/fuzz/$name.dict" -artifact_prefix="$program-" \
      "$program.found" "test/fuzz/corpus/$name" >"$log" 2>&1 || {
      failed=1
      tail -n 40 "$log"
      warn "$name: FAILED ($log)"
    }
    tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    say "$name: ${tried:-0} inputs, $(find "$program.found" -type f | wc -l) kept, ${coverage:-0} edges covered"
  done
  return "$failed"
}
