// group_threads: which chunks a thread holds. Folds by term_group: kernel/axis/transformed_terms.
#include <warpfold/collective/term_group.hpp>

#include <doctest/doctest.h>

namespace {

using warpfold::collective::group_threads;

// Each chunk of a group of `warps` warps, or of one part of a warp, belongs to one thread.
bool each_chunk_has_a_thread(unsigned lanes_log2, unsigned warps, unsigned held, unsigned chunks) {
  unsigned long long seen = 0;
  for (unsigned warp = 0; warp < warps; ++warp) {
    for (unsigned lane = 0; lane < 1u << lanes_log2; ++lane) {
      const group_threads own{lane, lanes_log2, warp, warps, chunks};
      const unsigned existing = own.existing(held);
      for (unsigned u = 0; u < held; ++u) {
        const unsigned number = own.number(static_cast<int>(u), held);
        if ((existing >> u & 1) != (number < chunks ? 1u : 0u)) return false;
        if (number < chunks) {
          if ((seen >> number & 1) != 0) return false;
          seen |= 1ull << number;
        }
      }
      if (existing >> held != 0) return false;
    }
  }
  return seen == (1ull << chunks) - 1;
}

}  // namespace

TEST_CASE("the threads of a group hold each chunk once") {
  for (unsigned chunks = 1; chunks <= 32; ++chunks) {
    CHECK(each_chunk_has_a_thread(2, 1, 8, chunks));
    CHECK(each_chunk_has_a_thread(3, 1, 4, chunks));
    CHECK(each_chunk_has_a_thread(5, 1, 1, chunks));
    CHECK(each_chunk_has_a_thread(5, 1, 8, chunks));
  }
  CHECK(each_chunk_has_a_thread(5, 2, 1, 33));
  CHECK(each_chunk_has_a_thread(5, 2, 1, 61));
}
