/// @file
/// The work object of `reduce_axis` on one of several ranks, each of which has a part of the axis.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include <warpfold/op/fold.hpp>
#include <warpfold/view/axis_shape.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/kinds.hpp>

namespace warpfold {

/// `Work` of one rank's part of the axis, for a policy that combines the parts of all ranks.
/// Results have numbers in row-major order, the same on every rank.
///
/// @tparam Work the fold to the outputs, whatever the strides of this rank
/// @tparam Partial the fold to accumulators in row-major order, of which the policy sets the memory
/// @tparam Value,Op the elements and the op that the caller sees
template <class Work, class Partial, class Value, class Op, int Outs>
struct axis_part : Work {
  using work_type = Work;
  using caller_value = Value;
  using caller_op = Op;
  using accumulator = typename Work::accumulator;

  static_assert(std::is_same_v<accumulator, typename Partial::accumulator>);

  Partial partial;
  detail::axis_shape kept;
  detail::axis_shape to[Outs];
  Op op_of_caller;
  bool accumulates = false;  ///< results without elements leave the outputs as they are

  warpfold::fold<Op, accumulator> fold_of_caller() const { return {op_of_caller}; }

  /// The fold of this rank's part to the accumulators at `memory`.
  Partial partial_to(accumulator* memory) const {
    Partial p = partial;
    if constexpr (requires { p.out.head; }) {
      p.out.head = memory;
    } else {
      p.out = memory;
    }
    return p;
  }

  /// Writes result `i`.
  void write_number(std::size_t i, const accumulator& a) const {
    if constexpr (requires { Work::arrays; }) {
      std::size_t at[std::size_t{Work::arrays + Outs}] = {};
      for (int o = 0; o < Outs; ++o) at[Work::arrays + o] = place(to[o], i);
      Work::write(at, a, host_stores{});
    } else {
      auto* const out = this->out + place(to[0], i);
      ::new (static_cast<void*>(out)) typename Work::out_type(Work::result(a, out));
    }
  }

  /// As `Work`, but the other ranks may have elements.
  void require_valid() const {
    if (this->layout.length != 0) Work::require_valid();
  }

 private:
  static std::size_t place(const detail::axis_shape& shape, std::size_t i) {
    std::size_t at = 0;
    for (int d = shape.rank; d-- > 0; i /= shape.extent[d]) {
      at += i % shape.extent[d] * shape.stride[d];
    }
    return at;
  }
};

namespace detail {

template <class Work>
inline constexpr bool is_axis_part = false;
template <class Work, class Partial, class Value, class Op, int Outs>
inline constexpr bool is_axis_part<axis_part<Work, Partial, Value, Op, Outs>> = true;

template <class Work, class Partial, class Value, class Op, int Outs>
auto accumulated(const axis_part<Work, Partial, Value, Op, Outs>& a) {
  const auto work = accumulated(static_cast<const Work&>(a));
  axis_part<std::remove_const_t<decltype(work)>, Partial, Value, Op, Outs> part{
      work, a.partial, a.kept, {}, a.op_of_caller};
  std::memcpy(part.to, a.to, sizeof part.to);
  part.accumulates = true;
  return part;
}

}  // namespace detail

/// The `axis_part` of any fold.
template <class Work>
concept axis_part_work = detail::is_axis_part<Work>;

/// A policy whose ranks each pass a part of the elements: it declares `combines_parts`.
template <class Policy>
concept combines_parts = requires { requires Policy::combines_parts; };

}  // namespace warpfold
