# shellcheck shell=bash
# The documentation: ./dev docs

# What builds the documentation, beside Doxygen.
mapfile -t docs_wheels <docs/site/requirements.txt

setup_docs() {
  python_venv "$toolchain/docs" "${docs_wheels[@]}" ||
    warn "no Sphinx, so the documentation is left out"
}

cmd_docs() {
  mkdir -p build
  have doxygen || apt_install doxygen || die "the documentation needs doxygen, which could not be installed"
  python_venv "$toolchain/docs" "${docs_wheels[@]}" ||
    die "the documentation needs Sphinx, which pip could not fetch"
  section "Documentation"
  "$toolchain/docs/bin/python" docs/site/build.py build/docs
}
