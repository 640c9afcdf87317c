// The bits of 540 results, as a number that is stored: the same from wf::seq, from wf::par with any
// number of threads, from the emulation of kernel::in_order, and from any number of ranks.
// needs: tbb boost_context
// slow: runs for seconds
#include "contract/result_bits.hpp"

#include <oneapi/tbb/task_arena.h>

#include <doctest/doctest.h>

#include <complex>

#include <warpfold/dot.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

#include "contract/ranks.hpp"

namespace wf = warpfold;

namespace {

template <class Policy>
struct here {
  Policy policy;

  template <class T, class... More>
  auto reduce(const std::vector<T>& v, const More&... more) const {
    return wf::reduce(policy, v, more...);
  }
  template <class T>
  auto dot(const std::vector<T>& a, const std::vector<T>& b) const {
    return wf::dot(policy, a, b);
  }
};

struct on_some_ranks {
  int ranks;
  mutable std::mt19937 random{11};

  template <class T, class... More>
  auto reduce(const std::vector<T>& v, const More&... more) const {
    return same(v.size(), [&](auto rank, const auto& bounds) {
      return wf::reduce(wf::across(rank, wf::par), test::part_of(v, bounds, rank.rank()), more...);
    });
  }
  template <class T>
  auto dot(const std::vector<T>& a, const std::vector<T>& b) const {
    return same(a.size(), [&](auto rank, const auto& bounds) {
      return wf::dot(wf::across(rank), test::part_of(a, bounds, rank.rank()),
                     test::part_of(b, bounds, rank.rank()));
    });
  }

 private:
  template <class Call>
  auto same(std::size_t n, const Call& call) const {
    const auto bounds = test::dealt(n, ranks, random);
    const auto all = test::on_ranks(ranks, [&](auto rank) { return call(rank, bounds); });
    REQUIRE(all.all_are(all.values[0]));
    return all.values[0];
  }
};

}  // namespace

TEST_CASE("one thread") {
  CHECK(test::result_bits<std::complex>(here<wf::seq_policy>{}) == test::expected_bits);
}

TEST_CASE("any number of threads") {
  for (int threads = 1; threads <= 16; ++threads) {
    CAPTURE(threads);
    tbb::task_arena arena(threads);
    arena.execute([] {
      CHECK(test::result_bits<std::complex>(here<wf::par_policy>{}) == test::expected_bits);
    });
  }
}

TEST_CASE("the kernel in the emulation") {
  const auto policy = wf::emulated.with_kernel(wf::kernel::in_order<>{});
  CHECK(test::result_bits<std::complex>(here<decltype(policy)>{policy}) == test::expected_bits);
}

TEST_CASE("any number of ranks, with any division") {
  for (const int ranks : {1, 2, 3, 8}) {
    CAPTURE(ranks);
    CHECK(test::result_bits<std::complex>(on_some_ranks{ranks}) == test::expected_bits);
  }
}
