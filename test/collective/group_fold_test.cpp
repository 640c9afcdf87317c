// Groups folded by a warp or by some of its lanes, in the emulation: every length has the declared
// order, and batches have each element once.
// needs: boost_context
#include <warpfold/collective/group_fold.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/segmented_reduction.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

template <class T, class Op>
using work_of = wf::segmented_reduction<wf::contiguous_view<T>, wf::segments_by_size, Op,
                                        wf::no_init, wf::contiguous_output<T>>;
using hashes = std::vector<std::uint64_t>;
using hashing = work_of<std::uint64_t, test::ordered_hash>;
static_assert(!wf::collective::detail::folds_lane_batches<hashing>);
static_assert(!wf::collective::detail::folds_lane_batches<work_of<float, wf::moments_op>>);
static_assert(wf::collective::detail::folds_lane_batches<work_of<float, wf::arg_op<wf::maximum>>>);

template <class Work, class T, class Op>
Work work_on(const T* data, std::size_t n, const Op& op) {
  return {wf::contiguous_view<T>(data, n),
          wf::segments_by_size(n == 0 ? 1 : n, n == 0 ? 0 : 1),
          op,
          {},
          {wf::contiguous_output<T>(nullptr, 0)}};
}

std::uint64_t fold_of(const hashes& v, std::size_t first, std::size_t last) {
  return test::recursive_fold<std::uint64_t>(
      test::ordered_hash{}, [&](std::size_t i) { return v[i]; }, first, last);
}

/// `results` after a warp has run `fold(work, from, out)`, where `from(begin)` returns a function
/// of `i` that loads element `begin + i` of `v`.
template <class T, class Op, class Result, class Fold>
std::vector<Result> by_warp(const std::vector<T>& v, const Op& op, std::vector<Result> results,
                            const Fold& fold) {
  test::emulated_launch on;
  const auto out = on.array(results);
  const auto work = work_on<work_of<T, Op>>(on.read_only(v), v.size(), op);
  on.run({1, 32}, [=] {
    const wf::global_loads loads(wf::caching::keep);
    const auto from = [&](std::size_t begin) {
      return [&, begin](unsigned i) { return work.view.at(begin + i, loads); };
    };
    fold(work, from, out);
  });
  return results;
}

}  // namespace

TEST_CASE("a warp folds a group of any length") {
  const hashes v = test::ordered_elements(5000);
  for (const std::size_t n : {1u,   2u,   3u,   4u,   5u,    31u,   127u,  128u,  129u,  255u,
                              257u, 511u, 512u, 513u, 1023u, 1024u, 1025u, 1537u, 2048u, 4097u}) {
    const hashes got = by_warp(
        v, test::ordered_hash{}, hashes(1), [=](const auto& work, const auto& from, auto out) {
          const auto a = wf::collective::fold_group(
              work, [&](std::size_t begin) { return from(3 + begin); }, n, 0);
          if (threadIdx.x == 0) out.store(0, a);
        });
    INFO(n, " elements");
    CHECK(got[0] == fold_of(v, 3, 3 + n));
  }
}

TEST_CASE("two groups at once, of all pairs of lengths around the rows") {
  const hashes v = test::ordered_elements(600);
  static_assert(wf::collective::longest_of_two<hashing> == 256);
  for (const unsigned a : {1u, 2u, 127u, 128u, 129u, 255u, 256u}) {
    for (const unsigned b : {1u, 3u, 128u, 200u, 256u}) {
      const hashes got = by_warp(
          v, test::ordered_hash{}, hashes(2), [=](const auto& work, const auto& from, auto out) {
            wf::collective::fold_two_groups(work, from(1), a, from(300), b,
                                            [&](std::uint64_t value, int k) {
                                              if (threadIdx.x == 0)
                                                out.store(static_cast<std::size_t>(k), value);
                                            });
          });
      INFO(a, " and ", b, " elements");
      CHECK(got[0] == fold_of(v, 1, 1 + a));
      CHECK(got[1] == fold_of(v, 300, 300 + b));
    }
  }
}

namespace {

// Its nodes of different sizes are combined last.
struct long_hash : test::ordered_hash {
  template <class>
  static constexpr bool is_long = true;
};
static_assert(work_of<std::uint64_t, long_hash>::fold_type::is_long);

template <class Op>
void check_lanes() {
  const hashes v = test::ordered_elements(3000);
  for (unsigned lanes_log2 = 0; lanes_log2 <= 5; ++lanes_log2) {
    const unsigned groups = 32u >> lanes_log2;
    const unsigned most = wf::collective::longest_of_lane << lanes_log2;
    for (const unsigned longest : {1u, 2u, 7u, most / 4, most / 4 + 1, most}) {
      std::vector<unsigned> lengths(groups);
      for (unsigned g = 0; g < groups; ++g) lengths[g] = (g * 37 + longest) % (longest + 1);
      lengths[groups - 1] = longest;
      hashes result(groups, 5);
      test::emulated_launch on;
      const auto out = on.array(result);
      const unsigned* const length_of = on.read_only(lengths);
      const auto work = work_on<work_of<std::uint64_t, Op>>(on.read_only(v), v.size(), Op{});
      on.run({1, 32}, [=] {
        const wf::global_loads loads(wf::caching::keep);
        const unsigned g = threadIdx.x >> lanes_log2, length = length_of[g];
        const auto a = wf::collective::fold_groups(
            work, [&](unsigned i) { return work.view.at(g + i, loads); }, length, longest,
            lanes_log2);
        if (threadIdx.x == g << lanes_log2 && length != 0) out.store(g, a);
      });
      INFO((1 << lanes_log2), " lanes, at most ", longest, " elements");
      for (unsigned g = 0; g < groups; ++g) {
        CHECK(result[g] == (lengths[g] == 0 ? 5 : fold_of(v, g, g + lengths[g])));
      }
    }
  }
}

}  // namespace

TEST_CASE("some lanes for each group, and groups without elements between others") {
  check_lanes<test::ordered_hash>();
  check_lanes<long_hash>();
}

namespace {

/// Folds groups of `n` elements in both ways: by a warp, and by the lanes of `fold_groups`.
template <class Op, class A>
std::vector<A> both_ways(const std::vector<float>& v, std::size_t n, const Op& op, const A& any) {
  return by_warp(v, op, std::vector<A>(2, any), [=](const auto& work, const auto& from, auto out) {
    const auto a = wf::collective::fold_group(work, from, n, 0);
    if (threadIdx.x == 0) out.store(0, a);
    const auto length = static_cast<unsigned>(n < 2048 ? n : 2048);
    const auto b = wf::collective::fold_groups(work, from(0), length, length, 5);
    if (threadIdx.x == 0) out.store(1, b);
  });
}

}  // namespace

TEST_CASE("batches have each element once, and neighbors have the declared order") {
  std::vector<float> v(3000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1 / static_cast<float>(i % 31 + 1);
  v[777] = 3;
  const wf::moments_op op;
  for (const std::size_t n : {1u, 7u, 8u, 9u, 255u, 256u, 300u, 512u, 700u, 3000u}) {
    INFO(n, " elements");
    const auto moments = both_ways(v, n, op, wf::moments{});
    const auto greatest = both_ways(v, n, wf::arg(wf::maximum{}), wf::indexed<float>{});
    for (const std::size_t k : {0u, 1u}) {
      const std::size_t there = k == 0 || n < 2048 ? n : 2048;
      CHECK(moments[k] == test::recursive_fold<wf::moments>(
                              op, [&](std::size_t i) { return op.lift(v[i]); }, 0, there));
      CHECK(greatest[k].index == (there > 777 ? 777 : 0));
    }
  }
}

namespace {

/// Lifts an element with its index, and reads a table of `length` weights.
struct weighted_sum {
  const std::uint64_t* weights;
  std::uint64_t length;
  bool* is_outside;

  WARPFOLD_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
  WARPFOLD_HD std::uint64_t lift(std::uint64_t x, std::size_t i) const {
    if (i >= length) {
      *is_outside = true;
      return 0;
    }
    return x * weights[i];
  }
};

}  // namespace

TEST_CASE("an op with an index gets those of the group only") {
  const hashes v = test::ordered_elements(700), weights = test::ordered_elements(700);
  for (const std::size_t n : {1u, 3u, 5u, 9u, 65u, 130u, 513u, 600u}) {
    bool is_outside = false;
    const weighted_sum op{weights.data(), n, &is_outside};
    std::uint64_t want = 0;
    for (std::size_t i = 0; i < n; ++i) want += op.lift(v[i], i);
    const hashes result =
        by_warp(v, op, hashes(2), [=](const auto& work, const auto& from, auto out) {
          const auto a = wf::collective::fold_group(work, from, n, 0);
          if (threadIdx.x == 0) out.store(0, a);
          const auto length = static_cast<unsigned>(n);
          const auto b = wf::collective::fold_groups(work, from(0), length, length, 5);
          if (threadIdx.x == 0) out.store(1, b);
        });
    INFO(n, " elements");
    CHECK_FALSE(is_outside);
    CHECK(result[0] == want);
    CHECK(result[1] == want);
  }
}
