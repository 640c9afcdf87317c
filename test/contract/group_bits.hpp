/// @file
/// The bits of folds of groups as one number, as result_bits.hpp has those of whole ranges: rows,
/// columns, transformed rows, segments, lists of ranges and runs of equal keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_axis.hpp>

#include "contract/result_bits.hpp"

namespace test {

/// The number for all policies. It changes only if the calls below do.
inline constexpr std::uint64_t expected_group_bits = 14451631465998877058u;

struct minus_fold {
  template <class T>
  WARPFOLD_HD T operator()(const T& x, const T& fold) const {
    return x - fold;
  }
};

/// Folds groups of elements of type `T` by `Op` on a policy, and adds the results to a hash.
/// `Memory` is `host_memory` or `device_memory`.
template <class Memory, class Policy, class T, class Op>
class group_folds {
  using result = decltype(wf::reduce(wf::seq, std::vector<T>(), Op{}));
  template <class U>
  using array = typename Memory::template array<U>;

 public:
  group_folds(const Policy& policy, result_hash& bits, arbitrary_numbers& numbers)
      : policy_(policy), bits_(bits), numbers_(numbers) {}

  void of_matrix(std::size_t rows, std::size_t columns) {
    const auto v = numbers_.around_zero<T>(rows * columns);
    const array<T> in(v, sizeof(T));
    const matrix<const T> m(in.data(), rows, columns);
    add<result>(rows,
                [&](auto* out) { wf::reduce_axis<1>(policy_, m, Op{}, std::span(out, rows)); });
    add<result>(columns,
                [&](auto* out) { wf::reduce_axis<0>(policy_, m, Op{}, std::span(out, columns)); });
    if constexpr (std::is_same_v<result, T>) {
      add<T>(rows * columns, [&](T* out) {
        wf::transform_axis<1>(policy_, m, Op{}, matrix<T>(out, rows, columns), minus_fold{});
      });
    }
  }

  /// Of segments of 1 to 2 * `mean` - 1 elements, as segments, ranges of a list, and runs.
  void of_segments(std::size_t count, std::size_t mean) {
    std::vector<int> offsets{0}, keys;
    for (std::size_t s = 0; s < count; ++s) {
      const auto length = 1 + numbers_.next() % (2 * mean - 1);
      keys.insert(keys.end(), length, static_cast<int>(s));
      offsets.push_back(static_cast<int>(keys.size()));
    }
    const std::size_t n = keys.size();
    const auto v = numbers_.around_zero<T>(n);
    const array<T> in(v, sizeof(T));
    const array<int> bounds(offsets, 0), key(keys, 4), key_out(std::vector<int>(count), 0);
    const std::span elements(in.data(), n);
    add<result>(count, [&](auto* out) {
      wf::reduce_segments(policy_, elements, std::span(bounds.data(), count + 1), Op{},
                          std::span(out, count));
    });
    add<result>(count, [&](auto* out) {
      wf::reduce_by_key(policy_, std::span(key.data(), n), elements, Op{},
                        std::span(const_cast<int*>(key_out.data()), count), std::span(out, count));
    });
    std::vector<std::span<const T>> ranges;
    for (std::size_t s = 0; s < count; ++s) {
      const auto first = static_cast<std::size_t>(offsets[s]);
      ranges.push_back(elements.subspan(first, static_cast<std::size_t>(offsets[s + 1]) - first));
    }
    add<result>(count,
                [&](auto* out) { wf::reduce_many(policy_, ranges, Op{}, std::span(out, count)); });
  }

 private:
  template <class U>
  using matrix = cuda::std::mdspan<U, cuda::std::dextents<std::size_t, 2>>;

  /// Adds the `n` results that `call(out)` writes.
  template <class R, class Call>
  void add(std::size_t n, const Call& call) {
    const array<R> out(std::vector<R>(n), 0);
    call(const_cast<R*>(out.data()));
    for (const R& r : Memory::template values<R>(out.data(), n)) bits_.add(r);
  }

  const Policy& policy_;
  result_hash& bits_;
  arbitrary_numbers& numbers_;
};

/// The bits of 205 calls.
template <class Memory, class Policy>
std::uint64_t group_bits(const Policy& policy) {
  result_hash bits;
  arbitrary_numbers numbers;
  const auto add = [&]<class T, class Op>(T, Op) {
    group_folds<Memory, Policy, T, Op> folds(policy, bits, numbers);
    for (const auto& [rows, columns] :
         std::initializer_list<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                                    {5, 7},
                                                                    {33, 31},
                                                                    {16, 100},
                                                                    {1000, 3},
                                                                    {700, 17},
                                                                    {257, 130},
                                                                    {9, 4099},
                                                                    {2, 20'011},
                                                                    {20'011, 2},
                                                                    {1, 33'003}}) {
      folds.of_matrix(rows, columns);
    }
    for (const auto& [count, mean] : std::initializer_list<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {5, 1}, {3000, 2}, {1000, 9}, {300, 60}, {20, 2000}, {2, 20'000}}) {
      folds.of_segments(count, mean);
    }
  };
  add(float{}, wf::plus{});
  add(float{}, leaning_mean{});
  add(double{}, wf::plus{});
  add(double{}, wf::moments_op{});
  return bits.value();
}

}  // namespace test
