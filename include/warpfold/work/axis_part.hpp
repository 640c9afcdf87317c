/// @file
/// The work object of `reduce_axis` on one of several ranks, each of which has a part of the axis.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/view/layout.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold {

/// `Work` of a rank's part of the axis, for a policy that combines the parts of all ranks. Results
/// have numbers in row-major order of `kept`, the same on every rank whatever its strides.
///
/// @tparam Work the fold to the outputs
/// @tparam Partial the fold to accumulators in the order of the numbers
/// @tparam Value,Op the elements and the op that the caller sees
template <class Work, class Partial, class Value, class Op, std::size_t Outs>
struct axis_part : Work {
  using work_type = Work;
  using caller_value = Value;
  using caller_op = Op;
  struct shapes {
    detail::array_shape of[Outs];
  };
  static_assert(std::is_same_v<typename Work::accumulator, typename Partial::accumulator>);

  Partial partial;
  detail::array_shape kept;
  shapes to;  // of the outputs
  Op own_op;
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

  /// Writes result `i`.
  void write_number(std::size_t i, const typename Work::accumulator& a) const {
    const auto place = [i](const detail::array_shape& shape) {
      std::size_t rest = i, at = 0;
      for (int d = shape.rank; d-- > 0; rest /= shape.extent[d]) {
        at += rest % shape.extent[d] * shape.stride[d];
      }
      return at;
    };
    if constexpr (requires { Work::arrays; }) {
      std::size_t at[std::size_t{Work::arrays} + Outs] = {};
      for (std::size_t o = 0; o < Outs; ++o) at[Work::arrays + o] = place(to.of[o]);
      Work::write(at, a, host_stores{});
    } else {
      auto* const out = this->out + place(to.of[0]);
      ::new (static_cast<void*>(out)) typename Work::out_type(Work::result(a, out));
    }
  }

  /// As `Work`, but other ranks may have elements.
  void require_valid() const {
    if (this->layout.length != 0) Work::require_valid();
  }
};

/// The `axis_part` of any fold.
template <class Work>
concept axis_part_work = requires { typename Work::caller_op; };

/// A policy whose ranks each pass a part of the elements: it declares `combines_parts`.
template <class Policy>
concept combines_parts = requires { requires Policy::combines_parts; };

namespace detail {

template <class Work, class Partial, class Value, class Op, std::size_t Outs>
auto accumulated(const axis_part<Work, Partial, Value, Op, Outs>& a) {
  const auto work = accumulated(static_cast<const Work&>(a));
  using part = axis_part<std::remove_const_t<decltype(work)>, Partial, Value, Op, Outs>;
  return part{work,     a.partial, a.kept, __builtin_bit_cast(typename part::shapes, a.to),
              a.own_op, true};
}

}  // namespace detail

}  // namespace warpfold
