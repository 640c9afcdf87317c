#!/bin/sh
# compile_with.sh COMPILER... -- OTHER ARGUMENT...: a CXX_COMPILER_LAUNCHER that runs COMPILER in place of OTHER.
set -eu
count=0
for argument in "$@"; do
  count=$((count + 1))
  [ "$argument" != -- ] || break
done
position=0
for argument in "$@"; do
  shift
  position=$((position + 1))
  [ "$position" -eq "$count" ] || [ "$position" -eq $((count + 1)) ] || set -- "$@" "$argument"
done
exec "$@"
