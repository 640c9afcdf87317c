// site: the caller's line as a default argument, and equality by the file's name.
#include <warpfold/core/site.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using warpfold::site;

site called(site at = site::here()) { return at; }

constexpr char one[] = "kernel.cu";
constexpr char same[] = "kernel.cu";  // another address
constexpr char other[] = "kernel.hpp";

}  // namespace

TEST_CASE("as a default argument it is the line of the call") {
  const site first = called();
  const int line = __LINE__ - 1;
  CHECK(first.line == line);
  CHECK(std::string(first.file) == __FILE__);
  const site second = called();
  CHECK(second.line == line + 4);
}

TEST_CASE("sites are equal if line and file name are equal, at any address") {
  CHECK(site{one, 7} == site{same, 7});
  CHECK_FALSE(site{one, 7} == site{one, 8});
  CHECK_FALSE(site{one, 7} == site{other, 7});
  static_assert(site{} == site{});
}
