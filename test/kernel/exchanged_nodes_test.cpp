// kernel::exchanged_nodes: which nodes the ranks have, and what they send. The tests of
// policy/emulated_devices.hpp check its results.
#include <warpfold/kernel/exchanged_nodes.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace wf = warpfold;
using wf::kernel::exchanged_nodes;
using wf::kernel::nodes_of_ranks;

namespace {

// Ranks with so many elements.
nodes_of_ranks nodes_of(const std::vector<std::size_t>& sizes) {
  std::vector<std::string> parts;
  for (const std::size_t n : sizes) parts.emplace_back(n, ' ');
  return nodes_of_ranks(parts);
}
bool combine_in_rank_order(const std::vector<std::size_t>& sizes) {
  return nodes_of(sizes).combine_in_rank_order();
}

}  // namespace

TEST_CASE("the nodes of ranks") {
  const nodes_of_ranks nodes = nodes_of({5, 0, 8});
  CHECK(nodes.ranks == 3);
  CHECK(nodes.whole == 13);
  CHECK(nodes.first[2] == 5);
  CHECK(nodes.of_rank[0].count() == 2);  // 4, 1
  CHECK(nodes.of_rank[1].count() == 0);
  CHECK(nodes.of_rank[2].count() == 3);  // 1, 2, and 5 up to the end
  CHECK(nodes.longest == 3);
}

TEST_CASE("states make the tree if each rank has one node, and those before it are one, too") {
  CHECK(combine_in_rank_order({7}));
  CHECK(combine_in_rank_order({0, 7, 0}));
  CHECK(combine_in_rank_order({8, 8}));
  CHECK(combine_in_rank_order({8, 5}));
  CHECK(combine_in_rank_order({8, 8, 16}));
  CHECK(combine_in_rank_order({8, 8, 3}));
  CHECK_FALSE(combine_in_rank_order({7, 8}));
  CHECK_FALSE(combine_in_rank_order({8, 9}));
  CHECK_FALSE(combine_in_rank_order({8, 8, 8, 8}));
}

TEST_CASE("96 bytes of nodes in an exchange, at least one node") {
  const nodes_of_ranks nodes = nodes_of({5, 8});  // 3 of a rank
  CHECK(exchanged_nodes::bytes_sent<float>(nodes) == 96);
  CHECK(exchanged_nodes::bytes_sent<char[40]>(nodes) == 2 * 80);
  CHECK(exchanged_nodes::bytes_sent<char[100]>(nodes) == 3 * 112);  // aligned
}
