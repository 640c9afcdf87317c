// wf::packed: the range's own view, for elements of one or two bytes, alone and zipped.
#include <warpfold/view/packed.hpp>

#include <doctest/doctest.h>

#include <span>

#include "contract/oracle.hpp"

TEST_CASE("it is the view of the range, whose elements are loaded 16 bytes at a time") {
  const std::vector<short> v = {1, -7, 3};
  const auto view = wf::packed(v);
  static_assert(std::is_same_v<decltype(view), const wf::contiguous_view<const short>>);
  static_assert(sizeof(decltype(view)::chunk_type) == 16);
  CHECK(view.data() == v.data());
  CHECK(view.size() == 3);
  CHECK(wf::packed(std::span(v).first(0)).size() == 0);
}

TEST_CASE("packed ranges reduce, also zipped") {
  const std::vector<signed char> v = {1, -7, 3};
  CHECK(wf::reduce(wf::seq, wf::packed(v), wf::minimum{}) == -7);
  CHECK(wf::reduce(wf::seq,
                   wf::project(wf::zip(wf::packed(v), wf::packed(v)),
                               [](const auto& p) { return wf::get<0>(p) * wf::get<1>(p); }),
                   wf::plus{}) == 59);
}
