// The nodes that ranks exchange on hosts make the tree of the whole range, however it is divided.
#include <warpfold/policy/gathered_nodes.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include <warpfold/reduce.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

using view = wf::contiguous_view<const std::uint64_t>;
using fold = wf::reduction<view, test::ordered_hash>;
using nodes = wf::detail::gathered_nodes<fold>;

// The result of ranks with these numbers of elements, and the bytes of a rank's nodes in `bytes`.
auto result_of_ranks(const std::vector<std::size_t>& sizes, const std::vector<std::uint64_t>& v,
                     std::size_t& bytes) {
  wf::detail::gathered_frames counts(sizes.size()), all(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) counts[i].count = all[i].count = sizes[i];
  std::vector<nodes> of_rank;
  for (std::size_t i = 0; i < sizes.size(); ++i) of_rank.emplace_back(counts, i);
  nodes& receiver = of_rank[0];
  std::size_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(of_rank[i].before() == first);
    const fold own{view(v.data() + first, sizes[i]), {}, {}};
    (void)of_rank[i].fold(own, wf::seq, 0);
    first += sizes[i];
  }
  bytes = receiver.bytes();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (receiver.fit_frame()) {
      of_rank[i].copy_to(all[i]);
    } else {
      std::memcpy(receiver.gathered() + i * bytes, of_rank[i].own(), bytes);
    }
  }
  const fold whole{view(v.data(), v.size()), {}, {}};
  return whole.result(receiver.folded(whole, all, true));
}

}  // namespace

TEST_CASE("nodes of ranks make the tree of the whole") {
  bool fit = false, did_not = false;
  for (const std::vector<std::size_t>& sizes : {std::vector<std::size_t>{7},
                                                {8, 8},
                                                {7, 8},
                                                {0, 5, 0, 8},
                                                {1, 2, 3, 4, 5, 6},
                                                {1000, 1, 0, 4099},
                                                {1, 12345, 4097}}) {
    const std::vector<std::uint64_t> v =
        test::ordered_elements(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
    std::size_t bytes = 0;
    CHECK(result_of_ranks(sizes, v, bytes) == wf::reduce(wf::seq, v, test::ordered_hash{}));
    (bytes <= wf::detail::host_frame::most_state_bytes ? fit : did_not) = true;
  }
  CHECK(fit);
  CHECK(did_not);
}
