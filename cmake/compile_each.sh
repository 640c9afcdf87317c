#!/bin/sh
# compile_each.sh COMPILER ARGUMENTS...: a compiler launcher. The source is a group of files, one `#include "FILE"` a line; the compiler
# compiles each of these files alone, in place of the source. The depfile has the dependencies of all.
set -e
for argument; do
  case $previous in -MF) depfile=$argument ;; esac
  case $argument in */group_*.cpp | */group_*.cu) group=$argument ;; esac
  previous=$argument
done
files=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$group")
: >"$depfile.all"
for file in $files; do
  # Replaces the group by the file in the arguments.
  for argument; do
    shift
    [ "$argument" != "$group" ] || argument=$file
    set -- "$@" "$argument"
  done
  group=$file
  "$@"
  cat "$depfile" >>"$depfile.all"
done
mv "$depfile.all" "$depfile"
