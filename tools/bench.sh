# shellcheck shell=bash
# Measuring: ./dev bench, ./dev report

cmd_bench() {
  if [[ ${1:-} == --host ]]; then bench_host "${@:2}"; return; fi
  if [[ ${1:-} == --compile ]]; then bench_compile "${@:2}"; return; fi
  if [[ ${1:-} == ladder ]]; then bench_ladder "${@:2}"; return; fi
  if [[ ${1:-} == grid ]]; then bench_grid "${@:2}"; return; fi
  setup
  configure bench
  build_tree bench
  local benchmark found=0
  name_results
  while IFS= read -r benchmark; do
    [[ $benchmark != */counters* ]] || continue  # see benchmarks/counters.py
    [[ $benchmark != */grid ]] || continue       # see bench_grid
    found=1
    section "Benchmark: ${benchmark#build/bench/benchmarks/}"
    "$benchmark" "$@"
  done < <(executables build/bench/benchmarks)
  local folder
  if has_gpu; then
    folder=${WARPFOLD_RESULTS:-benchmarks/results}/$WARPFOLD_GPU_FOLDER
    [[ ! -f $folder/layouts.json ]] || python3 benchmarks/layouts_plot.py "$folder/layouts.json" ||
      warn "SKIPPED: the picture of layouts.json"
    [[ ! -f $folder/segments.json ]] || python3 benchmarks/segments_plot.py "$folder/segments.json" ||
      warn "SKIPPED: the picture of segments.json"
    [[ ! -f $folder/keys.json ]] || python3 benchmarks/keys_table.py "$folder/keys.json"
    [[ ! -f $folder/exact.json ]] || python3 benchmarks/report_exact.py "$folder/exact.json"
    for benchmark in groups axis_shapes; do
      [[ -f $folder/$benchmark.json ]] || continue
      ! is_there py:torch || python3 "benchmarks/${benchmark}_torch.py" "$folder" ||
        warn "a call of PyTorch failed or was wrong; $benchmark.md tells which"
      python3 "benchmarks/report_$benchmark.py" "$folder/$benchmark.json"
    done
    [[ ! -f $folder/axis.json ]] || ! is_there py:torch || python3 benchmarks/python_axis.py "$folder"
    [[ ! -f $folder/grid.json ]] || python3 benchmarks/report.py "$folder/grid.json"
  fi
  ((found)) || die "no benchmark was built (see the output of Configure)"
}

# With each compiler and its flags: a compiler vectorizes the peers, and this library's code too. Arguments
# are words of the cases to measure: ./dev bench --host sum f32
bench_host() {
  setup
  local compiler flags name benchmark program
  for compiler in g++ clang++; do
    have "$compiler" || continue
    for flags in '-O2' '-O3 -march=native'; do
      name=gcc_${flags##*[=-]}
      [[ $compiler == g++ ]] || name=clang_${flags##*[=-]}
      for benchmark in host host_exact; do
        section "Benchmark: $benchmark, $compiler $flags"
        program=build/bench/benchmarks/$benchmark
        mkdir -p "${program%/*}"
        # shellcheck disable=SC2086
        "$compiler" -std=c++20 $flags -fopenmp -Wno-unknown-warning-option -Wno-pass-failed -Iinclude \
          -isystem /usr/include/eigen3 "benchmarks/$benchmark.cpp" \
          -o "$program" -ltbb
        [[ $benchmark == host ]] || name=exact_$name
        WARPFOLD_VARIANT=$name WARPFOLD_FLAGS=$flags WARPFOLD_COMMIT=${WARPFOLD_COMMIT:-$(commit_of_tree)} \
          "$program" "$@"
      done
    done
  done
}

# Arguments go to the script: ./dev bench --compile --only view/
bench_compile() {
  setup
  [[ -n ${CUDACXX:-} ]] || die "nvcc is missing, and pip could not install it"
  need_python
  section "Benchmark: compile time and size"
  WARPFOLD_COMMIT=${WARPFOLD_COMMIT:-$(commit_of_tree)} python3 benchmarks/compile.py \
    --nvcc "$CUDACXX" --json "${WARPFOLD_RESULTS:-benchmarks/results}/compile.json" "$@"
}

# Arguments go to the program, after the sizes: ./dev bench ladder --type float32
bench_ladder() {
  need_gpu
  setup
  configure bench
  build_tree bench warpfold_program
  section "Benchmark: the ladder"
  local folder failed=0
  folder=${WARPFOLD_RESULTS:-benchmarks/results}/$(gpu_folder)
  mkdir -p "$folder"
  export WARPFOLD_COMMIT=${WARPFOLD_COMMIT:-$(commit_of_tree)}
  build/bench/warpfold ladder --n 2^22 2^28 --json "$folder/ladder.json" \
    --markdown "$folder/ladder.md" "$@" || failed=1
  if [[ -e $folder/ladder.json ]]; then
    say "wrote $folder/ladder.json and ladder.md"
    python3 benchmarks/ladder_plot.py "$folder/ladder.json" || warn "SKIPPED: the picture of ladder.json"
  fi
  return "$failed"
}

# Sets newest_cccl to the folder of the headers of the newest CUB, from a wheel, or to nothing if pip cannot install it.
fetch_newest_cccl() {
  local version_file=''
  newest_cccl=''
  python_venv "$toolchain/newest_cccl" nvidia-cuda-cccl || return 1
  version_file=$(find "$PWD/$toolchain/newest_cccl" -path '*/cub/version.cuh' -print -quit)
  [[ -n $version_file ]] || { warn "the wheel has no CUB"; return 1; }
  newest_cccl=${version_file%/cub/version.cuh}
}

# Arguments go to the program: ./dev bench grid f32 --op sum
bench_grid() {
  need_gpu
  setup
  fetch_newest_cccl || warn "the grid runs without the newest CUB"
  configure bench -DWARPFOLD_NEWEST_CCCL="$newest_cccl"
  build_tree bench benchmarks.grid
  section "Benchmark: the grid"
  name_results
  local failed=0 folder=${WARPFOLD_RESULTS:-benchmarks/results}/$WARPFOLD_GPU_FOLDER
  build/bench/benchmarks/grid "$@" || failed=1
  if is_there py:torch || is_there py:cupy; then
    section "Benchmark: PyTorch and CuPy"
    python3 benchmarks/python_contenders.py "$folder/python.json" || failed=1
  fi
  python3 benchmarks/report.py "$folder/grid.json"
  return "$failed"
}

cmd_report() {
  local python=python3 file found=0
  python3 -c 'import matplotlib' 2>/dev/null || {
    python_venv build/report/python matplotlib && python=build/report/python/bin/python ||
      warn "matplotlib is missing: the report has no pictures"
  }
  for file in benchmarks/results/*/grid.json; do
    [[ -f $file ]] || continue
    found=1
    "$python" benchmarks/report.py "$file"
  done
  ((found)) || die "no benchmarks/results/<gpu>/grid.json; run ./dev bench grid"
}
