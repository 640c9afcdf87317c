/// @file
/// The test suite for policies whose rows, columns and segments of one size have the declared order
/// (op/fold_order.hpp): the bits of wf::seq, by an op that tells every tree apart and by sums of
/// floats. The fixtures are those of policy_contract.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_axis.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace test {

namespace cs = cuda::std;

template <class T>
std::vector<T> elements_of_any_size(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = (i + 1) * 0xbf58476d1ce4e5b9;
    if constexpr (std::is_floating_point_v<T>) {
      v[i] = static_cast<T>(std::ldexp(static_cast<double>(bits >> 12), static_cast<int>(i % 9)));
    } else {
      v[i] = static_cast<T>(bits);
    }
  }
  return v;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

struct mix_pair {
  template <class Pair>
  WARPFOLD_HD std::uint64_t operator()(const Pair& p) const {
    return wf::get<0>(p) ^ wf::get<1>(p) * 3;
  }
};
struct xor_both {
  WARPFOLD_HD std::uint64_t operator()(std::uint64_t x, std::uint64_t fold) const {
    return x ^ fold;
  }
};

/// Compares what `call(policy, in, out)` writes to `n` elements of type `Out`, by default `T`, by
/// wf::seq and by the fixture.
template <class Fixture, class Out = void, class T, class Call>
void check_bits(const std::vector<T>& v, std::size_t offset, std::size_t n, const Call& call) {
  using A = std::conditional_t<std::is_void_v<Out>, T, Out>;
  std::vector<A> expected(n);
  call(wf::seq, v.data(), expected.data());
  const typename Fixture::template array<T> in(v, offset * sizeof(T));
  const typename Fixture::template array<A> out(std::vector<A>(n), 0);
  call(Fixture::policy(), in.data(), const_cast<A*>(out.data()));
  CHECK(same_bits(Fixture::template values<A>(out.data(), n), expected));
}

template <class Fixture, class T, class Op>
void check_axes(std::size_t a, std::size_t b, std::size_t c, std::size_t offset, const Op& op) {
  using matrix = cs::mdspan<const T, cs::dextents<std::size_t, 3>>;
  using A = decltype(wf::reduce(wf::seq, std::vector<T>(), op));
  using results = cs::mdspan<A, cs::dextents<std::size_t, 2>>;
  INFO(a, " x ", b, " x ", c, " elements of ", sizeof(T), " bytes from element ", offset);
  const auto v = elements_of_any_size<T>(a * b * c);
  check_bits<Fixture, A>(v, offset, b * c, [&](const auto& policy, const T* in, A* out) {
    wf::reduce_axis<0>(policy, matrix(in, a, b, c), op, results(out, b, c));
  });
  check_bits<Fixture, A>(v, offset, a * c, [&](const auto& policy, const T* in, A* out) {
    wf::reduce_axis<1>(policy, matrix(in, a, b, c), op, results(out, a, c));
  });
  check_bits<Fixture, A>(v, offset, a * b, [&](const auto& policy, const T* in, A* out) {
    wf::reduce_axis<2>(policy, matrix(in, a, b, c), op, results(out, a, b));
  });
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("each axis of random shapes", F, axis_order_of_shapes) {
  std::mt19937 random(7);
  const std::size_t extents[] = {1,   2,   3,   4,   5,    7,    8,    9,    15,   16,
                                 17,  31,  32,  33,  63,   64,   65,   100,  127,  128,
                                 130, 257, 300, 513, 1000, 1030, 2049, 5000, 20001};
  for (int k = 0; k < F::shapes; ++k) {
    std::size_t of[3];
    for (std::size_t& extent : of) extent = extents[random() % std::size(extents)];
    while (of[0] * of[1] * of[2] > F::most_elements) {
      std::size_t& most = *std::max_element(of, of + 3);
      most = most / 7 + 1;
    }
    const std::size_t offset = random() % 4;
    test::check_axes<F, std::uint64_t>(of[0], of[1], of[2], offset, test::ordered_hash{});
    test::check_axes<F, float>(of[0], of[1], of[2], offset, wf::plus{});
    if (k % 4 == 0) test::check_axes<F, double>(of[0], of[1], of[2], offset, wf::plus{});
    test::check_axes<F, float>(of[0], of[1], of[2], offset, wf::moments_op{});
    if (k % 4 == 1) test::check_axes<F, signed char>(of[0], of[1], of[2], offset, wf::moments_op{});
  }
}

TEST_CASE_TEMPLATE_DEFINE("few rows of any length from any element, and small matrices", F,
                          axis_order_of_few_rows) {
  for (std::size_t rows = 1; rows <= 9; ++rows) {
    for (const std::size_t across : {257u, 512u, 1111u, 2050u}) {
      const std::size_t offset = (rows + across) % 5;
      test::check_axes<F, float>(rows, 3, across, offset, wf::plus{});
      test::check_axes<F, double>(rows, 2, across, offset, wf::plus{});
      test::check_axes<F, std::uint64_t>(2, rows, across, offset, test::ordered_hash{});
      test::check_axes<F, std::uint16_t>(rows, 1, across, offset, test::ordered_hash{});
      test::check_axes<F, unsigned char>(rows, 2, across, offset, test::ordered_hash{});
    }
  }
  for (const std::size_t across : {2u, 3u, 5u, 7u, 9u, 33u, 63u}) {
    for (const std::size_t length : {2u, 9u, 60u, 100u}) {
      const std::size_t offset = length % 9 == 0 ? 1 : 0;
      test::check_axes<F, float>(67, length, across, offset, wf::plus{});
      test::check_axes<F, std::uint64_t>(13, length, across, offset, test::ordered_hash{});
      test::check_axes<F, unsigned char>(13, length, across, offset, test::ordered_hash{});
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("states that are not posted", F, axis_order_of_large_states) {
  for (const std::size_t rows : {1u, 9u, 70u, 300u}) {
    INFO(rows, " rows of 17");
    std::vector<test::wide_hash> v(rows * 17);
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t k = 0; k < 13; ++k) v[i].of[k] = (i * 13 + k + 1) * 0xbf58476d1ce4e5b9;
    }
    using matrix = cuda::std::mdspan<const test::wide_hash, cuda::std::dextents<std::size_t, 2>>;
    test::check_bits<F>(v, 0, 17, [&](const auto& policy, const auto* in, auto* out) {
      wf::reduce_axis<0>(policy, matrix(in, rows, 17), test::hash_each{}, std::span(out, 17));
    });
    test::check_bits<F>(v, 0, 17, [&](const auto& policy, const auto* in, auto* out) {
      wf::reduce_axis<1>(policy, matrix(in, 17, rows), test::hash_each{}, std::span(out, 17));
    });
  }
}

TEST_CASE_TEMPLATE_DEFINE("expressions, and several axes", F, axis_order_of_expressions) {
  using wf_matrix = cuda::std::mdspan<const std::uint64_t, cuda::std::dextents<std::size_t, 3>>;
  for (const std::size_t n : {3u, 8u, 33u, 130u, 700u}) {
    for (const std::size_t offset : {0u, 1u}) {
      INFO("5 x 6 x ", n, " from element ", offset);
      const auto v = test::elements_of_any_size<std::uint64_t>(2 * 30 * n);
      const auto both = [=](const std::uint64_t* in) {
        return wf::project(wf::zip(wf_matrix(in, 5, 6, n), wf_matrix(in + 30 * n, 5, 6, n)),
                           test::mix_pair{});
      };
      test::check_bits<F>(v, offset, 30, [&](const auto& policy, const auto* in, auto* out) {
        wf::reduce_axes<2>(policy, both(in), test::ordered_hash{}, std::span(out, 30));
      });
      test::check_bits<F>(v, offset, 6 * n, [&](const auto& policy, const auto* in, auto* out) {
        wf::reduce_axes<0>(policy, both(in), test::ordered_hash{}, std::span(out, 6 * n));
      });
      test::check_bits<F>(v, offset, 6, [&](const auto& policy, const auto* in, auto* out) {
        wf::reduce_axes<0, 2>(policy, both(in), test::ordered_hash{}, std::span(out, 6));
      });
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("rows that are written, and segments of one size", F,
                          axis_order_of_rows) {
  using matrix = cuda::std::mdspan<const std::uint64_t, cuda::std::dextents<std::size_t, 2>>;
  using results = cuda::std::mdspan<std::uint64_t, cuda::std::dextents<std::size_t, 2>>;
  for (const std::size_t n : {1u, 2u, 3u, 5u, 31u, 32u, 33u, 64u, 100u, 129u, 256u, 500u, 513u,
                              1028u, 3001u, 8192u, 20000u}) {
    for (const std::size_t rows : {1u, 3u, 9u}) {
      for (const std::size_t offset : {0u, 1u}) {
        INFO(rows, " rows of ", n, " from element ", offset);
        const auto v = test::elements_of_any_size<std::uint64_t>(rows * n);
        test::check_bits<F>(
            v, offset, rows * n, [&](const auto& policy, const auto* in, auto* out) {
              wf::transform_axis<1>(policy, matrix(in, rows, n), test::ordered_hash{},
                                    results(out, rows, n), test::xor_both{});
            });
        test::check_bits<F>(v, offset, rows, [&](const auto& policy, const auto* in, auto* out) {
          wf::reduce_segments(policy, std::span(in, rows * n), wf::segments_of_size(n),
                              test::ordered_hash{}, std::span(out, rows));
        });
      }
    }
  }
}
