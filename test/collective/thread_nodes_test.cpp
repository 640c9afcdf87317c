// thread_nodes: every number of values in the declared order, and threads with fewer values.
#include <warpfold/collective/thread_nodes.hpp>

#include <doctest/doctest.h>

#include <warpfold/op/fold.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

TEST_CASE("any number of values") {
  const wf::fold<test::ordered_hash, std::uint64_t> fold{};
  const auto v = test::ordered_elements(64);
  for (unsigned n = 1; n <= 64; ++n) {
    INFO(n, " values");
    wf::collective::thread_nodes<std::uint64_t, 6> nodes, others(v[0]);
    for (unsigned k = 0; k < n; ++k) nodes.add(fold, k, v[k]);
    for (unsigned k = 1; k < 64; ++k) others.add(fold, k, v[k], k < n);
    const auto expected =
        test::recursive_fold<std::uint64_t>(fold.op, [&](std::size_t i) { return v[i]; }, 0, n);
    CHECK(nodes.folded(fold, n) == expected);
    CHECK(others.folded(fold, n) == expected);
  }
}
