"""Checks that the messages that docs/troubleshooting.md quotes are messages of the headers.

A message is in the first column of a table, in backquotes. In the headers it may be split over several string literals.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    page = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/troubleshooting.md"
    text = ""
    for header in sorted((ROOT / "include").rglob("*.hpp")):
        text += re.sub(r'"\s*\n?\s*"', "", header.read_text())
    quoted = re.findall(r"^\| `([^`]*)` \|", page.read_text(), flags=re.M)
    missing = [message for message in quoted if message not in text]
    for message in missing:
        print(f"{page}: no header has the message: {message}", file=sys.stderr)
    print(f"{len(quoted)} messages, {len(missing)} of them in no header")
    sys.exit(1 if missing or not quoted else 0)


if __name__ == "__main__":
    main()
