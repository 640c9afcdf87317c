"""Compiles the code of one page of documentation, or of the comments of one header.

    python3 code_blocks.py PAGE.md --work DIR --cxx COMMAND [--nvcc COMMAND] [--cmake CMAKE] [--run COMMAND]

COMMAND is a compiler with its options, one string. Fenced blocks of `cpp` go to --cxx, blocks of `cuda` to --nvcc, one
file for each language and page, and blocks of `cmake` are built as projects of their own. Blocks of `c`, `fortran` and
`python` are programs, which are only compiled; test/python/module_test.py runs those of Python. Blocks of `sh` and `text`
are not code, but their lines that call g++ or nvcc are run. Any other language is an error, and so is C++ in a block of `sh` or `text`.

After an HTML comment that says `<!-- code: run -->`, a block of `cpp` is built with --run, on its own, and run. Its output
must be that of the block of `text` that follows it.

A block with `int main` is a program, and one that starts a line with `__global__` declares a kernel. Any other block is the
body of a function, unless an HTML comment before it says `<!-- code: declarations -->`. All blocks may use what docs/tour.md
says at its top. Lines that include headers go to the top.
"""

import argparse
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = re.compile(
    r"<!--\s*(?P<word>code):(?P<text>.*?)-->"
    r"|^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<body>.*?)^ *```[ ]*$", re.S | re.M)
COMPILED = {"cpp", "cuda"}
PROGRAMS = {"c", "fortran", "python"}
NOT_CODE = {"sh", "text"}


def fail(page, line, message):
    sys.exit(f"{page}:{line}: {message}")


def text_of(page):
    """The text of a page, or the documentation comments of a header. Lines keep their numbers."""
    text = page.read_text()
    if page.suffix != ".hpp":
        return text
    lines = [re.match(r" */// ?(.*)", line) for line in text.split("\n")]
    return "\n".join(line[1] if line else "" for line in lines)


def blocks_of(page):
    text = text_of(page)
    fences = len(re.findall(r"^ *```", text, flags=re.M))
    kind, found, program = "", [], None
    for token in TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        if token["word"] == "code":
            kind = token["text"].strip()
            if kind not in ("declarations", "run"):
                fail(page, line, f"unknown kind of code: {kind}")
        else:
            fences -= 2
            language, body = token["language"].strip(), token["body"]
            body = re.sub(rf"^{token['indent']}", "", body, flags=re.M)
            if program and language != "text":
                fail(page, line, "a program that is run is followed by its output, a block of text")
            if kind == "run" and (language != "cpp" or "int main(" not in body):
                fail(page, line, "only a program of cpp is run")
            if kind == "run":
                program = (line + 1, body)
            elif language in COMPILED | PROGRAMS | {"cmake"}:
                found.append((language, line + 1, body, kind))
            elif program:
                found.append(("run", *program, body))
                program = None
            elif language in NOT_CODE:
                if re.search(r"\bwf::|#include", body):
                    fail(page, line, f"C++ in a block of {language}")
            elif not language.startswith("{"):
                fail(page, line, f"a block of {language or 'no language'} is not compiled; name one of cpp, cuda, "
                                 "c, fortran, python, cmake, sh, text")
            kind = ""
    if fences:
        fail(page, 1, "a fence has no end")
    if program:
        fail(page, program[0], "a program that is run is followed by its output, a block of text")
    return found


def source_of(page, blocks):
    includes, parts = [], []
    for number, (_, line, body, kind) in enumerate(blocks, 1):
        includes.extend(re.findall(r"^ *#include[^\n]*", body, flags=re.M))
        body = re.sub(r"^ *#include[^\n]*", "", body, flags=re.M)
        marked = f'#line {line} "{page}"\n{body}'
        if re.search(r"\bint main\(|^__global__ ", body, flags=re.M) or kind == "declarations":
            parts.append(f"namespace block_{number} {{\n{marked}\n}}\n")
        else:
            parts.append(f"namespace block_{number} {{\ninline void statements() {{\n{marked}\n}}\n}}\n")
    own = [f"#include <{page.relative_to(ROOT / 'include')}>"] if page.suffix == ".hpp" else []
    includes = list(dict.fromkeys(["#include <vector>", "#include <warpfold/reduce.hpp>"] + own + [i.strip() for i in includes]))
    return "\n".join(includes) + "\nnamespace wf = warpfold;\n" + "\n".join(parts)


def compile_program(page, language, line, body, work):
    if language == "python":
        try:
            compile("\n" * (line - 1) + body, str(page), "exec")
        except SyntaxError as error:
            fail(page, error.lineno, error.msg)
        return
    source = work / f"{page.stem}_{line}{'.c' if language == 'c' else '.f90'}"
    source.write_text(body)
    if language == "c":
        command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", ROOT / "include", source]
    else:
        command = ["gfortran", "-c", "-J", work, ROOT / "src/compiled/warpfold.f90", source]
        if not shutil.which("gfortran"):
            print(f"{page}:{line}: not compiled, gfortran is missing")
            return
    if subprocess.run(command, cwd=work).returncode:
        fail(page, line, f"the {language} program does not compile ({source})")


def compile_blocks(page, language, blocks, command, work):
    suffix = ".cu" if language == "cuda" else ".cpp"
    source = work / (page.stem + suffix)
    source.write_text(source_of(page, blocks))
    done = subprocess.run(shlex.split(command) + [str(source)], cwd=work)
    if done.returncode:
        sys.exit(f"{page}: the {language} blocks do not compile ({source})")


def needs(block):
    """The needs of the headers that a block of the host includes, also indirectly."""
    todo, seen, found = re.findall(r"#include <(warpfold/[^>]*)>", block[2]), set(), set()
    if block[0] == "run" and "#include <cuda/" in block[2]:
        found.add("cccl")
    while todo:
        header = todo.pop()
        if header in seen or not (ROOT / "include" / header).exists():
            continue
        seen.add(header)
        text = (ROOT / "include" / header).read_text()
        line = re.search(r"^///? needs: ([a-z_ ]+)$", text[:4000], flags=re.M)
        found.update(line[1].split() if line else [])
        todo += re.findall(r"#include <(warpfold/[^>]*)>", text)
    return found


def run_program(page, block, command, libraries, work):
    """Builds a program, runs it, and compares its output."""
    _, line, body, output = block
    source = work / f"{page.stem}_{line}.cpp"
    program = source.with_suffix("")
    source.write_text(f'#line {line} "{page}"\n{body}')
    linked = [libraries[need] for need in sorted(needs(block)) if need in libraries]
    if subprocess.run([*shlex.split(command), str(source), "-o", str(program), *linked], cwd=work).returncode:
        sys.exit(f"{page}:{line}: the program cannot be built ({source})")
    done = subprocess.run([program], cwd=work, capture_output=True, text=True)
    if (done.returncode, done.stdout) != (0, output):
        sys.exit(f"{page}:{line}: the program ends with {done.returncode} and prints\n{done.stdout}{done.stderr}"
                 f"instead of\n{output}")


def run_commands(page, text, blocks, nvcc, work):
    """Runs the lines of `sh` blocks that call g++ or nvcc, with the programs of the page in files."""
    lines = [line.strip() for body in re.findall(r"^ *```sh\n(.*?)^ *```", text, flags=re.S | re.M)
             for line in body.split("\n") if re.match(r"\s*(g\+\+|nvcc) ", line)]
    folder = work / f"{page.stem}_commands"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "warpfold").symlink_to(ROOT)
    for language, name in (("cpp", "sum.cpp"), ("cuda", "sum.cu")):
        for block in blocks:
            if block[0] == language and "int main(" in block[2]:
                (folder / name).write_text(block[2])
                break
    ran = 0
    for line in lines:
        command = shlex.split(line)
        if command[0] == "nvcc":
            if not nvcc:
                continue
            command[0] = shlex.split(nvcc)[0]
        if subprocess.run(command, cwd=folder).returncode:
            sys.exit(f"{page}: this command fails: {line}")
        ran += 1
    return ran


def configure(page, line, body, cmake, work):
    project = work / f"{page.stem}_{line}"
    shutil.rmtree(project, ignore_errors=True)
    project.mkdir()
    (project / "warpfold").symlink_to(ROOT)
    (project / "sum.cpp").write_text("#include <warpfold/reduce.hpp>\nint main() {}\n")
    if "project(" not in body:
        body = f"cmake_minimum_required(VERSION 3.25)\nproject(page CXX)\n{body}"
    if "add_executable(" not in body:
        body = body.replace("target_link_libraries(app", "add_executable(app sum.cpp)\ntarget_link_libraries(app", 1)
    (project / "CMakeLists.txt").write_text(body)
    (project / "sum.f90").write_text("end\n")
    if "COMPONENTS compiled" in body:
        return configure_with_library(page, line, cmake, project, work)
    installed = work / "installed"
    off = [f"-DWARPFOLD_BUILD_{part}=OFF" for part in ("TESTS", "BENCHMARKS", "PROGRAM")]
    if not installed.exists():
        subprocess.run([cmake, "-S", ROOT, "-B", work / "to_install"] + off, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([cmake, "--install", work / "to_install", "--prefix", installed], check=True,
                       stdout=subprocess.DEVNULL)
    build_project(page, line, cmake, project, installed)
    return "1 of cmake builds"


def build_project(page, line, cmake, project, installed):
    for step in ([cmake, "-S", project, "-B", project / "b", f"-DCMAKE_PREFIX_PATH={installed}",
                  f"-DFETCHCONTENT_SOURCE_DIR_WARPFOLD={ROOT}", "--no-warn-unused-cli"], [cmake, "--build", project / "b", "--target", "app"]):
        if subprocess.run(step, stdout=subprocess.DEVNULL).returncode:
            sys.exit(f"{page}:{line}: CMake refuses the block")


def configure_with_library(page, line, cmake, project, work):
    """Uses libwarpfold of the build folder that `work` is in."""
    build = next((folder for folder in work.resolve().parents if (folder / "src/compiled/libwarpfold.so").exists()), None)
    is_fortran = "Fortran" in (project / "CMakeLists.txt").read_text()
    if not build or (is_fortran and not shutil.which("gfortran")):
        return f"1 of cmake LEFT OUT: no {'gfortran' if build else 'libwarpfold'}"
    (project / "sum.cpp").write_text("#include <warpfold.h>\nint main() { return warpfold_size(WARPFOLD_INT8) != 1; }\n")
    installed = work / "installed_library"
    subprocess.run([cmake, "--install", build, "--prefix", installed], check=True, stdout=subprocess.DEVNULL)
    build_project(page, line, cmake, project, installed)
    return "1 of cmake builds"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--nvcc")
    parser.add_argument("--cmake")
    parser.add_argument("--run", help="the compiler of programs that are run")
    parser.add_argument("--link", action="append", default=[], metavar="NEED=FILE",
                        help="a library for programs that need it, with the name of `needs:`")
    parser.add_argument("--lacking", nargs="*", default=[], help="missing libraries, with the names of `needs:`")
    options = parser.parse_args()
    page, work = options.page.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    blocks = blocks_of(page)
    shown = []
    for block in blocks[:]:
        lacks = needs(block) & set(options.lacking)
        if lacks:
            shown.append(f"the block at line {block[1]} LEFT OUT: no {', '.join(sorted(lacks))}")
            blocks.remove(block)
    for language, command in (("cpp", options.cxx), ("cuda", options.nvcc)):
        of_language = [block for block in blocks if block[0] == language]
        if of_language and command:
            compile_blocks(page, language, of_language, command, work)
            shown.append(f"{len(of_language)} of {language} compile")
        elif of_language:
            shown.append(f"{len(of_language)} of {language} LEFT OUT: no nvcc")
    for language, line, body, _ in blocks:
        if language in PROGRAMS:
            compile_program(page, language, line, body, work)
            shown.append(f"1 of {language} compiles")
        elif language == "cmake" and options.cmake:
            shown.append(configure(page, line, body, options.cmake, work))
    programs = [block for block in blocks if block[0] == "run"]
    for block in programs if options.run else []:
        run_program(page, block, options.run, dict(pair.split("=", 1) for pair in options.link), work)
    if programs:
        shown.append(f"{len(programs)} programs {'run' if options.run else 'LEFT OUT: no --run'}")
    ran = run_commands(page, text_of(page), blocks, options.nvcc, work)
    if ran:
        shown.append(f"{ran} commands run")
    print(f"{page.name}: {len(blocks)} blocks of code; {', '.join(shown) or 'nothing to compile'}")


if __name__ == "__main__":
    main()
