#!/usr/bin/env python3
"""Compiles and runs no_exceptions.cpp with -fno-exceptions and -fno-rtti.

usage: no_exceptions_test.py INCLUDE COMPILER... -- FLAGS...

- Calls have their results. nvcc only compiles them.
- A faulty call writes its message to the standard error output and ends the program with SIGABRT.
- Each header that needs exceptions gets one message of the library, from GCC and Clang.
"""

import os
import signal
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_exceptions.cpp")
# Each includes core/needs_exceptions.hpp first, perhaps by way of another header.
NEED_EXCEPTIONS = ("policy/across.hpp", "policy/across_groups.hpp", "policy/cub.hpp", "policy/emulated.hpp", "drop_in/cub.hpp",
                   "drop_in/cub_call.hpp", "drop_in/cub_by_key.hpp", "drop_in/cub_segments.hpp",
                   "runtime/mailbox_set.hpp", "runtime/ipc_mailboxes.hpp", "sharded.hpp")
FLAGS = ["-std=c++20", "-fno-exceptions", "-fno-rtti"]


def failed(what, run):
    print(f"{what}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return False


def check_nvcc(compiler, include, flags, folder):
    build = subprocess.run([compiler, "-std=c++20", "-Xcompiler", "-fno-exceptions,-fno-rtti", "-x", "cu", "-c", "-I", include,
                            SOURCE, "-o", os.path.join(folder, "object")], capture_output=True, text=True)
    print(f"{compiler}: {'failed' if build.returncode else 'passed'}")
    return build.returncode == 0 or failed(f"{compiler}: no_exceptions.cpp", build)


def check(compiler, include, flags, folder):
    """True if one compiler's program does what it must."""
    if os.path.basename(compiler) == "nvcc":
        return check_nvcc(compiler, include, flags, folder)
    program = os.path.join(folder, "program")
    build = subprocess.run([compiler, *FLAGS, "-I", include, SOURCE, "-o", program, *flags], capture_output=True, text=True)
    if build.returncode != 0:
        return failed(f"{compiler}: no_exceptions.cpp", build)
    passed = True
    right = subprocess.run([program], capture_output=True, text=True)
    if right.returncode != 0 or right.stdout != "500 0.5\n" or right.stderr:
        passed = failed("right calls", right)
    wrong = subprocess.run([program, "faulty"], capture_output=True, text=True)
    message = "warpfold: the output has 9 elements, but there are 10 segments; pass an output with one element for each segment\n"
    if wrong.returncode != -signal.SIGABRT or wrong.stderr != message:
        passed = failed("faulty call", wrong)
    for header in NEED_EXCEPTIONS:
        source = os.path.join(folder, "header.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"#include <warpfold/{header}>\n")
        refused = subprocess.run([compiler, "-std=c++20", "-fno-exceptions", "-I", include, "-fsyntax-only", source, *flags],
                                 capture_output=True, text=True)
        errors = refused.stderr.count("error: ")
        if refused.returncode == 0 or "need exceptions" not in refused.stderr or errors != 2:  # #error, and the missing file
            passed = failed(f"{compiler}: {header}, {errors} errors", refused)
    print(f"{compiler}: {'passed' if passed else 'failed'}")
    return passed


def main():
    split = sys.argv.index("--")
    include, *compilers = sys.argv[1:split]
    with tempfile.TemporaryDirectory() as folder:
        passed = [check(compiler, include, sys.argv[split + 1:], folder) for compiler in compilers]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
