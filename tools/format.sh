# shellcheck shell=bash
# Formatting the sources: ./dev format

cmd_format() {
  [[ ${1:-} == --check ]] || setup_format
  local candidate clang_format='' files unformatted
  for candidate in "$toolchain/format/bin/clang-format" clang-format-18 clang-format; do
    if have "$candidate" && [[ $("$candidate" --version) == *"version $clang_format_version"* ]]; then
      clang_format=$candidate
      break
    fi
  done
  if [[ -z $clang_format ]]; then
    warn "SKIPPED: clang-format $clang_format_version is missing; other versions format differently"
    exit 77
  fi
  mapfile -t files < <(find include src test benchmarks -type f \
    \( -name '*.hpp' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.cu' \) | sort)
  if [[ ${1:-} != --check ]]; then
    "$clang_format" -i "${files[@]}"
    return
  fi
  mapfile -t unformatted < <("$clang_format" --dry-run -Werror "${files[@]}" 2>&1 |
    sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error:.*/\1/p' | sort -u)
  ((${#unformatted[@]} == 0)) || die "these files are not formatted (run ./dev format): ${unformatted[*]}"
  say "${#files[@]} files are formatted"
}
