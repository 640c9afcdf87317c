#!/usr/bin/env python3
"""Checks that the headers declare the names of test/docs/names.txt in namespace warpfold, and no others.

usage: names.py [--list]

What users do not need stands in a namespace inside warpfold, mostly `detail`. Relies on the format of the headers: a
declaration in a namespace begins in the first column, and the end of a namespace has a comment. --list prints each name with its headers.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include/warpfold"
LIST = pathlib.Path(__file__).with_name("names.txt")

TYPE = re.compile(r"(?:struct|class|enum class|enum|union|concept)(?: alignas\([^)]*\))? (\w+)")
ALIAS = re.compile(r"using (\w+) =|using (?:\w*::)+(\w+);")
# The name before the first parenthesis, brace or =, after template arguments.
OTHER = re.compile(r"(\w+)\s*(?:<[^()]*>)?\s*(?:\(|\{|=|;|\[)")
SKIPPED = re.compile(r"template\b|WARPFOLD_ANY_SIDE$|requires\b|namespace\b|static_assert\b|extern\b|friend\b|[A-Z_]+\(|[^A-Za-z_:]|explicit\b")


def declared(text):
    """The names that a header declares in namespace warpfold itself."""
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", text, flags=re.M)
    lines = text.split("\n")
    within = []
    for number, line in enumerate(lines):
        opened = re.match(r"(?:inline )?namespace\b ?([\w:]*) ?\{$", line)
        if opened:
            if lines[number + 2] != "}":  # a namespace of one line has no comment at its end
                within.append(opened[1])
        elif re.match(r"\}  // namespace\b", line):
            within.pop()
        line = re.sub(r"^(?:\[\[\w+\]\] |__attribute__\(\([^)]*\)\) )+", "", line)
        if within != ["warpfold"] or not line or SKIPPED.match(line):
            continue
        statement = line
        for more in lines[number + 1:number + 8]:
            if re.search(r"[;{]\s*$", statement) or not more.startswith(" "):
                break
            statement += " " + more.strip()
        statement = re.sub(r"\b(?:WARPFOLD_\w+|inline|constexpr|constinit|static|\[\[\w+\]\])(?:\([^)]*\))? ", "", statement)
        found = TYPE.match(statement) or ALIAS.match(statement)
        if found:
            yield next(name for name in found.groups() if name)
        elif "operator" not in statement:
            found = OTHER.search(re.sub(r"decltype\((?:auto)\)", "auto", statement))
            yield found[1] if found else statement


def main():
    names = {}
    for header in sorted(HEADERS.rglob("*.hpp")):
        for name in declared(header.read_text(encoding="utf-8")):
            names.setdefault(name, set()).add(str(header.relative_to(HEADERS)))
    if "--list" in sys.argv[1:]:
        for name in sorted(names):
            print(name, *sorted(names[name]))
        return
    listed = {line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}
    for name in sorted(names.keys() - listed):
        print(f"{', '.join(sorted(names[name]))}: {name} stands in namespace warpfold; move it to detail, or add it to {LIST.name}")
    for name in sorted(listed - names.keys()):
        print(f"{LIST.name}: no header declares {name}; delete the line")
    print(f"{len(names)} names in namespace warpfold")
    if names.keys() != listed:
        sys.exit("The names in namespace warpfold differ from the list.")


if __name__ == "__main__":
    main()
