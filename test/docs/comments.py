"""Checks the comments of the calls: the functions of the headers directly in include/warpfold.

    python3 comments.py [HEADER.hpp ...]

Each has its parameters, what it returns, its cost or order, its errors, and an example of its own. A comment may refer to
another call for these ("Stream, order, cost and errors: as `reduce`"), but not for the whole: an entry of the reference is read
alone.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = {
    "parameters (@param)": r"@t?param",
    "the result (@return)": r"@return",
    "the cost": r"\b[Cc]ost\b",
    "the errors (@throws)": r"@throws|\b[Ee]rrors?\b|\b[Tt]hrows\b",
    "an example": r"^```(cpp|cuda)$",
}
VAGUE = r"^(Like |Likewise|The same\b)|[Oo]therwise like"


def entries(text):
    """(line, comment, declaration) of each documented entry outside of namespace detail."""
    lines, at, hidden = text.split("\n"), 0, False
    while at < len(lines):
        line = lines[at]
        if re.match(r"namespace detail \{", line):
            hidden = True
        elif re.match(r"\}  // namespace detail", line):
            hidden = False
        if not line.startswith("///") or "@file" in line:
            at += 1
            if "@file" in line:
                while lines[at].startswith("///"):
                    at += 1
            continue
        begin = at
        while lines[at].startswith("///"):
            at += 1
        comment = "\n".join(entry[4:] for entry in lines[begin:at])
        end = at
        while not re.search(r"[{;]$|\}$", lines[end]):
            end += 1
        if not hidden:
            yield begin + 1, comment, "\n".join(lines[at:end + 1])


def name_of(declaration):
    """The name of a function, or None for a type, a variable or a macro."""
    head = re.sub(r"^template <.*?>\n", "", declaration, flags=re.S)
    head = re.sub(r"^ +requires.*?\n(?=\S)", "", head, flags=re.S)
    if re.match(r"(struct|class|enum|using|concept|inline constexpr|constexpr \w+ \w+ =|#define|namespace)\b", head):
        return None
    name = re.search(r"(operator\S+|\b\w+)\(", head)
    return name[1] if name else None


def torn_items(text):
    """The lines of list items in comments that a formatter has moved out of their item."""
    is_item = False
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"\s*/// ?(.*)$", line)
        words = comment.group(1) if comment else ""
        if words.startswith("- "):
            is_item = True
        elif not words or words.startswith("```"):
            is_item = False
        elif is_item and not re.match(r"  |@|[A-Z]", words):
            yield number


def main():
    headers = [pathlib.Path(name) for name in sys.argv[1:]] or sorted((ROOT / "include/warpfold").glob("*.hpp"))
    checked, wrong = 0, []
    for header in headers:
        for line, comment, declaration in entries(header.read_text()):
            name = name_of(declaration)
            if name is None:
                continue
            checked += 1
            lacking = [part for part, pattern in PARTS.items() if not re.search(pattern, comment, flags=re.M)]
            if re.search(r"\bvoid [\w:]+\(", declaration):
                lacking = [part for part in lacking if not part.startswith("the result")]
            if re.search(VAGUE, comment):
                lacking.append("words of its own, instead of \"like\" another")
            if lacking:
                wrong.append(f"{header}:{line}: the comment of {name} lacks " + "; ".join(lacking))
    for folder in ("include", "test"):
        for header in sorted((ROOT / folder).rglob("*.hpp")):
            wrong += [f"{header}:{n}: this line belongs to the item above; indent it by two spaces"
                      for n in torn_items(header.read_text())]
    if wrong:
        sys.exit("\n".join(wrong))
    if not checked:
        sys.exit("no functions found")
    print(f"{checked} functions have parameters, result, cost, errors and an example")


if __name__ == "__main__":
    main()
