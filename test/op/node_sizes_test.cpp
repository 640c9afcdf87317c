// node_sizes: the sizes of the nodes of any elements of a whole.
#include <warpfold/op/node_sizes.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace wf = warpfold;

TEST_CASE("the sizes of the nodes of any elements of a whole") {
  for (const std::size_t whole : {1u, 2u, 7u, 8u, 37u, 64u, 100u}) {
    for (std::size_t first = 0; first <= whole; ++first) {
      for (std::size_t last = first; last <= whole; ++last) {
        INFO(first, " to ", last, " of ", whole);
        const wf::detail::node_sizes sizes(first, last, whole);
        std::vector<std::size_t> found, expected;
        sizes.for_each([&](std::size_t size) { found.push_back(size); });
        wf::detail::for_each_node(first, last, whole, [&](std::size_t from, std::size_t to) {
          expected.push_back(std::bit_ceil(to - from));
        });
        REQUIRE(found == expected);
        REQUIRE(sizes.count() == expected.size());
      }
    }
  }
}
