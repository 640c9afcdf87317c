// kernel::rank_nodes: one launch leaves the nodes of wf::seq in memory, and then calls `finish`
// in a warp.
// needs: boost_context
#include <warpfold/kernel/rank_nodes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include <warpfold/collective/rank_state.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/contiguous.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

using view_type = wf::contiguous_view<const std::uint64_t>;

// Counts its calls, and finds the nodes.
template <class A>
struct copy_nodes {
  wf::collective::global_array<A> nodes, copied;
  wf::collective::global_array<unsigned> calls;

  WARPFOLD_DEVICE void operator()(const auto&) const {
    if (wf::threadIdx.x != 0) return;
    calls.store(0, calls.load(0) + 1);
    for (std::size_t k = 0; k < nodes.size; ++k) copied.store(k, nodes.load(k));
  }
};

template <class Op>
void check(std::size_t n, std::size_t before, std::size_t after, const Op& op,
           std::size_t moved_by) {
  const auto v = test::ordered_elements(n);
  const auto range = wf::lifted(view_type(v.data(), n), op);
  const wf::reduction<std::remove_const_t<decltype(range)>, Op> plain{range, op, {}};
  const wf::collective::rank_state_reduction r(plain);
  using accumulator = typename decltype(plain)::accumulator;
  const std::size_t whole = before + n + after;
  std::vector<accumulator> expected;
  wf::seq.fold_nodes(plain, before, whole, [&](const accumulator& a) {
    expected.push_back(wf::collective::moved_node(plain, a, moved_by));
  });
  const wf::detail::node_sizes sizes(before, before + n, whole);
  REQUIRE(sizes.count() == expected.size());

  std::vector<accumulator> own(expected.size()), copied(expected.size());
  std::vector<unsigned> calls(1);
  wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
  launcher.allow(v.data(), n * sizeof v[0], false);
  launcher.allow(own.data(), own.size() * sizeof(accumulator), true);
  launcher.allow(copied.data(), copied.size() * sizeof(accumulator), true);
  launcher.allow(calls.data(), sizeof calls[0], true);
  const auto parts = wf::kernel::nodes::parts_of(r, before, whole, launcher.gpu());
  const auto folds = launcher.template scratch<accumulator>(parts.size());
  const wf::collective::global_array<accumulator> nodes{own.data(), own.size()};
  wf::kernel::rank_nodes::enqueue(
      "rank_nodes", r, parts, sizes, moved_by, folds, nodes,
      copy_nodes<accumulator>{nodes, {copied.data(), copied.size()}, {calls.data(), 1}}, launcher);
  INFO(n, " elements, ", before, " before them, ", after, " after them");
  CHECK(calls[0] == 1);
  CHECK(copied == expected);
}

}  // namespace

TEST_CASE("the nodes of elements anywhere in the whole, also of none") {
  for (const std::size_t n : {0u, 1u, 9u, 1000u, 30'000u}) {
    for (const std::size_t before : {0u, 3u, 4096u}) {
      for (const std::size_t after : {0u, 1u, 50'000u}) {
        check(n, before, after, test::ordered_hash{}, 0);
        check(n, before, after, test::hash_and_last{}, before);
      }
    }
  }
}
