#!/bin/sh
# front_end_of_nvcc.sh NVCC ARGUMENT...: a CUDA_COMPILER_LAUNCHER that stops at the intermediate code of link-time optimization, where
# the arguments ask for PTX. A generated PTX file of tests has 260 MB, and half of the time goes into it.
set -eu
for argument in "$@"; do
  shift
  case $argument in
    -ptx) set -- "$@" -ltoir -dlto ;;
    --generate-code=arch=compute_*)
      architecture=${argument#*compute_}
      set -- "$@" "-arch=lto_${architecture%%,*}"
      ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec "$@"
