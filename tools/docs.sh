# shellcheck shell=bash
# The documentation: ./dev docs

# Sphinx and what it needs, beside Doxygen.
docs_environment() {
  local wheels=()
  [[ -e docs/site/requirements.txt ]] || return 1
  mapfile -t wheels <docs/site/requirements.txt
  python_venv "$toolchain/docs" "${wheels[@]}"
}

setup_docs() {
  docs_environment || warn "no Sphinx, so the documentation is left out"
}

cmd_docs() {
  mkdir -p build
  have doxygen || apt_install doxygen || die "the documentation needs doxygen, which could not be installed"
  docs_environment || die "the documentation needs Sphinx, which pip could not fetch"
  section "Documentation"
  "$toolchain/docs/bin/python" docs/site/build.py build/docs
}
