// The declared order of wf::seq and wf::par, certified by an op that tells every tree apart: whole
// ranges, views, rows and columns, segments, lists and runs of keys.
// needs: tbb cccl
#include <oneapi/tbb/task_arena.h>
#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include <warpfold/norm.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/where.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using hashes = std::vector<std::uint64_t>;
constexpr test::ordered_hash op;

#define BOTH_POLICIES wf::seq_policy, wf::par_policy

hashes part(const hashes& v, std::size_t first, std::size_t last) {
  return {v.begin() + static_cast<long>(first), v.begin() + static_cast<long>(last)};
}

}  // namespace

TEST_CASE_TEMPLATE("ranges of every size, and views of them", Policy, BOTH_POLICIES) {
  const Policy policy;
  for (const std::size_t n : test::ordered_sizes()) {
    INFO(n, " elements");
    const hashes v = test::ordered_elements(n);
    REQUIRE(wf::reduce(policy, v, op) == test::ordered_fold(v));
    REQUIRE(wf::reduce(policy, v, std::uint64_t{5}, op) == op(5, test::ordered_fold(v)));
    const auto twice = [](std::uint64_t x) { return 2 * x; };
    hashes other = v;
    for (std::uint64_t& x : other) x *= 2;
    CHECK(wf::reduce(policy, wf::project(v, twice), op) == test::ordered_fold(other));
    CHECK(wf::reduce(policy, wf::reverse(v), op) ==
          test::ordered_fold(hashes(v.rbegin(), v.rend())));
    hashes thirds;
    for (std::size_t i = 0; i < n; i += 3) thirds.push_back(v[i]);
    CHECK(wf::reduce(policy, wf::strided(v, 3), op) == test::ordered_fold(thirds));
  }
}

TEST_CASE("any number of threads") {
  const hashes v = test::ordered_elements(5'000'000);
  const std::uint64_t expected = test::ordered_fold(v);
  for (int threads = 1; threads <= 16; ++threads) {
    tbb::task_arena arena(threads);
    arena.execute([&] { CHECK(wf::reduce(wf::par, v, op) == expected); });
  }
}

TEST_CASE_TEMPLATE("an element that a mask leaves out is a missing leaf", Policy, BOTH_POLICIES) {
  const Policy policy;
  struct leaf {
    std::uint64_t hash;
    bool is_there;
  };
  const auto join = [](const leaf& a, const leaf& b) {
    return !a.is_there ? b : !b.is_there ? a : leaf{op(a.hash, b.hash), true};
  };
  std::mt19937 random(7);
  for (const std::size_t n : {1u, 31u, 32u, 100u, 1000u, 40000u}) {
    const hashes v = test::ordered_elements(n);
    std::vector<std::uint32_t> bits((n + 31) / 32);
    for (std::uint32_t& b : bits) b = static_cast<std::uint32_t>(random());
    bits[0] |= 1;
    const auto element = [&](std::size_t i) {
      return leaf{v[i], (bits[i / 32] >> i % 32 & 1) != 0};
    };
    CHECK(wf::reduce(policy, wf::where(v, bits), op) ==
          test::recursive_fold<leaf>(join, element, 0, n).hash);
  }
}

TEST_CASE_TEMPLATE("rows and columns, of arrays and of expressions", Policy, BOTH_POLICIES) {
  const Policy policy;
  const std::pair<std::size_t, std::size_t> shapes[] = {
      {1, 1},   {7, 1},    {1, 9},   {9, 7},     {16, 3},    {17, 5},
      {65, 20}, {33, 100}, {3, 700}, {70000, 2}, {2, 70000}, {400, 3000}};
  for (const auto& shape : shapes) {
    const std::size_t rows = shape.first, columns = shape.second;
    INFO(rows, " x ", columns);
    const hashes v = test::ordered_elements(rows * columns);
    const cs::mdspan<const std::uint64_t, cs::dextents<std::size_t, 2>> m(v.data(), rows, columns);
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return a + b; };
    const auto e = wf::project(wf::zip(m, m), sum);
    hashes of_rows(rows), of_columns(columns), of_e_rows(rows), of_e_columns(columns);
    wf::reduce_axis<1>(policy, m, op, of_rows);
    wf::reduce_axis<0>(policy, m, op, of_columns);
    wf::reduce_axis<1>(policy, e, op, of_e_rows);
    wf::reduce_axis<0>(policy, e, op, of_e_columns);
    for (std::size_t r = 0; r < rows; ++r) {
      hashes row = part(v, r * columns, (r + 1) * columns);
      REQUIRE(of_rows[r] == test::ordered_fold(row));
      for (std::uint64_t& x : row) x *= 2;
      REQUIRE(of_e_rows[r] == test::ordered_fold(row));
    }
    for (std::size_t c = 0; c < columns; ++c) {
      hashes column(rows);
      for (std::size_t r = 0; r < rows; ++r) column[r] = v[r * columns + c];
      REQUIRE(of_columns[c] == test::ordered_fold(column));
      for (std::uint64_t& x : column) x *= 2;
      REQUIRE(of_e_columns[c] == test::ordered_fold(column));
    }
  }
}

TEST_CASE_TEMPLATE("a long row that is folded in batches has the bits of its range", Policy,
                   BOTH_POLICIES) {
  constexpr std::size_t rows = 2, columns = 200000;  // more than the longest batch
  std::vector<float> v(rows * columns);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 1 / static_cast<float>(i % 9973 + 1);
  const cs::mdspan<const float, cs::dextents<std::size_t, 2>> m(v.data(), rows, columns);
  std::vector<wf::moments> out(rows);
  wf::reduce_axis<1>(Policy{}, m, wf::moments_op{}, out);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = std::span<const float>(v).subspan(r * columns, columns);
    const wf::moments expected = wf::reduce(wf::seq, row, wf::moments_op{});
    CHECK(std::memcmp(&out[r], &expected, sizeof expected) == 0);
  }
}

TEST_CASE_TEMPLATE("several axes in the order of their indices", Policy, BOTH_POLICIES) {
  constexpr std::size_t a = 5, b = 3, c = 70;
  const hashes v = test::ordered_elements(a * b * c);
  const cs::mdspan<const std::uint64_t, cs::dextents<std::size_t, 3>> right(v.data(), a, b, c);
  const cs::mdspan<const std::uint64_t, cs::dextents<std::size_t, 3>, cs::layout_left> left(
      v.data(), a, b, c);
  const auto check = [&](const auto& m) {
    hashes out(b);
    wf::reduce_axes<0, 2>(Policy{}, m, op, out);
    for (std::size_t j = 0; j < b; ++j) {
      hashes own;
      for (std::size_t i = 0; i < a; ++i) {
        for (std::size_t k = 0; k < c; ++k) own.push_back(v[m.mapping()(i, j, k)]);
      }
      CHECK(out[j] == test::ordered_fold(own));
    }
  };
  check(right);
  check(left);
}

TEST_CASE_TEMPLATE("segments, runs of equal keys and lists", Policy, BOTH_POLICIES) {
  const Policy policy;
  std::mt19937 random(1);
  for (const unsigned mean : {1u, 3u, 8u, 60u, 70000u}) {
    std::vector<int> offsets{0};
    while (offsets.size() < 2000 && offsets.back() < 300000) {
      offsets.push_back(offsets.back() + 1 + static_cast<int>(random() % (2 * mean)));
    }
    const std::size_t n = offsets.size() - 1;
    const hashes v = test::ordered_elements(static_cast<std::size_t>(offsets.back()));
    hashes of_segments(n), of_runs(n), of_ranges(n);
    std::vector<int> keys, keys_out(n);
    std::vector<std::span<const std::uint64_t>> list;
    for (std::size_t s = 0; s < n; ++s) {
      const auto length = static_cast<std::size_t>(offsets[s + 1] - offsets[s]);
      keys.insert(keys.end(), length, static_cast<int>(s));
      list.push_back(std::span(v).subspan(static_cast<std::size_t>(offsets[s]), length));
    }
    wf::reduce_segments(policy, v, offsets, op, of_segments);
    REQUIRE(wf::reduce_by_key(policy, keys, v, op, keys_out, of_runs) == n);
    wf::reduce_many(policy, list, op, of_ranges);
    for (std::size_t s = 0; s < n; ++s) {
      const std::uint64_t expected = test::ordered_fold(list[s]);
      REQUIRE(of_segments[s] == expected);
      REQUIRE(of_runs[s] == expected);
      REQUIRE(of_ranges[s] == expected);
    }
  }
}

TEST_CASE_TEMPLATE("norms, compensated sums and several ops at once", Policy, BOTH_POLICIES) {
  const Policy policy;
  const auto half = [](double x) { return x / 2; };
  for (const std::size_t n : {1u, 100u, 5000u, 300'000u}) {
    std::vector<double> v(n);
    std::mt19937 random(static_cast<unsigned>(n));
    for (double& x : v) x = static_cast<double>(random()) / 7 - 3e8;
    const auto alone = [&](const auto& range, const auto& of) {
      return wf::reduce(policy, range, of);
    };
    const auto lifted_fold = [&](const auto& of) {
      using A = decltype(of.lift(v[0]));
      return test::recursive_fold<A>(of, [&](std::size_t i) { return of.lift(v[i]); }, 0, n);
    };
    CHECK(wf::norm_2(policy, v) == lifted_fold(wf::squares_op{}).root());
    const auto compensated = wf::plus{}.compensated();
    CHECK(alone(v, compensated) == static_cast<double>(lifted_fold(compensated)));
    // Each part has the bits that it has alone.
    const auto [sum, least, where_greatest, exact_enough, halves] =
        wf::reduce(policy, v,
                   wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}), compensated,
                           wf::projected(wf::plus{}, half)));
    CHECK(sum == alone(v, wf::plus{}));
    CHECK(least == alone(v, wf::minimum{}));
    CHECK(where_greatest == alone(v, wf::arg(wf::maximum{})));
    CHECK(exact_enough == alone(v, compensated));
    CHECK(halves == alone(wf::project(v, half), wf::plus{}));
  }
}

TEST_CASE_TEMPLATE("short segments of floats, which are padded", Policy, BOTH_POLICIES) {
  std::vector<float> v;
  for (int i = 0; i < 4000; ++i) v.push_back(1 / static_cast<float>(i % 91 + 1));
  std::vector<int> offsets{0};
  std::mt19937 random(3);
  while (offsets.back() + 8 < 4000) {
    offsets.push_back(offsets.back() + static_cast<int>(random() % 9));
  }
  std::vector<float> out(offsets.size() - 1);
  wf::reduce_segments(Policy{}, v, offsets, wf::plus{}, out);
  for (std::size_t s = 0; s < out.size(); ++s) {
    if (offsets[s] == offsets[s + 1]) continue;
    CHECK(out[s] == test::recursive_fold<float>(
                        std::plus<float>{}, [&](std::size_t i) { return v[i]; },
                        static_cast<std::size_t>(offsets[s]),
                        static_cast<std::size_t>(offsets[s + 1])));
  }
}
