/// @file
/// The work object of `reduce_axis` and `reduce_axes` for expressions of several arrays, several
/// axes and several outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/overlap.hpp>
#include <warpfold/work/written_result.hpp>

namespace warpfold {

/// A fold along one or several axes of an expression, ready for a policy to run. Kernels take it by
/// value, as bytes. Result `r` folds the elements at `layout.kept.place(r)` and
/// `layout.folded.place(i)` together.
template <class Source, class Op, class... Outs>
struct expression_reduction {
  using kind = kinds::axis_reduction;
  static constexpr int arrays = Source::arrays;
  static constexpr int outs = sizeof...(Outs);

  using source_type = Source;
  using value_type = typename Source::value_type;
  using op_type = Op;
  using lifted_type = detail::lifted_t<Op, value_type>;
  using accumulator =
      typename op_traits<Op, typename op_traits<Op, lifted_type>::accumulator>::accumulator;
  using fold_type = warpfold::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool is_lifted = Source::function_type::computes ||
                                    lifts_indexed<Op, value_type> || lifts_element<Op, value_type>;
  static constexpr bool has_identity = op_traits<Op, accumulator>::has_identity;
  static constexpr bool tells_memory = true;

  Source source;
  tuple<Outs*...> out;
  array_layout<arrays, outs> layout;
  std::size_t span[std::size_t{arrays + outs}];  ///< elements from the first to the last
  Op op;
  in_register keep{};  // guards computed elements

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// Converts a value to the accumulator; `i` is its index among the elements of its result.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x, std::size_t i) const {
    if constexpr (Source::function_type::computes && !never_compares<Op>) {
      return static_cast<accumulator>(detail::lift_by(op, keep, keep(x), i));
    } else {
      return static_cast<accumulator>(detail::lift_by(op, keep, x, i));
    }
  }

  /// Writes the result of a fold with the offsets of `layout.kept.place`.
  WARPFOLD_ANY_SIDE
  template <bool Accumulates = false, class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    write_all<Accumulates>(at, a, stores, std::index_sequence_for<Outs...>{});
  }
  /// Writes result `r`.
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write_result(std::size_t r, const state& s, const Stores& stores) const {
    write(layout.kept.place(r).of, fold().value(s), stores);
  }

#if defined(__CUDACC__)
  /// Names its op, its identity, and the user's functions of elements and results. Never executed;
  /// see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const value_type* x = nullptr,
                                           const accumulator* a = nullptr) const {
    source.name_user_functions();
    detail::name_op(op, x, a);
    detail::name_results<Outs...>(op, *a);
  }
#endif

  /// The number of results.
  WARPFOLD_HD std::size_t size() const { return layout.outputs; }

  /// Bytes read: every array once.
  std::size_t bytes() const {
    std::size_t total = 0;
    visit_read([&](const void*, std::size_t bytes, std::size_t) { total += bytes; });
    return total;
  }
  /// Bytes written.
  std::size_t bytes_written() const { return layout.outputs * (sizeof(Outs) + ... + 0); }

  /// @throws empty_range if there are results without elements and the op has no identity
  /// @throws invalid_range if an output overlaps an array or another output
  void require_valid() const {
    if (layout.outputs == 0) return;
    if (layout.length == 0 && !has_identity) {
      throw empty_range(
          "warpfold: cannot fold along an axis of extent 0: the op has no identity. Give it one: "
          "wf::with_identity(op, value)");
    }
    detail::require_outside_input(*this);
    visit_written([&](const void* to, std::size_t written, std::size_t) {
      visit_written([&](const void* other, std::size_t bytes, std::size_t) {
        // Each pair once.
        if (reinterpret_cast<std::uintptr_t>(other) < reinterpret_cast<std::uintptr_t>(to)) return;
        if (other == to && outs_at(to) < 2) return;
        detail::require_own_memory(to, written, other, bytes);
      });
    });
  }

  /// Calls `visit(pointer, bytes, alignment)` for the memory that is read.
  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit_arrays(source.data, span, visit,
                 std::make_index_sequence<static_cast<std::size_t>(arrays)>{});
  }
  /// Calls `visit(pointer, bytes, alignment)` for the memory that is written.
  template <class Visit>
  void visit_written(const Visit& visit) const {
    visit_arrays(out, span + arrays, visit, std::index_sequence_for<Outs...>{});
  }

 private:
  template <class Pointers, class Visit, std::size_t... At>
  static void visit_arrays(const Pointers& p, const std::size_t* elements, const Visit& visit,
                           std::index_sequence<At...>) {
    (visit(static_cast<const void*>(warpfold::get<At>(p)),
           elements[At] * sizeof(*warpfold::get<At>(p)), alignof_element(warpfold::get<At>(p))),
     ...);
  }
  template <class T>
  static constexpr std::size_t alignof_element(const T*) {
    return alignof(T);
  }
  int outs_at(const void* p) const {
    int n = 0;
    visit_written([&](const void* other, std::size_t, std::size_t) { n += other == p; });
    return n;
  }

  WARPFOLD_ANY_SIDE
  template <bool Accumulates, class Stores, std::size_t... At>
  WARPFOLD_HD void write_all(const std::size_t* at, const accumulator& a, const Stores& stores,
                             std::index_sequence<At...>) const {
    if constexpr (outs == 1) {
      (stores.store(out.head + at[arrays], detail::result_as<Outs, Accumulates>(op, a)), ...);
    } else {
      const auto results = finished(op, a);
      (stores.store(warpfold::get<At>(out) + at[arrays + static_cast<int>(At)],
                    detail::part_of_result_as<Outs, Accumulates>(warpfold::get<At>(results),
                                                                 warpfold::get<At>(a))),
       ...);
    }
  }
};

/// The same for `accumulate(out)`: each result is combined with what the outputs hold.
template <class Source, class Op, class... Outs>
struct accumulating_expression_reduction : expression_reduction<Source, Op, Outs...> {
  using base = expression_reduction<Source, Op, Outs...>;
  using accumulator = typename base::accumulator;

  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    const accumulator before = held(at, std::index_sequence_for<Outs...>{});
    base::template write<true>(at, this->fold().apply(before, a), stores);
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write_result(std::size_t r, const typename base::state& s,
                                const Stores& stores) const {
    write(this->layout.kept.place(r).of, this->fold().value(s), stores);
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    base::name_user_functions();
    detail::name_held<accumulator, Outs...>();
  }
#endif

  /// True if the outputs' elements convert to the accumulator, or to its parts.
  static constexpr bool combines() { return combines(std::index_sequence_for<Outs...>{}); }

 private:
  template <std::size_t At>
  using part = std::remove_cvref_t<decltype(warpfold::get<At>(std::declval<const accumulator&>()))>;

  template <std::size_t... At>
  static constexpr bool combines(std::index_sequence<At...>) {
    if constexpr (sizeof...(At) == 1) {
      return (std::is_constructible_v<accumulator, const Outs&> && ...);
    } else {
      return (std::is_constructible_v<part<At>, const Outs&> && ...);
    }
  }
  WARPFOLD_ANY_SIDE
  template <std::size_t... At>
  WARPFOLD_HD accumulator held(const std::size_t* at, std::index_sequence<At...>) const {
    if constexpr (sizeof...(At) == 1) {
      return static_cast<accumulator>(this->out.head[at[base::arrays]]);
    } else {
      return detail::tuple_of(static_cast<part<At>>(
          warpfold::get<At>(this->out)[at[base::arrays + static_cast<int>(At)]])...);
    }
  }
};

namespace detail {

template <class Source, class Op, class... Outs>
auto accumulated(const expression_reduction<Source, Op, Outs...>& a) {
  using accumulating = accumulating_expression_reduction<Source, Op, Outs...>;
  constexpr bool combines = accumulating::combines();
  static_assert(combines,
                "warpfold: the elements of accumulate(out) do not convert to the op's accumulator; "
                "use elements of the accumulator's type");
  if constexpr (combines) {
    return accumulating{a};
  } else {
    return a;
  }
}

template <class Work>
inline constexpr bool is_expression_reduction = false;
template <class Source, class Op, class... Outs>
inline constexpr bool is_expression_reduction<expression_reduction<Source, Op, Outs...>> = true;
template <class Source, class Op, class... Outs>
inline constexpr bool
    is_expression_reduction<accumulating_expression_reduction<Source, Op, Outs...>> = true;

}  // namespace detail

/// The `expression_reduction` of any source, op and outputs.
template <class Work>
concept expression_reduction_work = detail::is_expression_reduction<Work>;

}  // namespace warpfold
