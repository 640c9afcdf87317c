/// @file
/// The work object of `reduce_axis` and `reduce_axes` for expressions of several arrays, several
/// axes and several outputs.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/recipe.hpp>
#include <warpfold/work/results.hpp>

namespace warpfold {

/// A fold along one or several axes of an expression, ready for a policy to run. Kernels take it by
/// value, as bytes. Result `r` folds the elements at `layout.kept.place(r)` and
/// `layout.folded.place(i)` together.
template <class Source, class Op, class... Outs>
struct expression_reduction {
  using kind = kinds::axis_reduction;
  static constexpr int arrays = Source::arrays;
  static constexpr int outs = sizeof...(Outs);
  static constexpr bool is_one_line = false;

  using source_type = Source;
  using value_type = typename Source::value_type;
  using op_type = Op;
  using accumulator = detail::accumulator_t<Op, value_type>;
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

  /// The arrays, and the folded dimensions; the last stride is that of the index.
  WARPFOLD_HD const source_type& input() const { return source; }
  WARPFOLD_HD const array_dimensions<arrays + 1>& folded() const { return layout.folded; }

  bool by_rows() const { return layout.by_rows; }

  /// Converts a value to the accumulator; `i` is its index among the elements of its result.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x, std::size_t i) const {
    constexpr bool computes = Source::function_type::computes;
    return static_cast<accumulator>(
        detail::lift_by(op, keep, detail::guarded_for<computes, Op>(keep, x), i));
  }

  /// Writes the result of a fold with the offsets of `layout.kept.place`.
  WARPFOLD_ANY_SIDE
  template <bool Accumulates = false, class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    detail::write_results<Accumulates, Outs...>(*this, at, a, stores,
                                                std::index_sequence_for<Outs...>{});
  }
  /// The element of output `At` that this writes.
  template <std::size_t At>
  WARPFOLD_HD auto* element(const std::size_t* at) const {
    return warpfold::get<At>(out) + at[arrays + static_cast<int>(At)];
  }
  WARPFOLD_ANY_SIDE
  template <std::size_t At, class T, class Stores>
  WARPFOLD_HD void store(const std::size_t* at, const T& x, const Stores& stores) const {
    stores.store(element<At>(at), x);
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
    detail::require_elements(*this);
    detail::require_outside_input(*this);
    detail::require_own_memory(*this);
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit_arrays(source.data, span, visit,
                 std::make_index_sequence<static_cast<std::size_t>(arrays)>{});
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    visit_arrays(out, span + arrays, visit, std::index_sequence_for<Outs...>{});
  }

 private:
  template <class Pointers, class Visit, std::size_t... At>
  static void visit_arrays(const Pointers& p, const std::size_t* elements, const Visit& visit,
                           std::index_sequence<At...>) {
    const auto one = [&]<class T>(const T* first, std::size_t n) {
      visit(static_cast<const void*>(first), n * sizeof(T), alignof(T));
    };
    (one(warpfold::get<At>(p), elements[At]), ...);
  }
};

/// The same for `accumulate(out)`: each result is combined with what the outputs hold.
template <class Source, class Op, class... Outs>
struct accumulating_expression_reduction : expression_reduction<Source, Op, Outs...> {
  using base = expression_reduction<Source, Op, Outs...>;
  using accumulator = typename base::accumulator;

  static constexpr bool accumulates = true;

  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    const auto before =
        detail::accumulator_of_held<accumulator>(*this, at, std::index_sequence_for<Outs...>{});
    base::template write<true>(at, this->fold().apply(before, a), stores);
  }
  template <std::size_t At>
  WARPFOLD_HD const auto& held(const std::size_t* at) const {
    return *this->template element<At>(at);
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    base::name_user_functions();
    detail::name_held<accumulator, Outs...>();
  }
#endif
};

namespace detail {

template <class Source, class Op, class... Outs>
auto accumulated(const expression_reduction<Source, Op, Outs...>& a) {
  using accumulator = typename expression_reduction<Source, Op, Outs...>::accumulator;
  if constexpr (check_accumulates<converts_held<accumulator, Outs...>()>()) {
    return accumulating_expression_reduction<Source, Op, Outs...>{a};
  } else {
    return a;
  }
}

}  // namespace detail

}  // namespace warpfold
