# shellcheck shell=bash
# Functions that all commands use. ./dev reads all files of this folder; each command COMMAND is a function cmd_COMMAND.

toolchain=build/toolchain  # the folder that setup installs into
jobs=$(nproc)

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' yellow=$'\e[33m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' yellow='' red='' plain=''
fi

section() { printf '%s\n' "${bold}==> $*${plain}"; }
say() { printf '    %s\n' "$*"; }
warn() { printf '%s\n' "${yellow}    $*${plain}"; }
die() { printf '%s\n' "${red}error: $*${plain}" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
has_gpu() { nvidia-smi -L >/dev/null 2>&1; }
need_gpu() { has_gpu || die "nvidia-smi finds no GPU"; }
need_python() { have python3 || die "python3 is missing"; }

# Exports the commit that the benchmarks write into their records, and the folder of the records.
name_results() {
  export WARPFOLD_COMMIT=${WARPFOLD_COMMIT:-$(commit_of_tree)}
  if has_gpu; then
    WARPFOLD_GPU_FOLDER=$(gpu_folder)
    export WARPFOLD_GPU_FOLDER
  fi
}

# The name of the GPU's folder in benchmarks/results: h100, rtx-3050. test/tools/gpu_report.py uses the same names.
gpu_folder() {
  local name
  name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
  if [[ " $name " =~ [^A-Za-z0-9]([HAB][0-9]{2,3}|L[0-9]{1,2}S?)[^A-Za-z0-9] ]]; then
    name=${BASH_REMATCH[1]}
  fi
  sed 's/[^A-Za-z0-9]\+/-/g; s/^-//; s/-$//' <<<"${name,,}"
}

# The commit of the working tree. A copy of a working tree has it in .git-trees (see cmd_gpu).
commit_of_tree() {
  local commit=''
  if [[ -f .git-trees ]]; then
    commit=$(sed -n 's/^commit //p' .git-trees)
  elif commit=$(git rev-parse HEAD 2>/dev/null); then
    git diff --quiet HEAD -- include benchmarks 2>/dev/null || commit+=-dirty
  fi
  printf '%s' "${commit:-unknown}"
}

executables() {
  find "$1" -type f -executable -not -path '*/CMakeFiles/*' -not -name '*.so' 2>/dev/null | sort
}
