# shellcheck shell=bash
# Runs the tests on a GPU, also under compute-sanitizer: ./dev gpu

# In a copy of the working tree, the file .git-trees holds the hashes that the record names: one line
# each of `commit HASH`, `include HASH` and `test HASH`. It takes precedence over .git.
cmd_gpu() {
  need_gpu
  local only=''
  case ${1:-} in
    --only) only=${2:?--only needs a regular expression} ;;
    --only=*) only=${1#*=} ;;
    '') ;;
    *) die "gpu: unknown argument $1" ;;
  esac
  local preset=ci tree=build/ci out=build/ci/gpu
  setup
  configure "$preset" -DCMAKE_CUDA_ARCHITECTURES=native
  build_tree "$preset" gpu_tests
  rm -rf "$out"
  mkdir -p "$out"

  section "GPU tests"
  local failed=0
  ctest --test-dir "$tree" --label-regex gpu --tests-regex "${only:-.}" --no-tests=error \
    --output-on-failure --test-output-size-passed 1000000 --output-junit "$PWD/$out/tests.xml" ||
    failed=1

  section "GPU tests under compute-sanitizer, without the cases named [large] or [trap]"
  sanitize_all "$tree" "$out" || failed=1

  python3 test/tools/gpu_report.py "$out" ${only:+--no-json} || failed=1
  return "$failed"
}

# sanitize_all TREE OUT: runs each test of OUT/tests.xml under each tool. Several run at a time, because a tool's start is host
# work; the longest tests come first. The tests named *_alone fill the GPU's memory, so they run one by one at the end. The exit
# code and the output of each are OUT/<tool>/<test>.rc and .log.
sanitize_all() {
  have compute-sanitizer || { warn "compute-sanitizer is missing"; return 1; }
  local names
  names=$(sed -n 's/.*<testcase name="\([^"]*\)".* time="\([^"]*\)".*/\2 \1/p' "$2/tests.xml" | sort -rn | cut -d' ' -f2)
  sanitize_each $((jobs < 16 ? 4 : jobs)) "$1/test" "$2" <<<"$(grep -v '_alone$' <<<"$names")"
  sanitize_each 1 "$1/test" "$2" <<<"$(grep '_alone$' <<<"$names")"
}

# sanitize_each AT_ONCE FOLDER OUT: runs the tests named on stdin under each tool.
sanitize_each() {
  local name tool
  while IFS= read -r name; do
    [[ -n $name ]] || continue
    for tool in memcheck racecheck initcheck synccheck; do
      printf '%s\0' "$2" "$name" "$tool" "$3"
    done
  done | xargs -0 -r -n 4 -P "$1" ./dev _sanitize_one
}

cmd__sanitize_one() {
  local folder=$1 name=$2 tool=$3 log="$4/$3/$2.log" rc=0 start=$SECONDS
  mkdir -p "$(dirname "$log")"
  local options=()
  # The tests provoke API errors, such as out of memory. These are not errors of memory accesses.
  [[ $tool == memcheck ]] && options=(--report-api-errors no)
  local program=$folder/${name}_test
  [[ -x $program ]] || program=$folder/$name  # an example
  compute-sanitizer --tool "$tool" "${options[@]}" --error-exitcode 9 "$program" \
    --test-case-exclude='*[large]*,*[trap]*' >"$log" 2>&1 || rc=$?
  printf '%s\n' "$rc" >"${log%.log}.rc"
  printf '    %-10s %-40s %3d s  exit %s\n' "$tool" "$name" $((SECONDS - start)) "$rc"
  [[ $rc != 9 ]] || grep -m 12 '^=========' "$log" | sed 's/^/        /'
}
