// node_parts: the parts follow one another, and their folds make up the nodes of the whole.
#include <warpfold/op/node_parts.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

TEST_CASE("the parts of any elements of a whole") {
  constexpr test::ordered_hash hash;
  for (const std::size_t whole : {1u, 2u, 7u, 8u, 37u, 64u, 100u}) {
    const std::vector<std::uint64_t> v = test::ordered_elements(whole);
    const auto element = [&](std::size_t i) { return v[i]; };
    for (std::size_t first = 0; first < whole; ++first) {
      for (std::size_t last = first + 1; last <= whole; ++last) {
        for (std::size_t length = 1; length <= last - first; length *= 2) {
          INFO(first, " to ", last, " of ", whole, ", length ", length);
          const wf::detail::node_parts parts(first, last, whole, length);
          std::vector<std::uint64_t> folds;
          std::size_t end = 0;
          for (std::size_t p = 0; p < parts.size(); ++p) {
            const auto [from, size] = parts.at(p);
            REQUIRE(from == end);
            REQUIRE((size != 0 && size <= length));
            end = from + size;
            folds.push_back(
                test::recursive_fold<std::uint64_t>(hash, element, first + from, first + end));
          }
          REQUIRE(end == last - first);
          std::vector<std::uint64_t> nodes, expected;
          std::size_t p = 0;
          parts.for_each_node(folds.data(), hash,
                              [&](std::uint64_t node) { nodes.push_back(node); });
          wf::detail::for_each_node(first, last, whole, [&](std::size_t from, std::size_t to) {
            expected.push_back(test::recursive_fold<std::uint64_t>(hash, element, from, to));
            p = parts.end_of_node(p, std::bit_ceil(to - from));
            REQUIRE((p == parts.size() ? last - first : parts.at(p).first) == to - first);
          });
          REQUIRE(nodes == expected);
        }
      }
    }
  }
}
