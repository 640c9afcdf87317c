"""Checks that docs/troubleshooting.md has every message of the headers, and no other.

    python3 docs/site/messages.py [--list] [PAGE]

A message of a header is the text of an #error, an expression that begins with "warpfold: " in quotes or, in a `throw_error`,
appends to `what`; in the files of WITHOUT_NAME also the text of a call of `fail`, `report` or `message`. Values between its string literals read
as "…". A message of the page is in the first column of a table, in backquotes. It may be a part of a message of a
header, and covers every message that contains it. --list prints the messages of the headers.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Files whose functions add "warpfold: " and the place of the error.
WITHOUT_NAME = re.compile(r"emulation/|tuning(_text)?\.hpp$")
VALUE = "…"
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
FEWEST_LETTERS = 6  # of a message; an expression with fewer consists of values


def without_comments(text):
    return re.sub(rf"({LITERAL})|//[^\n]*|/\*.*?\*/", lambda m: m[1] or " ", text, flags=re.S)


def pieces(text, start):
    """The pieces of the expression that begins at `start`, split at commas and <<, up to the end of the call."""
    found, begin, depth, i = [], start, 0, start
    while i < len(text):
        literal = re.compile(LITERAL).match(text, i)
        if literal:
            i = literal.end()
            continue
        c = text[i]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if depth < 0 or c == ";":
            break
        if depth == 0 and (c == "," or text.startswith("<<", i)):
            found.append(text[begin:i])
            i += 1 if c == "," else 2
            begin = i
            continue
        i += 1
    return [piece.strip() for piece in [*found, text[begin:i]]]


def literals(piece):
    return [re.sub(r"\\(.)", r"\1", quoted[1:-1]) for quoted in re.findall(LITERAL, piece)]


def joined(parts):
    """The text of a message: its literals, and VALUE for each run of other pieces."""
    text = ""
    for part in parts:
        if re.fullmatch(rf"{LITERAL}(?:\s*{LITERAL}|\s*\b\w+)*\s*", part):  # words are parameters of a macro
            for literal, word in re.findall(rf"({LITERAL})|(\w+)", part):
                text += "".join(literals(literal)) if literal else VALUE
        elif not text.endswith(VALUE):
            text += VALUE
    return text


def messages_of(text, with_name):
    """The messages of a header's text. One that is chosen by a condition counts once for each choice."""
    text = without_comments(text.replace("\\\n", "\n"))  # macros
    for found in re.finditer(rf"^#error\s+({LITERAL})", text, flags=re.M):
        yield from literals(found[1])
    for found in re.finditer(r'"warpfold: ', text):
        yield joined(pieces(text, found.start()))
    for found in re.finditer(r"\bthrow_error<\w+>\(\s*what\s*<<", text):
        yield joined(pieces(text, found.end()))
    if with_name:
        return
    for found in re.finditer(r"\b(?:fail|report|message)(?: \w+)?\(", text):
        parts = pieces(text, found.end())
        one = joined(parts)
        if has_words(one):
            yield one
        else:
            for part in parts:
                if "?" in re.sub(LITERAL, "", part) and "message(" not in part:
                    yield from literals(part)


def has_words(message):
    return len(re.sub(r"[^A-Za-z]", "", message.removeprefix("warpfold: "))) >= FEWEST_LETTERS


def messages_of_headers():
    """{message: header}"""
    found = {}
    for header in sorted((ROOT / "include").rglob("*.hpp")):
        name = str(header.relative_to(ROOT / "include/warpfold"))
        for message in messages_of(header.read_text(), not WITHOUT_NAME.search(name)):
            if has_words(message):
                found.setdefault(message, name)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="?", type=pathlib.Path, default=ROOT / "docs/troubleshooting.md")
    parser.add_argument("--list", action="store_true", help="print the messages of the headers")
    options = parser.parse_args()
    messages = messages_of_headers()
    if options.list:
        for message, header in messages.items():
            print(f"{header}: {message}")
        return
    quoted = re.findall(r"^\| `([^`]*)` \|", options.page.read_text(), flags=re.M)
    unknown = [quote for quote in quoted if not any(quote in message for message in messages)]
    missing = [message for message in messages if not any(quote in message for quote in quoted)]
    for quote in unknown:
        print(f"{options.page}: no header has the message: {quote}", file=sys.stderr)
    for message in missing:
        print(f"{options.page}: a message of {messages[message]} is missing: {message}", file=sys.stderr)
    print(f"{len(quoted)} messages on the page, {len(unknown)} of them in no header; "
          f"{len(messages)} messages in the headers, {len(missing)} of them not on the page")
    sys.exit(1 if unknown or missing or not quoted else 0)


if __name__ == "__main__":
    main()
