#!/usr/bin/env bash
# compile_with.sh COMPILER... -- OTHER ARGUMENT...: a CXX_COMPILER_LAUNCHER that runs COMPILER in place of OTHER.
set -eu
compiler=()
while [[ $1 != -- ]]; do
  compiler+=("$1")
  shift
done
exec "${compiler[@]}" "${@:3}"
