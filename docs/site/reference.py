"""Writes the API reference: pages for Sphinx from the XML that Doxygen makes of the headers.

An entry is public if it has a documentation comment and is not in a namespace `detail`. A new header appears by itself,
on the page of its folder. Sphinx's C++ domain shows the signatures and indexes the names.
"""

import collections
import pathlib
import re
import xml.etree.ElementTree as ElementTree

from sphinx.domains.cpp import DefinitionError, DefinitionParser

# Folders of include/warpfold, in the order of the reference. Others come last.
FOLDERS = {
    "": ("Calls", "The headers in the top folder of ``include/warpfold``, which most programs include."),
    "drop_in": ("Drop-in headers", "Adopt the policies and iterators of Thrust and the standard library, or replace the calls of Thrust, CUB and the standard library."),
    "op": ("Ops", "Ops combine elements."),
    "view": ("Views", "Views are the source of elements and define their loads."),
    "policy": ("Policies", "Policies run calls, on a stream and with scratch memory."),
    "runtime": ("Memory, streams and errors", "Device buffers, scratch memory, launches and exceptions."),
    "core": ("Core", "Configuration, errors and tuples."),
    "kernel": ("Kernels", "Kernels for ``wf::device.with_kernel``."),
    "work": ("Work", "The work that a call passes to a policy."),
    "collective": ("Collectives", "Operations of the threads of a block. For authors of kernels."),
    "host": ("Host folds", "Folds of the host policies."),
    "emulation": ("Emulation", "The execution of kernels on the host."),
}


FIRST = "warpfold/reduce.hpp"

# The functions of the calls by task, for the first page of the reference. A function with `_async` stands beside the one
# without. A function of a header in the top folder that is missing here is an error.
TASKS = {
    "Reduce a range to a value": ["reduce", "transform_reduce", "inner_product"],
    "Sums and products": ["sum", "product", "dot"],
    "Extrema and their indices": ["min", "max", "minmax", "argmin", "argmax", "argminmax"],
    "Counts and conditions": ["count", "count_if", "all_of", "any_of", "none_of"],
    "Statistics": ["mean", "variance", "stddev", "skewness", "kurtosis", "log_sum_exp"],
    "Norms": ["norm_1", "norm_2", "norm_infinity", "norm_p"],
    "Rows, columns and axes": ["reduce_axis", "reduce_axes", "transform_axis"],
    "Segments, lists, keys and classes": ["reduce_segments", "transform_segments", "reduce_many", "reduce_by_key", "run_lengths",
                                          "reduce_by_class", "count_by_class"],
    "Transform and copy": ["transform", "copy", "zip_to"],
    "Inside your own kernel": ["warp_reduce", "warp_all_reduce", "block_reduce", "block_all_reduce"],
    "Plans, names, and texts of tunings and sums": ["explain", "explain_axis", "explain_segments", "read_tuning", "tuning_from_text",
                                            "exact_sum_from_text", "to_text", "named", "name_of"],
}


class NoParserSettings:
    """The settings of Sphinx that DefinitionParser reads."""

    cpp_id_attributes = cpp_paren_attributes = []


# --- comments to reStructuredText ----------------------------------------------------------------


def escape(text):
    return re.sub(r"([\\*`|_<>\[\]])", r"\\\1", text)


def literal(text):
    text = " ".join(text.split())
    if not text:
        return ""
    return f"\\ ``{text}``\\ " if "``" not in text and not text.endswith("\\") else escape(text)


def all_text(element):
    """The text of code: Doxygen writes a blank as <sp/>."""
    if element.tag == "sp":
        return " " + (element.tail or "")
    text = element.text or ""
    for child in element:
        text += all_text(child)
    if element.tag == "codeline":
        text += "\n"
    return text + (element.tail or "" if element.tag not in ("codeline", "programlisting", "verbatim", "preformatted") else "")


def inline(element):
    """The text of a paragraph, without the blocks in it."""
    text = escape(re.sub(r"\s+", " ", element.text or ""))
    for child in element:
        if child.tag == "computeroutput":
            text += literal("".join(child.itertext()))
        elif child.tag in ("bold", "emphasis"):
            inner = escape(" ".join("".join(child.itertext()).split()))
            mark = "**" if child.tag == "bold" else "*"
            text += f"\\ {mark}{inner}{mark}\\ " if inner else ""
        elif child.tag == "ulink":
            text += f"\\ `{escape(''.join(child.itertext()))} <{child.get('url')}>`__\\ "
        elif child.tag in BLOCKS:
            pass
        elif child.tag in ("ndash", "mdash"):
            text += "–"
        else:
            text += inline(child)
        text += escape(re.sub(r"\s+", " ", child.tail or ""))
    return text


BLOCKS = {"parameterlist", "simplesect", "itemizedlist", "orderedlist", "programlisting", "verbatim", "preformatted",
          "table", "blockquote"}


def indented(lines, depth):
    return [" " * depth + line if line else "" for line in lines]


def items(element, mark):
    lines = []
    for item in element.findall("listitem"):
        inner = blocks(item)
        if inner:
            lines += [mark + inner[0]] + indented(inner[1:], len(mark))
    return lines + [""]


def fields(element):
    name = {"param": "param", "templateparam": "tparam", "exception": "throws", "retval": "retval"}[element.get("kind")]
    lines = []
    for item in element.findall("parameteritem"):
        names = [" ".join("".join(n.itertext()).split()) for n in item.iter("parametername")]
        text = blocks(item.find("parameterdescription")) or [""]
        lines += [f":{name} {', '.join(names)}: {text[0]}"] + indented(text[1:], 3)
    return lines


def is_field(block):
    return block.tag == "parameterlist" or (block.tag == "simplesect" and block.get("kind") == "return")


def lift_from_lists(element):
    """Doxygen puts what follows a list without an empty line into its last item. Moves fields and code behind the list."""
    for para in element.findall("para"):
        for block in list(para):
            if block.tag not in ("itemizedlist", "orderedlist"):
                continue
            for item in block.iter("para"):
                for inner in list(item):
                    if is_field(inner) or inner.tag in ("programlisting", "verbatim", "preformatted"):
                        item.remove(inner)
                        para.append(inner)


def blocks(element):
    """The lines of reStructuredText, with the fields (:param x:) at the end."""
    if element is None:
        return []
    lift_from_lists(element)
    lines, last = [], []
    for child in element:
        if child.tag == "para":
            text = inline(child).strip()
            text = re.sub(r"^\\ |\\ $", "", text).strip()
            if text:
                lines += [text, ""]
            for block in child:
                if block.tag == "parameterlist":
                    last += fields(block)
                elif block.tag == "simplesect" and block.get("kind") == "return":
                    inner = blocks(block) or [""]
                    last += [f":returns: {inner[0]}"] + indented(inner[1:], 3)
                elif block.tag == "simplesect":
                    lines += blocks(block)
                elif block.tag == "itemizedlist":
                    lines += items(block, "- ")
                elif block.tag == "orderedlist":
                    lines += items(block, "#. ")
                elif block.tag in ("programlisting", "verbatim", "preformatted"):
                    code = all_text(block).strip("\n").split("\n")
                    if any(line.strip() for line in code):
                        language = "text" if block.tag == "verbatim" and "(" not in "".join(code) else "cpp"
                        lines += [f".. code-block:: {language}", "   :force:", ""] + indented(code, 3) + [""]
                elif block.tag == "table":
                    raise SystemExit("docs/site/reference.py: tables in comments of headers are not supported")
    return lines + ([line for line in last if line] + [""] if last else [])


def description(entry):
    return blocks(entry.find("briefdescription")) + blocks(entry.find("detaileddescription"))


# --- entries -------------------------------------------------------------------------------------


def plain(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def template_head(entry):
    parameters = entry.find("templateparamlist")
    if parameters is None:
        return ""
    all_parameters = []
    for p in parameters.findall("param"):
        text = plain(p.find("type"))
        name = plain(p.find("declname"))
        if name and not re.search(rf"\b{re.escape(name)}$", text):
            text += f" {name}"
        if p.find("defval") is not None:
            text += f" = {plain(p.find('defval'))}"
        all_parameters.append(text)
    head = f"template <{', '.join(all_parameters)}> "
    if entry.find("requiresclause") is not None:
        head += f"requires {plain(entry.find('requiresclause'))} "
    return head


def signature(entry, scope):
    """(directive, signature) of a member."""
    kind, name = entry.get("kind"), entry.findtext("name")
    full = f"{scope}::{name}" if scope else name
    type_ = plain(entry.find("type"))
    if kind == "function":
        args = entry.findtext("argsstring") or "()"
        args = re.sub(r"\s*=\s*(default|delete|0)$", "", args)
        type_ = re.sub(r"\b(static|friend|inline|virtual|constexpr)\s+", "", type_ + " ").strip()
        return "function", f"{template_head(entry)}{type_} {full}{args}"
    if kind == "variable":
        initializer = plain(entry.find("initializer"))
        shown = f" {initializer}" if initializer and len(initializer) < 40 and "{" not in initializer else ""
        type_ = re.sub(r"\b(static|inline|constexpr|mutable)\s+", "", type_ + " ").strip()
        return "var", f"{template_head(entry)}{type_} {full}{entry.findtext('argsstring') or ''}{shown}"
    if kind == "typedef":
        return "type", f"{template_head(entry)}{full} = {type_}"
    if kind == "enum":
        return "enum-class" if entry.get("strong") == "yes" else "enum", full
    return None, None


class Reference:
    def __init__(self, xml):
        self.xml = xml
        self.shown = 0

    def read(self, refid):
        return ElementTree.parse(self.xml / f"{refid}.xml").getroot().find("compounddef")

    def directive(self, kind, text, body, listed=True):
        """A directive of the C++ domain, or a block of code if the parser of the domain rejects the syntax."""
        self.shown += 1
        text = re.sub(r"\bWARPFOLD_\w+ ?", "", " ".join(text.split()))
        try:
            parser = DefinitionParser(text, location=None, config=NoParserSettings())
            ast = parser.parse_declaration({"struct": "class", "enum-class": "enum", "var": "member"}.get(kind, kind),
                                           kind)
            parser.assert_end()
            del ast
        except DefinitionError:
            return [".. code-block:: cpp", "   :force:", "", f"   {text}", ""] + indented(body, 3) + [""]
        options = [] if listed else ["   :no-contents-entry:"]  # the contents of a page list names, not members
        return [f".. cpp:{kind}:: {text}"] + options + [""] + indented(body, 3) + [""]

    def member(self, entry, scope):
        if entry.get("prot") in ("private", "protected"):
            return []
        text = description(entry)
        if not text or (entry.findtext("name") or "").startswith("@"):
            return []
        kind, shown = signature(entry, scope)
        if kind is None:
            return []
        if kind.startswith("enum"):
            for value in entry.findall("enumvalue"):
                text += [f"- ``{value.findtext('name')}`` {' '.join(description(value))}".rstrip()]
        return self.directive(kind, shown, text, listed=bool(scope))

    def type_(self, compound, nested=False):
        name = compound.findtext("compoundname")
        if re.search(r"\bdetail\b|::body\b", name) or compound.get("prot") in ("private", "protected"):
            return []
        if compound.get("kind") == "concept":
            text = plain(compound.find("initializer"))
            head = re.match(r"(template\s*<.*?>)\s*concept", text)
            body = description(compound)
            code = text.split("\n")
            return self.directive("concept", f"{head[1] if head else 'template <class T>'} {name}", body) if body else []
        body = description(compound)
        members = []
        for section in compound.findall("sectiondef"):
            for entry in section.findall("memberdef"):
                members += self.member(entry, "")
        for inner in compound.findall("innerclass"):
            if inner.get("prot") == "public":
                members += self.type_(self.read(inner.get("refid")), nested=True)
        if not body:
            return []
        scope = template_head(compound)
        name = re.sub(r"< (.*) >", r"<\1>", name)
        return self.directive("struct" if compound.get("kind") == "struct" else "class", scope + name, body + members,
                              listed=not nested)

    def macro(self, entry):
        text = description(entry)
        if not text:
            return []
        self.shown += 1
        return [f".. c:macro:: {entry.findtext('name')}", ""] + indented(text, 3) + [""]

    def entries(self):
        """{header: [(line, lines of its entry)]}"""
        found = collections.defaultdict(list)
        heads = {}
        for item in ElementTree.parse(self.xml / "index.xml").getroot():
            kind = item.get("kind")
            if kind == "file":
                file = self.read(item.get("refid"))
                header = file.find("location").get("file")
                heads[header] = description(file)
                if heads[header] and header.count("/") == 1:
                    found[header]  # a header of the top folder, shown even if it has only a comment
                for entry in file.iterfind("sectiondef[@kind='define']/memberdef"):
                    found[header].append((int(entry.find("location").get("line")), "macro", entry, None))
            elif kind == "namespace":
                namespace = self.read(item.get("refid"))
                scope = namespace.findtext("compoundname")
                if not scope.startswith("warpfold") or "detail" in scope:
                    continue
                for section in namespace.findall("sectiondef"):
                    for entry in section.findall("memberdef"):
                        place = entry.find("location")
                        found[place.get("file")].append((int(place.get("line")), "member", entry, scope))
            elif kind in ("class", "struct", "union", "concept"):
                compound = self.read(item.get("refid"))
                name = compound.findtext("compoundname")
                place = compound.find("location")
                if not name.startswith("warpfold::") or place is None:
                    continue
                bare = re.sub(r"<.*>", "", name)
                parent = bare.rpartition("::")[0]
                if (parent.rpartition("::")[2] or parent) not in ("warpfold", "kernel", "baseline", "collective",
                                                                  "emulation", "runtime", "literals"):
                    continue  # shown with its class
                found[place.get("file")].append((int(place.get("line")), "type", compound, None))
        pages = collections.defaultdict(dict)
        for header, entries in sorted(found.items()):
            lines = []
            for _, kind, entry, scope in sorted(entries, key=lambda e: e[0]):
                show = {"member": self.member, "type": self.type_, "macro": self.macro}[kind]
                lines += show(entry, scope) if kind == "member" else show(entry)
            if lines or not entries:
                folder = pathlib.PurePosixPath(header).relative_to("warpfold").parent.parts
                pages[folder[0] if folder else ""][header] = heads.get(header, []) + lines
        return pages


def write(xml, source):
    """Writes source/api/*.rst and returns the number of entries."""
    api = source / "api"
    api.mkdir()
    reference = Reference(xml)
    pages = reference.entries()
    order = [f for f in FOLDERS if f in pages] + sorted(f for f in pages if f not in FOLDERS)
    names = []
    for folder in order:
        title, text = FOLDERS.get(folder, (folder.capitalize(), f"Headers in ``{folder}/``."))
        names.append(folder or "calls")
        lines = [title, "=" * len(title), "", text, ""]
        for header, entries in sorted(pages[folder].items(), key=lambda page: (page[0] != FIRST, page[0])):
            lines += [header, "-" * len(header), "", ".. code-block:: cpp", "", f"   #include <{header}>", ""] + entries
        (api / f"{names[-1]}.rst").write_text("\n".join(lines) + "\n")
    (api / "index.rst").write_text("\n".join(
        ["API reference", "=============", "",
         "The functions by task, then every public entry by header. The text comes from the comments of the headers. All names are in",
         "namespace ``warpfold``; the guides write ``wf`` for it. Functions with ``_async`` behind their names do not wait.", "",
         *by_task(pages[""]), "By header", "---------", "",
         ".. toctree::", "   :maxdepth: 2", ""] + [f"   {name}" for name in names]) + "\n")
    return reference.shown


def by_task(headers):
    """A table for each task: its functions, and the first sentence of the comment of each."""
    first = {}
    for entries in headers.values():
        for i, line in enumerate(entries):
            name = re.match(r"\.\. cpp:function::.*? warpfold::(?:literals::)?(\w+)\(", line)
            if name and name[1] != "operator":
                text = next((entry for entry in entries[i + 1:] if entry.startswith("   ") and not entry.startswith("   :")), "").strip()
                sentence = re.match(r"(.*?[.:])(?: |$)", text)
                first.setdefault(name[1], (sentence[1] if sentence else text).rstrip(":."))
    listed = {name for names in TASKS.values() for name in names}
    missing = sorted(name for name in first if name.removesuffix("_async") not in listed)
    unknown = sorted(listed - first.keys())
    if missing or unknown:
        raise SystemExit(f"docs/site/reference.py: TASKS lacks {missing} and has {unknown}, which the headers do not have")
    lines = []
    for task, names in TASKS.items():
        lines += [task, "-" * len(task), "", ".. list-table::", "   :width: 100%", "   :widths: 2 3", ""]
        for name in names:
            link = f":cpp:func:`~warpfold::{name}`"
            if f"{name}_async" in first:
                link += f", :cpp:func:`~warpfold::{name}_async`"
            lines += [f"   * - {link}", f"     - {first[name]}"]
        lines.append("")
    return lines
