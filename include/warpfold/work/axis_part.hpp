/// @file
/// The work object of `reduce_axis` on one of several ranks, each of which has a part of the axis.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/op/combining.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold {

/// `Work` of a rank's part of the axis, for a policy that combines the parts of all ranks. Results
/// have numbers in row-major order of `kept`, the same on every rank whatever its strides.
///
/// @tparam Work the fold to the outputs
/// @tparam Partial the fold to accumulators in the order of the numbers
/// @tparam Value,Op the elements and the op that the caller sees
/// @tparam Rows `rows(accumulators, count, offsets)` returns the fold of `count` rows of
///     accumulators to the outputs, one row for each part
template <class Work, class Partial, class Value, class Op, class Rows>
struct axis_part : Work {
  using work_type = Work;
  using caller_value = Value;
  using caller_op = Op;
  static_assert(std::is_same_v<typename Work::accumulator, typename Partial::accumulator>);

  Partial partial;
  detail::array_shape kept;
  Op own_op;
  Rows rows;
  bool accumulates = false;  ///< a result without elements leaves the output as it is

  /// The fold of this rank's part to `memory`.
  Partial partial_to(typename Work::accumulator* memory) const {
    Partial p = partial;
    if constexpr (requires { p.out.head; }) {
      p.out.head = memory;
    } else {
      p.out = memory;
    }
    return p;
  }

  /// As `Work`, but other ranks may have elements.
  void require_valid() const {
    if (this->layout.length != 0) Work::require_valid();
  }
};

/// The `axis_part` of any fold.
template <class Work>
concept axis_part_work = requires { typename Work::caller_op; };

template <axis_part_work Part>
struct sharded_axis;  // policy/sharded_groups.hpp
template <class Work>
concept sharded_axis_work = requires { typename Work::part_type; };

/// A policy whose ranks each pass a part of the elements: it declares `combines_parts`.
template <class Policy>
concept combines_parts = requires { requires Policy::combines_parts; };

namespace detail {

template <class Rows>
struct accumulating_rows {
  Rows rows;

  template <class A>
  auto operator()(const A* accumulators, std::size_t count, const part_offsets& offsets) const {
    return accumulated(rows(accumulators, count, offsets));
  }
};

template <class Work, class Partial, class Value, class Op, class Rows>
auto accumulated(const axis_part<Work, Partial, Value, Op, Rows>& a) {
  const auto work = accumulated(static_cast<const Work&>(a));
  return axis_part<std::remove_const_t<decltype(work)>, Partial, Value, Op,
                   accumulating_rows<Rows>>{work, a.partial, a.kept, a.own_op, {a.rows}, true};
}
template <class Part>
auto accumulated(const sharded_axis<Part>& all) {
  sharded_axis<decltype(accumulated(all.parts[0]))> parts;
  for (const Part& p : all.parts) parts.parts.push_back(accumulated(p));
  return parts;
}

}  // namespace detail

}  // namespace warpfold
