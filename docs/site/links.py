"""Checks the links of README.md, CONTRIBUTING.md, CHANGELOG.md, docs/ and the records of benchmarks: their files and
headings must exist. Does not follow links to other sites.

    python3 docs/site/links.py [FILE...]
"""

import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(<?([^()\s>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\)")


def without_code(text):
    text = re.sub(r"^ *(`{3,}|~{3,}).*?^ *\1`*\s*?$", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(file):
    """The anchors that GitHub and MyST give to headings."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", re.sub(r"^ *```.*?^ *```\s*?$", "", file.read_text(), flags=re.S | re.M),
                              flags=re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")
        number = 0
        while (slug if not number else f"{slug}-{number}") in found:
            number += 1
        found.add(slug if not number else f"{slug}-{number}")
    return found


def faults(file):
    for target in LINK.findall(without_code(file.read_text())):
        url = urllib.parse.urlsplit(target)
        if url.scheme or url.netloc:
            continue
        to = (file.parent / urllib.parse.unquote(url.path)).resolve() if url.path else file
        if not to.exists():
            yield f"there is no {target}"
        elif ROOT not in to.parents and to != ROOT:
            yield f"{target} is outside the repository"
        elif url.fragment and to.suffix == ".md" and url.fragment not in anchors(to):
            yield f"there is no heading for {target}"


def main():
    files = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or (
        sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")) +
        sorted((ROOT / "benchmarks").rglob("*.md")))
    found = links = 0
    for file in files:
        links += len(LINK.findall(without_code(file.read_text())))
        for fault in faults(file):
            print(f"{file}: {fault}", file=sys.stderr)
            found += 1
    print(f"{links} links in {len(files)} files, {found} broken")
    sys.exit(1 if found or not links else 0)


if __name__ == "__main__":
    main()
