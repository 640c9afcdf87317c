# shellcheck shell=bash
# Installs missing packages: ./dev setup

# The version of the wheels that are installed if nvcc is missing. ptxas before 13.4 drops negations
# (docs/compiler_bugs.md).
cuda_version='13.5.*'
cccl_version='13.0.*'         # newer ones deprecate parts of Thrust that drop_in.hpp uses
disassembler_version=13.5.37
conan_version=2.34.0
clang_format_version=18.1.8   # also a wheel: Debian has other versions, which format differently

# The Debian package, the item that proves it is installed (cmd: a program, hdr: a header, lib: a
# library, rt: a part of clang's run-time library, py: Python modules), and whether every build
# requires it.
needs=(
  'g++                  cmd:g++                required'
  'cmake                cmd:cmake              required'
  'ninja-build          cmd:ninja              required'
  'doctest-dev          hdr:doctest/doctest.h  required'
  'libboost-dev         hdr:boost/hana.hpp     optional'
  'libboost-context-dev lib:libboost_context.so optional'
  'libtbb-dev           hdr:oneapi/tbb.h       optional'
  'libopenmpi-dev       cmd:mpicxx.openmpi     optional'
  'openmpi-bin          cmd:mpirun.openmpi     optional'
  'libmpich-dev         cmd:mpicxx.mpich       optional'
  'mpich                cmd:mpirun.mpich       optional'
  'libbenchmark-dev     hdr:benchmark/benchmark.h optional'
  'libcli11-dev         hdr:CLI/CLI.hpp        optional'
  'libeigen3-dev        hdr:eigen3/Eigen/Core  optional'
  'libpng-dev           hdr:png.h              optional'
  'clang                cmd:clang++            optional'
  'clang-22             cmd:clang++-22         optional'
  'libclang-rt-dev      rt:fuzzer              optional'
  'python3              cmd:python3            optional'
  'python3-venv         py:venv,ensurepip      optional'
  'python3-pip          py:pip                 optional'
  'python3-dev          cmd:python3-config     optional'
  'doxygen              cmd:doxygen            optional'
)
cuda_wheels=(
  "nvidia-cuda-nvcc==$cuda_version" "nvidia-cuda-crt==$cuda_version" "nvidia-nvvm==$cuda_version"
  "nvidia-cuda-runtime==$cuda_version" "nvidia-cuda-nvrtc==$cuda_version"
  "nvidia-cuda-cccl==$cccl_version"
)
# The disassembler that test/compiler/ uses, and a ptxas without the bug.
machine_code_wheels=(
  "nvidia-cuda-nvdisasm==$disassembler_version" "nvidia-cuda-nvcc==$disassembler_version"
)
# What builds and tests the Python module.
python_module_wheels=(scikit-build-core==1.1.2 nanobind==3.1.0 numpy==2.4.6 ninja)

is_there() {
  local what=${1#*:}
  case $1 in
    cmd:*) have "$what" ;;
    hdr:*) have g++ && printf '#include <%s>\n' "$what" | g++ -E -x c++ - >/dev/null 2>&1 ;;
    lib:*) have g++ && [[ $(g++ -print-file-name="$what") == /* ]] ;;
    rt:*) have clang++ && compgen -G "$(clang++ -print-runtime-dir)/libclang_rt.$what*" >/dev/null ;;
    py:*) have python3 && python3 -c "import $what" >/dev/null 2>&1 ;;
  esac
}

# missing_packages [required]: prints the names of missing packages, one per line.
missing_packages() {
  local package shown role
  while read -r package shown role; do
    [[ ${1:-$role} == "$role" ]] || continue
    is_there "$shown" || printf '%s\n' "$package"
  done < <(printf '%s\n' "${needs[@]}")
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

# may_install PACKAGE...: asks before apt-get runs under sudo. Does not ask with CI or --yes.
may_install() {
  local answer=''
  [[ $(id -u) != 0 && -z ${CI:-} && -z $yes ]] || return 0
  if [[ ! -t 0 ]]; then
    warn "not installed, because sudo needs your consent and stdin is not a terminal"
    warn "run './dev setup --yes', or: sudo apt-get install $*"
    return 1
  fi
  read -r -p "    Install them with sudo apt-get? [y/N] " answer || true
  [[ $answer == [yY]* ]] && return
  warn "not installed; install them with: sudo apt-get install $*"
  return 1
}

apt_install() {
  local log=build/setup.log
  mkdir -p build
  have apt-get || { warn "apt-get is missing"; return 1; }
  [[ $(id -u) == 0 ]] || have sudo || { warn "apt-get needs root, and sudo is missing"; return 1; }
  may_install "$@" || return 1
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Acquire::Retries=1)
  say "apt-get update"
  as_root "${apt[@]}" update >"$log" 2>&1 || warn "apt-get update failed (build/setup.log)"
  # One unknown name, such as clang-22 in an older distribution, would stop the others.
  local package known=()
  for package; do
    if ! have apt-cache || apt-cache show "$package" >/dev/null 2>&1; then known+=("$package"); fi
  done
  ((${#known[@]})) || { warn "apt does not know these packages: $*"; return 1; }
  set -- "${known[@]}"
  say "apt-get install $*"
  as_root "${apt[@]}" install --no-install-recommends "$@" >>"$log" 2>&1 && return
  warn "apt-get install failed:"
  tail -n 3 "$log" | sed 's/^/      /'
  return 1
}

# python_venv FOLDER PACKAGE...: makes a virtual environment with these packages, if it does not exist.
python_venv() {
  local folder=$1 log=build/setup.log stamp
  shift
  stamp="$folder/.has $*"
  [[ ! -e $stamp ]] || return 0
  say "pip install $* (into $folder)"
  if ! { python3 -m venv "$folder" && "$folder/bin/pip" install -q --retries 1 "$@"; } \
    >>"$log" 2>&1; then
    warn "pip failed:"
    tail -n 2 "$log" | sed 's/^/      /'
    return 1
  fi
  touch "$stamp"
}

find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc \
    "$PWD/$toolchain/cuda/bin/nvcc"; do
    if [[ -n $candidate && -x $candidate ]]; then printf '%s\n' "$candidate"; return; fi
  done
  return 1
}

# NVIDIA's wheels install the toolkit into one folder. The linker needs two more names in it.
install_cuda_wheels() {
  python_venv "$toolchain/python" "${cuda_wheels[@]}" || return 1
  local root
  root=$(dirname "$(dirname "$(find "$PWD/$toolchain/python" -path '*/bin/nvcc' -type f)")")
  [[ -e $root/lib64 ]] || ln -s lib "$root/lib64"
  [[ -e $root/lib/libcudart.so ]] || ln -s libcudart.so.13 "$root/lib/libcudart.so"
  ln -sfn "$root" "$toolchain/cuda"
}

# Setup has two parts: `setup_packages` for the host code, and `setup_cuda`. Each writes a stamp with
# its inputs and the missing packages, so that the next run is quick. `again` ignores the stamps.

# read_stamp FILE KEY: sets `stamped` to the lines after the key; fails if the stamp has another key.
read_stamp() {
  stamped=()
  [[ -z $again && -e $1 ]] || return 1
  mapfile -t stamped <"$1"
  [[ ${stamped[0]} == "$2" ]] || return 1
  stamped=("${stamped[@]:1}")
}

left_out() {
  [[ -z $1 ]] || warn "missing, and everything that needs it is not built: $1 (./dev setup tries again)"
}

setup_packages() {
  local stamp=$toolchain/packages.stamp key missing=()
  key=$(printf '%s ' "${needs[@]}" | cksum)
  if read_stamp "$stamp" "$key"; then left_out "${stamped[0]}"; return; fi
  section "Setup: looking for missing packages"
  mkdir -p "$toolchain"
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]})); then
    say "missing: ${missing[*]}"
    apt_install "${missing[@]}" || warn "continuing without them"
    hash -r
    mapfile -t missing < <(missing_packages required)
    ((${#missing[@]} == 0)) || die "these packages are required: ${missing[*]}"
    mapfile -t missing < <(missing_packages)
  fi
  left_out "${missing[*]}"
  printf '%s\n' "$key" "${missing[*]}" >"$stamp"
}

# Sets CUDACXX if nvcc is installed or pip can install it.
setup_cuda() {
  local stamp=$toolchain/cuda.stamp key missing=() nvcc=''
  key=$(printf '%s ' "${cuda_wheels[@]}" "${machine_code_wheels[@]}" | cksum)
  if read_stamp "$stamp" "$key" && [[ -z ${stamped[0]} || -x ${stamped[0]} ]]; then
    [[ -z ${stamped[0]} ]] || export CUDACXX=${stamped[0]}
    left_out "${stamped[1]}"
    return
  fi
  section "Setup: looking for the CUDA compiler"
  mkdir -p "$toolchain"
  nvcc=$(find_nvcc) || {
    say "nvcc is missing: installing the CUDA compiler, runtime and CCCL (300 MB unpacked)"
    install_cuda_wheels && nvcc=$(find_nvcc) || missing+=(nvcc)
  }
  [[ -z $nvcc ]] || { export CUDACXX=$nvcc; say "nvcc: $nvcc"; }
  [[ -z $nvcc ]] || python_venv "$toolchain/machine_code" "${machine_code_wheels[@]}" ||
    missing+=(nvdisasm)
  left_out "${missing[*]}"
  printf '%s\n' "$key" "$nvcc" "${missing[*]}" >"$stamp"
}

setup_format() {
  python_venv "$toolchain/format" "clang-format==$clang_format_version" ||
    warn "clang-format $clang_format_version is missing: formatting is not checked"
}

setup_conan() {
  python_venv "$toolchain/conan" "conan==$conan_version" ||
    warn "conan $conan_version is missing: the Conan package is not tested"
}

setup_python_module() {
  python_venv "$toolchain/python_module" "${python_module_wheels[@]}" ||
    warn "scikit-build-core, nanobind or NumPy is missing: the Python module is not tested"
}

setup() {
  setup_packages
  setup_format
  setup_conan
  setup_python_module
  setup_docs
  setup_cuda
}

again=''

cmd_setup() {
  again=yes
  setup
}
