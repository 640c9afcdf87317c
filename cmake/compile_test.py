"""Checks that a file compiles, or that each case of a file does not compile, and why.

    compile_test.py [--alone] FILE -- COMPILER ARGUMENTS...

warpfold_compile_test.cmake lists the comments that say what is expected. A file whose name does not end in _cases is one case, compiled
alone. In the others, a case is a `// expect: REGEX` line, perhaps lines `// errors: N` and `// lines: N`, and a namespace behind them. It passes if it has
errors, at most N (default: 1), and the compiler's output about them matches REGEX and is not longer than the lines allowed. What is in
front of the first case belongs to all.

One run of GCC or nvcc compiles all cases: an error belongs to the case whose lines its trace names, or else whose namespace it names. A
compiler reports an error once for all calls of one function, so a case that does not pass there is compiled alone, and that decides.
With --alone, or if an error belongs to no case, each case is compiled alone. A line `// alone` in front of the cases saves the run that
would end so.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

STARTS = re.compile(r"In file included from |.*: (In|At) .*:$|.*: +(required|recursively) |^ +from ")  # a trace of GCC
ERROR = re.compile(r"error(?::| #)")


class Case:
    def __init__(self, first, lines):
        self.first, self.lines = first, lines  # the number of its first line in the file, from 1
        text = "\n".join(lines)
        name = re.search(r"^namespace (\w+) \{$", text, flags=re.M)
        self.name = name[1] if name else None
        # The dot also matches the end of a line.
        self.expected = re.compile(re.search(r"^// expect: (.+)$", text, flags=re.M)[1], flags=re.S)
        errors = re.search(r"^// errors: (\d+)$", text, flags=re.M)
        self.allowed = int(errors[1]) if errors else 1
        printed = re.search(r"^// lines: (\d+)$", text, flags=re.M)
        self.allowed_lines = int(printed[1]) if printed else None

    def holds(self, line):
        return self.first <= line < self.first + len(self.lines)

    def fault(self, output, errors):
        """What is wrong with the output, or None."""
        if not errors:
            return "it compiles; it must not"
        if not self.expected.search(output):
            return f"the output does not match: {self.expected.pattern}"
        if errors > self.allowed:
            return f"the compiler printed {errors} errors; {self.allowed} allowed"
        if self.allowed_lines is not None and len(output.splitlines()) > self.allowed_lines:
            return f"the compiler printed {len(output.splitlines())} lines; {self.allowed_lines} allowed"
        return None


def parse(path):
    """The lines in front of the first case, and the cases."""
    lines = path.read_text().splitlines()
    prologue, cases, begin, end = None, [], None, None
    for number, line in enumerate(lines, 1):
        if begin is None:
            if line.startswith("// expect: "):
                if prologue is None:
                    prologue = lines[:number - 1]
                begin = number
            elif prologue is not None and line and not line.startswith("//"):
                sys.exit(f"{path}:{number}: this line is in no case")
        elif end is None:
            opened = re.fullmatch(r"namespace (\w+) \{", line)
            end = f"}}  // namespace {opened[1]}" if opened else None
        elif line == end:
            cases.append(Case(begin, lines[begin - 1:number]))
            begin, end = None, None
    if begin is not None:
        sys.exit(f"{path}:{begin}: this case does not end")
    if not cases:
        sys.exit(f"{path}: no case")
    return prologue, cases


def blocks_of_gcc(path, output):
    """For each error: its text with its trace and its notes, the lines of the file that its trace names, and whether it has a trace of
    its own. GCC prints a trace once for consecutive errors that have it."""
    place = re.compile(re.escape(str(path)) + r":(\d+)")

    def named(block):
        end = next(i for i, line in enumerate(block) if ERROR.search(line))
        return "\n".join(block), [int(n) for line in block[:end + 1] for n in place.findall(line)], end > 0

    block, has_error = [], False
    for line in output.splitlines():
        if has_error and (STARTS.match(line) or ERROR.search(line)):
            yield named(block)
            block, has_error = [], False
        block.append(line)
        has_error = has_error or bool(ERROR.search(line))
    if has_error:
        yield named(block)


def blocks_of_nvcc(path, output):
    """The same. nvcc prints the trace behind the error, and a file only where it changes."""
    blocks = []
    for line in output.splitlines():
        if re.search(r"(error|warning)(:| #)", line):
            blocks.append([])
        if blocks and not re.match(r"\d+ errors? detected", line):
            blocks[-1].append(line)
    for block in blocks:
        if not ERROR.search(block[0]):
            continue  # a warning
        file, numbers = None, []
        for line in block:
            place = re.match(r"(?P<file>.+)\((?P<n>\d+)\): error", line) or re.search(r"at line (?P<n>\d+)(?: of (?P<file>\S+))?$", line)
            if not place:
                continue
            file = place["file"].strip('"') if place["file"] else file
            if file == str(path):
                numbers.append(int(place["n"]))
        yield "\n".join(block), numbers, True


def case_of(cases, numbers, text):
    """The one case that an error names, or None."""
    named = {case for case in cases if any(case.holds(n) for n in numbers)}
    if not named:
        named = {case for case in cases if re.search(rf"(?<!\w){case.name}::", text)}
    return named.pop() if len(named) == 1 else None


def by_case(blocks, cases):
    """The errors of each case, and whether an error belongs to none."""
    found, strays, last = {case: [] for case in cases}, False, None
    for text, numbers, has_trace in blocks:
        named = case_of(cases, numbers, text)
        if named or has_trace:
            last = named
        if last is None:
            strays = True
        else:
            found[last].append(text)
    return found, strays


def compile_text(command, path, text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / path.name
        source.write_text(text)
        done = subprocess.run([*command, str(source)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def fault_of_file(path, command):
    """What is wrong with a file that is one case, or None."""
    done = subprocess.run([*command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout)
    text = path.read_text()
    if not re.search(r"^// expect: ok$", text, flags=re.M):
        return Case(1, text.splitlines()).fault(done.stdout, max(1, len(ERROR.findall(done.stdout))) if done.returncode else 0)
    if done.returncode:
        return "it does not compile; it must"
    wanted = re.search(r"^// generates: (.+)$", text, flags=re.M)
    if wanted and not re.search(wanted[1], pathlib.Path(command[command.index("-o") + 1]).read_text()):
        return f"the PTX does not match: {wanted[1]}"
    return None


def main():
    dashes = sys.argv.index("--")
    own, command = sys.argv[1:dashes], sys.argv[dashes + 1:]
    path = pathlib.Path(own[-1])
    if not path.stem.endswith("_cases"):
        sys.exit(fault_of_file(path, command))
    prologue, cases = parse(path)
    head = f'#line 1 "{path}"\n' + "\n".join(prologue) + "\n"

    def fault_alone(case):
        rc, output = compile_text(command, path, head + f'#line {case.first} "{path}"\n' + "\n".join(case.lines) + "\n")
        why = case.fault(output, len(ERROR.findall(output)) if rc else 0)
        return why and f"{output}\n{path}: {case.name}: {why}"

    alone = cases
    if "--alone" not in own and "// alone" not in prologue:
        _, output = compile_text(command, path, f'#line 1 "{path}"\n' + path.read_text())
        blocks_of = blocks_of_nvcc if path.suffix == ".cu" else blocks_of_gcc
        found, strays = by_case(blocks_of(path, output), cases)
        if not strays:
            alone = [case for case in cases if case.fault("\n".join(found[case]), len(found[case]))]
    faults = [fault for fault in map(fault_alone, alone) if fault]
    print("\n".join(faults))
    if faults:
        sys.exit(f"{len(faults)} of {len(cases)} cases fail")
    print(f"{len(cases)} cases do not compile, as expected; {len(alone)} of them were compiled alone")


if __name__ == "__main__":
    main()
