"""Checks that each case of a file does not compile, and why.

    compile_cases_test.py [--alone] FILE -- COMPILER ARGUMENTS...

A case is a `// expect: REGEX` line, perhaps lines `// errors: N` and `// lines: N`, and a namespace behind them. It passes if it has
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
        self.name = re.search(r"^namespace (\w+) \{$", text, flags=re.M)[1]
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


def blocks_of(output):
    """The output as lists of lines, one for each error with its trace and its notes."""
    block, has_error = [], False
    for line in output.splitlines():
        if has_error and (STARTS.match(line) or ERROR.search(line)):
            yield block
            block, has_error = [], False
        block.append(line)
        has_error = has_error or bool(ERROR.search(line))
    if has_error:
        yield block


def case_of(cases, numbers, block):
    """The one case that an error names, or None."""
    named = {case for case in cases if any(case.holds(n) for n in numbers)}
    if not named:
        text = "\n".join(block)
        named = {case for case in cases if re.search(rf"(?<!\w){case.name}::", text)}
    return named.pop() if len(named) == 1 else None


def by_trace_of_gcc(path, output, cases):
    """The errors of each case, and whether an error belongs to none. GCC prints a trace once for consecutive errors that have it."""
    found, strays, last = {case: [] for case in cases}, False, None
    place = re.compile(re.escape(str(path)) + r":(\d+)")
    for block in blocks_of(output):
        end = next(i for i, line in enumerate(block) if ERROR.search(line))
        numbers = [int(n) for line in block[:end + 1] for n in place.findall(line)]
        named = case_of(cases, numbers, block)
        if named or end > 0:
            last = named
        if last is None:
            strays = True
        else:
            found[last].append("\n".join(block))
    return found, strays


def by_trace_of_nvcc(path, output, cases):
    """The same. nvcc prints the trace behind the error, and a file only where it changes."""
    found, strays = {case: [] for case in cases}, False
    blocks = []
    for line in output.splitlines():
        if ERROR.search(line):
            blocks.append([])
        if blocks and not re.match(r"\d+ errors? detected", line):
            blocks[-1].append(line)
    for block in blocks:
        file, numbers = None, []
        for line in block:
            place = re.match(r"(.+)\((\d+)\): error", line) or re.search(r"at line (?P<n>\d+)(?: of (?P<file>\S+))?$", line)
            if not place:
                continue
            at, number = (place["file"], place["n"]) if "file" in place.groupdict() else (place[1], place[2])
            file = at.strip('"') if at else file
            if file == str(path):
                numbers.append(int(number))
        named = case_of(cases, numbers, block)
        if named is None:
            strays = True
        else:
            found[named].append("\n".join(block))
    return found, strays


def compile_text(command, path, text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / path.name
        source.write_text(text)
        done = subprocess.run([*command, str(source)], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    dashes = sys.argv.index("--")
    own, command = sys.argv[1:dashes], sys.argv[dashes + 1:]
    path = pathlib.Path(own[-1])
    prologue, cases = parse(path)
    head = f'#line 1 "{path}"\n' + "\n".join(prologue) + "\n"

    def fault_alone(case):
        rc, output = compile_text(command, path, head + f'#line {case.first} "{path}"\n' + "\n".join(case.lines) + "\n")
        why = case.fault(output, len(ERROR.findall(output)) if rc else 0)
        return why and f"{output}\n{path}: {case.name}: {why}"

    alone = cases
    if "--alone" not in own and "// alone" not in prologue:
        _, output = compile_text(command, path, f'#line 1 "{path}"\n' + path.read_text())
        by_trace = by_trace_of_nvcc if path.suffix == ".cu" else by_trace_of_gcc
        found, strays = by_trace(path, output, cases)
        if not strays:
            alone = [case for case in cases if case.fault("\n".join(found[case]), len(found[case]))]
    faults = [fault for fault in map(fault_alone, alone) if fault]
    print("\n".join(faults))
    if faults:
        sys.exit(f"{len(faults)} of {len(cases)} cases fail")
    print(f"{len(cases)} cases do not compile, as expected; {len(alone)} of them were compiled alone")


if __name__ == "__main__":
    main()
