// call_site for a host compiler: the emulation reports the line that called a collective, through
// all the functions that pass it on.
#include <warpfold/core/call_site.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

namespace {

using warpfold::call_site;

call_site inner(call_site at) { return at; }
call_site outer(int, call_site at = call_site::here()) { return inner(at); }

}  // namespace

static_assert(std::is_same_v<call_site, warpfold::site>);

TEST_CASE("a site that is passed on remains that of the outermost call") {
  const call_site at = outer(1);
  CHECK(at.line == __LINE__ - 1);
  CHECK(std::string(at.file) == __FILE__);
}
