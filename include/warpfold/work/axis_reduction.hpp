/// @file
/// The work object of `reduce_axis`: elements with strides, an op, and where the results go.
/// `reduce_axis` makes one and hands it to the policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/recipe.hpp>
#include <warpfold/work/results.hpp>
#include <warpfold/work/stored_value.hpp>

namespace warpfold {

/// A fold along one axis, ready for a policy to run. Kernels take it by value, as bytes.
///
/// Result `i` folds `layout.length` elements. The first is
/// `in[layout.kept.place(i).of[layout.in]]`, and the following ones are `layout.step` elements
/// apart. The result goes to `out[layout.kept.place(i).of[layout.out]]`.
/// @tparam Result the type that decides the accumulator: that of the op, or of the op and an init
template <class T, class Op, class Out, class Result = detail::folded_t<Op, T>>
struct axis_reduction {
  using kind = kinds::axis_reduction;
  using value_type = T;
  using op_type = Op;
  using out_type = Out;
  using accumulator = typename op_traits<Op, Result>::accumulator;
  using fold_type = warpfold::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool has_identity = op_traits<Op, accumulator>::has_identity;
  static constexpr bool is_lifted = lifts_indexed<Op, T> || lifts_element<Op, T>;
  static constexpr bool tells_memory = true;

  static constexpr int arrays = 1, outs = 1;
  static constexpr bool is_one_line = true;  ///< the folded elements are one stride apart
  using source_type = array_source<detail::array_value, T>;

  const T* in;
  Out* out;
  axis_layout layout;
  std::size_t in_span;   ///< elements from the first to the last
  std::size_t out_span;  ///< elements from the first to the last
  Op op;
  in_register keep{};  // guards lifted elements

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// The array, and the folded dimension with its strides in the array and of the index.
  WARPFOLD_HD source_type input() const { return {{in}, {}}; }
  WARPFOLD_HD array_dimensions<2, 1> folded() const {
    return {1, {{layout.length, {layout.step, 1}}}};
  }

  /// True if neighboring elements in memory belong to one result.
  bool by_rows() const { return layout.step == 1; }

  /// Converts an element to the accumulator; `i` is its index along the axis.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const T& x, std::size_t i) const {
    return static_cast<accumulator>(detail::lift_by(op, keep, x, i));
  }

  /// What the output's element at `to` holds for a fold; see `finishes`.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD Out result(const accumulator& a, [[maybe_unused]] const Out* to) const {
    return detail::result_as<Out>(op, a);
  }
  /// Writes the result of a fold with the offsets of `layout.kept.place`.
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    Out* const to = out + at[axis_layout::out];
    stores.store(to, result(a, to));
  }

#if defined(__CUDACC__)
  /// Names its op, its identity, and what the op makes of elements and of results. Never executed;
  /// see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const T* x = nullptr,
                                           const accumulator* a = nullptr) const {
    detail::name_op(op, x, a);
    detail::name_results<Out>(op, *a);
  }
#endif

  /// The number of results.
  WARPFOLD_HD std::size_t size() const { return layout.outputs; }

  /// Bytes read.
  std::size_t bytes() const { return layout.outputs * layout.length * sizeof(T); }
  /// Bytes written.
  std::size_t bytes_written() const { return layout.outputs * sizeof(Out); }

  /// @throws empty_range if there are results without elements and the op has no identity
  /// @throws invalid_range if the input and the output overlap
  void require_valid() const {
    if (layout.outputs == 0) return;
    detail::require_elements(*this);
    detail::require_outside_input(*this);
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit(static_cast<const void*>(in), in_span * sizeof(T), alignof(T));
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    visit(static_cast<const void*>(out), out_span * sizeof(Out), alignof(Out));
  }
};

// An accumulator that is an aggregate, such as compensated_sum, is made from its first member.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
/// The same for `accumulate(out)`: each result is combined with what the output holds. The axis has
/// at least one element.
template <class T, class Op, class Out>
struct accumulating_axis_reduction : axis_reduction<T, Op, Out> {
  using base = axis_reduction<T, Op, Out>;
  using accumulator = typename base::accumulator;

  static constexpr bool accumulates = true;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD Out result(const accumulator& a, const Out* to) const {
    return detail::result_as<Out, true>(this->op,
                                        this->fold().apply(static_cast<accumulator>(*to), a));
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    Out* const to = this->out + at[axis_layout::out];
    stores.store(to, result(a, to));
  }
#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    base::name_user_functions();
    detail::name_held<accumulator, Out>();
  }
#endif
};
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// The same with an init, which each result starts from. The axis has at least one element.
template <class T, class Op, class Out, class Result, class Init>
struct initialized_axis_reduction : axis_reduction<T, Op, Out, Result> {
  using base = axis_reduction<T, Op, Out, Result>;
  using accumulator = typename base::accumulator;

  // Not in the padding of the base: see finished_reduction.
  alignas(base) Init init;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD Out result(const accumulator& a, const Out*) const {
    const auto start = detail::value_of_init<accumulator>(init);
    return detail::result_as<Out>(this->op, static_cast<Result>(this->fold().apply(start, a)));
  }
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(const std::size_t* at, const accumulator& a, const Stores& stores) const {
    Out* const to = this->out + at[axis_layout::out];
    stores.store(to, result(a, to));
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions(const Result* r = nullptr) const {
    base::name_user_functions();
    detail::name_init<Init, accumulator>();
    detail::name_conversion<Result, accumulator>();
    detail::name_results<Out>(this->op, *r);
  }
#endif

  /// @throws invalid_range as above, and if several results read an init that they overwrite
  void require_valid() const {
    base::require_valid();
    if (this->layout.outputs < 2) return;
    detail::visit_init_memory(init, [&](const void* from, std::size_t read, std::size_t) {
      detail::require_outside_input(this->out, this->out_span * sizeof(Out), from, read);
    });
  }
  template <class Visit>
  void visit_read(const Visit& visit) const {
    base::visit_read(visit);
    detail::visit_init_memory(init, visit);
  }
};

namespace detail {

template <class T, class Op, class Out>
auto accumulated(const axis_reduction<T, Op, Out>& a) {
  using accumulator = typename axis_reduction<T, Op, Out>::accumulator;
  if constexpr (check_accumulates<converts_held<accumulator, Out>()>()) {
    return accumulating_axis_reduction<T, Op, Out>{a};
  } else {
    return a;
  }
}

}  // namespace detail

}  // namespace warpfold
