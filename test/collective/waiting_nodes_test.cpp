// waiting_nodes: a warp completes the tree from the nodes of ranks. Nodes of more than 96 bytes, in
// the memory it reads: node_frame_test.cpp.
// needs: boost_context
#include <warpfold/collective/waiting_nodes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/node_sizes.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

struct apply_hash {
  std::uint64_t apply(std::uint64_t a, std::uint64_t b) const { return test::ordered_hash{}(a, b); }
};

// The fold of `n` elements from the nodes of two parts of them.
std::uint64_t folded(std::size_t n, std::size_t split) {
  const auto v = test::ordered_elements(n);
  const auto element = [&](std::size_t i) { return v[i]; };
  std::vector<std::uint64_t> nodes;
  const auto fold = [&](std::size_t first, std::size_t last) {
    wf::detail::for_each_node(first, last, n, [&](std::size_t from, std::size_t to) {
      nodes.push_back(test::recursive_fold<std::uint64_t>(test::ordered_hash{}, element, from, to));
    });
  };
  fold(0, split);
  fold(split, n);
  const wf::detail::node_sizes sizes[] = {{0, split, n}, {split, n, n}};
  std::vector<std::uint64_t> result(1);
  test::emulated_launch on;
  const auto memory = on.array(nodes);
  const auto out = on.array(result);
  on.run({1, 32}, [&] {
    wf::collective::fold_nodes_of_ranks<std::uint64_t>(
        apply_hash{}, 2, [&](int r) { return sizes[r]; },
        [&](int r) {
          const std::size_t at = r == 0 ? 0 : sizes[0].count();
          return wf::collective::global_array<std::uint64_t>{memory.data + at, memory.size - at};
        },
        [&](std::uint64_t a) { out.store(0, a); });
  });
  return result[0];
}

}  // namespace

TEST_CASE("nodes of two parts of any sizes make the tree") {
  for (std::size_t n = 1; n <= 70; ++n) {
    const std::uint64_t expected = test::ordered_fold(test::ordered_elements(n));
    for (std::size_t split = 0; split <= n; ++split) {
      CAPTURE(n);
      CAPTURE(split);
      CHECK(folded(n, split) == expected);
    }
  }
}
