// With exceptions the header says nothing. test/compiler/no_exceptions_test.py compiles headers
// that include it without them.
#include <warpfold/core/needs_exceptions.hpp>

#include <doctest/doctest.h>

#include <typeinfo>

#include <warpfold/core/error.hpp>

namespace wf = warpfold;

TEST_CASE("where the header compiles, errors are caught and know their type") {
  try {
    wf::throw_error<wf::rank_error>(3, wf::message("rank ", 3));
  } catch (const wf::error& e) {
    CHECK(typeid(e) == typeid(wf::rank_error));
    CHECK(dynamic_cast<const wf::rank_error&>(e).rank() == 3);
  }
}
