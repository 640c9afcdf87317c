// waiting_nodes: one thread completes the tree from nodes of any sizes, in the memory it reads.
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
    if (wf::threadIdx.x != 0) return;
    wf::collective::waiting_nodes<std::uint64_t> waiting(memory);
    std::size_t next = 0;
    for (const auto& part : sizes) {
      part.for_each(
          [&](std::size_t size) { waiting.push(apply_hash{}, memory.load(next++), size); });
    }
    out.store(0, waiting.folded(apply_hash{}));
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
