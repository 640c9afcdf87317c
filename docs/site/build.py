"""Builds the documentation site: docs/*.md, the headers' comments, and the files that pages link to.

    python docs/site/build.py OUT

OUT gets `html/` (the site), `xml/` (what Doxygen reads from the headers) and `source/` (what Sphinx reads). Any
warning of Doxygen or Sphinx, any broken link inside the site, and any call without a comment is an error. Nothing is read from the network.

Pages link to files of the repository (../test/examples/sum.cu). In the site such a link leads to a page that shows
the file; a Markdown file becomes a page, a picture or a record is copied, and a folder becomes plain text.
"""

import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site"

LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cuda", ".cuh": "cuda", ".py": "python", ".cmake": "cmake", ".c": "c", ".h": "c", ".f90": "fortran",
             ".json": "json", ".txt": "text", ".sh": "bash"}
COPIED = {".png", ".svg", ".json"}


def run(command, **options):
    done = subprocess.run(command, **options)
    if done.returncode:
        sys.exit(done.returncode)


def version():
    text = "".join(header.read_text() for header in (ROOT / "include/warpfold").rglob("config.hpp"))
    return ".".join(re.search(rf"WARPFOLD_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


# --- the headers ---------------------------------------------------------------------------------


def run_doxygen(out):
    shutil.rmtree(out / "xml", ignore_errors=True)
    settings = (SITE / "Doxyfile").read_text() + f"""
INPUT = "{ROOT / 'include'}"
STRIP_FROM_PATH = "{ROOT / 'include'}"
STRIP_FROM_INC_PATH = "{ROOT / 'include'}"
INPUT_FILTER = "awk -f '{SITE / 'comments.awk'}'"
OUTPUT_DIRECTORY = "{out}"
"""
    run(["doxygen", "-"], input=settings, text=True)


def missing_calls(source):
    """Calls that the headers of the top folder declare but the reference does not show."""
    reference_text = "".join(page.read_text() for page in (source / "api").glob("*.rst"))
    for header in sorted((ROOT / "include/warpfold").glob("*.hpp")):
        text = re.sub(r"^namespace detail \{.*?^\}  // namespace detail$", "", header.read_text(), flags=re.S | re.M)
        text = re.sub(r"^#define (.*\\\n)*.*$", "", text, flags=re.M)  # names of macros are no functions
        for name in sorted(set(re.findall(r"^[\w:<> ]+ (\w+)\(const Policy& policy", text, flags=re.M))):
            if not re.search(rf"cpp:function::[^\n]* warpfold::{name}\(", reference_text):
                yield f"{header.relative_to(ROOT)}: {name} is not in the reference; it needs a documentation comment"


# --- the pages -----------------------------------------------------------------------------------

LINK = re.compile(r"(\]\()([^()\s]+)(\))")


class Pages:
    """Copies pages, and the files that they link to, into the folder that Sphinx reads."""

    def __init__(self, source):
        self.source = source
        self.todo = []
        self.done = set()
        self.orphans = set()

    def place(self, file):
        """The path of a repository file in the site."""
        if file.parent == ROOT / "docs":
            return pathlib.Path(file.name)
        if file == ROOT / "README.md":
            return pathlib.Path("index.md")  # replaced by the front page
        if file == ROOT / "CONTRIBUTING.md":
            return pathlib.Path("contributing.md")
        inside = pathlib.Path("repository") / file.relative_to(ROOT)
        if file.suffix == ".md" or file.suffix in COPIED:
            return inside
        return inside.with_name(inside.name + ".md")

    def add(self, file):
        place = self.place(file)
        if place in self.done or file == ROOT / "README.md":
            return
        self.done.add(place)
        to = self.source / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            text = self.rewrite(file.read_text(), file, place)
            if len(place.parts) > 1:  # in no table of contents
                text = "---\norphan: true\n---\n\n" + text
            to.write_text(text)
        elif file.suffix in COPIED:
            shutil.copy(file, to)
        else:
            fence = "````"
            language = LANGUAGES.get(file.suffix, "text")
            if file.name == "CMakeLists.txt":
                language = "cmake"
            to.write_text(f"---\norphan: true\n---\n\n# {file.relative_to(ROOT)}\n\n{fence}{language}\n"
                          f"{file.read_text()}\n{fence}\n")

    def rewrite(self, text, file, place):
        def link(match):
            target = match[2]
            path, hash_, anchor = target.partition("#")
            if not path or re.match(r"[a-z]+:", path):
                return match[0]
            linked = (file.parent / urllib.parse.unquote(path)).resolve()
            if not linked.exists():
                sys.exit(f"{file.relative_to(ROOT)}: the link to {path} leads nowhere")
            if linked.is_dir():
                return f"{match[1]}#{FOLDER}{match[3]}"
            self.todo.append(linked)
            to = os.path.relpath(self.place(linked), place.parent)
            return match[1] + to + hash_ + anchor + match[3]

        pieces = re.split(r"(^ *```.*?^ *```\s*?$)", text, flags=re.S | re.M)
        pieces[::2] = [LINK.sub(link, piece) for piece in pieces[::2]]
        text = "".join(pieces)
        return re.sub(rf"\[([^\]]*)\]\(#{FOLDER}\)", r"\1", text)  # a link to a folder becomes plain text

    def add_linked(self):
        while self.todo:
            self.add(self.todo.pop())


FOLDER = "a-folder-of-the-repository"


def write_pages(source):
    pages = Pages(source)
    for file in sorted((ROOT / "docs").glob("*.md")):
        pages.add(file)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        if (ROOT / name).exists():
            pages.add(ROOT / name)
    pages.add_linked()


# --- the check of the site -----------------------------------------------------------------------


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.targets.append(value)


def broken_links(folder):
    """Links in the pages of the site whose file or anchor does not exist."""
    pages = {p.resolve(): Links(p.read_text()) for p in folder.rglob("*.html")}
    for page, links in sorted(pages.items()):
        for target in links.targets:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                continue
            to = (page.parent / urllib.parse.unquote(url.path)).resolve() if url.path else page
            if not to.exists():
                yield f"{page.relative_to(folder.resolve())}: no file for {target}"
            elif url.fragment and to in pages and urllib.parse.unquote(url.fragment) not in pages[to].anchors:
                yield f"{page.relative_to(folder.resolve())}: no anchor for {target}"


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    source = out / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    run_doxygen(out)
    write_pages(source)
    entries = reference.write(out / "xml", source)
    missing = list(missing_calls(source))
    if missing:
        sys.exit("\n".join(missing))
    shutil.copy(SITE / "conf.py", source)
    shutil.copy(SITE / "scorer.js", source)
    shutil.copytree(SITE / "_static", source / "_static")
    shutil.rmtree(out / "html", ignore_errors=True)
    environment = os.environ | {"WARPFOLD_VERSION": version()}
    run([sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-q", "-E", "-j", "2", "-d", str(out / "doctrees"),
         "-b", "html", str(source), str(out / "html")], env=environment)
    if re.search(r"functionParam|templateParam", (out / "html/searchindex.js").read_text()):
        sys.exit("the search finds parameters of functions; see DomainOfEntries in docs/site/conf.py")
    broken = list(broken_links(out / "html"))
    for line in broken:
        print(line, file=sys.stderr)
    if broken:
        sys.exit(f"{len(broken)} broken links")
    print(f"{len(list((out / 'html').rglob('*.html')))} pages, {entries} entries: {out / 'html/index.html'}")


if __name__ == "__main__":
    main()
