/// @file
/// Emulated GPUs that exchange frames through mailboxes, each on a thread of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <warpfold/collective/rank_exchange.hpp>

#include "contract/emulated_launch.hpp"

namespace test {

/// The mailboxes of some emulated GPUs.
struct mailbox_group {
  int ranks;
  std::size_t length;
  std::vector<std::vector<warpfold::collective::letter>> memory;

  explicit mailbox_group(int n)
      : ranks(n),
        length(warpfold::collective::mailboxes::letters(n)),
        memory(static_cast<std::size_t>(n), std::vector<warpfold::collective::letter>(length + 3)) {
  }

  warpfold::collective::mailboxes of(int rank, double limit_s) {
    warpfold::collective::mailboxes m{};
    for (int r = 0; r < ranks; ++r) m.of_rank[r] = memory[static_cast<std::size_t>(r)].data();
    warpfold::collective::letter* const own = m.of_rank[rank] + length;
    m.count = own;
    m.missing = own + 1;
    m.cancelled = own + 2;
    m.limit_ns = static_cast<unsigned long long>(limit_s * 1e9);
    m.rank = rank;
    m.ranks = ranks;
    return m;
  }

  /// Runs `body(mailboxes)` in thread 5 of one block on each rank but `absent`. Returns how many
  /// threads returned true.
  template <class Body>
  int run(double limit_s, int absent, const Body& body) {
    std::atomic<int> whole = 0;
    std::vector<std::jthread> gpus;
    for (int r = 0; r < ranks; ++r) {
      if (r == absent) continue;
      gpus.emplace_back([&, r] {
        emulated_launch on;
        for (auto& m : memory) on.array(m);
        const warpfold::collective::mailboxes m = of(r, limit_s);
        on.run({1, 32}, [&] {
          if (warpfold::threadIdx.x == 5 && body(m)) ++whole;
        });
      });
    }
    gpus.clear();
    return whole;
  }
  warpfold::collective::letter missing(int rank) {
    return memory[static_cast<std::size_t>(rank)][length + 1];
  }
};

}  // namespace test
