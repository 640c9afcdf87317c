# shellcheck shell=bash
# The documentation: ./dev docs

# Installs Sphinx and its packages.
docs_environment() {
  local wheels=()
  [[ -e docs/site/requirements.txt ]] || return 1
  mapfile -t wheels <docs/site/requirements.txt
  python_venv "$toolchain/docs" "${wheels[@]}"
}

setup_docs() {
  docs_environment || warn "Sphinx is missing: the documentation is not built"
}

cmd_docs() {
  mkdir -p build
  have doxygen || apt_install doxygen || die "the documentation needs doxygen, and apt-get could not install it"
  docs_environment || die "the documentation needs Sphinx, and pip could not install it"
  section "Documentation"
  "$toolchain/docs/bin/python" docs/site/build.py build/docs
}
