"""The settings of Sphinx, which build.py runs."""

import os
import pathlib

from sphinx.domains.cpp import CPPDomain

project = "warpfold"
author = "the warpfold authors"
copyright = "the warpfold authors"
version = release = os.environ["WARPFOLD_VERSION"]

extensions = ["myst_parser"]
html_search_scorer = str(pathlib.Path(__file__).with_name("scorer.js"))

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
root_doc = "index"
primary_domain = "cpp"
highlight_language = "cpp"
cpp_maximum_signature_line_length = 80

# Names of the standard library, CUDA and template parameters have no link targets.
nitpick_ignore_regex = [("cpp:.*", ".*")]

html_theme = "furo"
html_title = f"warpfold {version}"
html_static_path = ["_static"]
html_css_files = ["warpfold.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


class DomainOfEntries(CPPDomain):
    """The C++ domain without the parameters of functions and templates, which would be most hits of a search."""

    def get_objects(self):
        for entry in super().get_objects():
            if entry[2] not in ("functionParam", "templateParam"):
                yield entry


def setup(app):
    app.add_domain(DomainOfEntries, override=True)
