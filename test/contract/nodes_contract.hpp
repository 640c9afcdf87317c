// fold_nodes of a GPU policy: the nodes of wf::seq, wherever the elements lie in the whole and in
// memory.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <warpfold/op/lift.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>
#include <warpfold/work/reduction.hpp>

#include "contract/order_certificate.hpp"
#include "contract/result_bits.hpp"

namespace test {

namespace wf = warpfold;

/// `Fixture` is that of policy_contract.hpp.
template <class Fixture>
struct nodes_contract {
  template <class T>
  using array = typename Fixture::template array<T>;

  /// The nodes of the elements of `range`, which are those from element `before` on of `whole`.
  template <class Policy, class Range, class Op>
  static auto nodes_of(const Policy& policy, const Range& range, const Op& op, std::size_t before,
                       std::size_t whole) {
    const auto elements = wf::lifted(wf::as_view(range), op);
    const wf::reduction<std::remove_const_t<decltype(elements)>, Op> r{elements, op, {}};
    std::vector<typename decltype(r)::accumulator> nodes;
    policy.fold_nodes(r, before, whole, [&](const auto& node) { nodes.push_back(node); });
    return nodes;
  }

  /// @param on_host the elements of `range` in host memory
  template <class Range, class HostRange, class Op>
  static void check(const Range& range, const HostRange& on_host, const Op& op) {
    const std::size_t n = wf::as_view(on_host).size();
    for (const std::size_t before : {0u, 1u, 6u, 4095u, 65536u}) {
      for (const std::size_t after : {0u, 1u, 100'000u}) {
        INFO(n, " elements, ", before, " before them, ", after, " after them");
        const std::size_t whole = before + n + after;
        CHECK(nodes_of(Fixture::policy(), range, op, before, whole) ==
              nodes_of(wf::seq, on_host, op, before, whole));
      }
    }
  }
  /// @param offset bytes from an aligned address
  template <class T, class Op>
  static void check(const std::vector<T>& v, const Op& op, std::size_t offset) {
    INFO(sizeof(T), " bytes each, ", offset, " bytes from an aligned address");
    const array<T> a(v, offset);
    check(std::span<const T>(a.data(), v.size()), v, op);
  }

  static void check_elements(std::size_t n) {
    const std::vector<std::uint64_t> v = ordered_elements(n);
    std::vector<float> floats(n);
    for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(v[i] >> 40) / 3;
    std::vector<wide_hash> wide(std::min<std::size_t>(n, 3000));
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
    for (const std::size_t k : {0u, 1u}) {
      check(v, ordered_hash{}, 8 * k);
      check(floats, wf::plus{}, 4 * k);
      check(wide, hash_each{}, 8 * k);
      check(std::vector<float_triple>(n, {0.1f, 1e7f, -3.3f}), add_triples{}, 4 * k);
    }
  }

  static void check_views(std::size_t n) {
    constexpr ordered_hash hash;
    const std::vector<std::uint64_t> v = ordered_elements(n);
    const array<std::uint64_t> a(v, 8);
    const std::span<const std::uint64_t> elements(a.data(), n);
    check(wf::project(elements, sum_with_itself{}), wf::project(v, sum_with_itself{}), hash);
    check(wf::project(wf::zip(elements, elements), hash), wf::project(wf::zip(v, v), hash), hash);
    check(wf::reverse(elements), wf::reverse(v), hash);
    check(wf::strided(elements, 3), wf::strided(v, 3), hash);
    const auto computed = wf::project(wf::counting(std::uint64_t{1}, n), ordered_element{});
    check(computed, computed, hash);
  }
};

}  // namespace test
