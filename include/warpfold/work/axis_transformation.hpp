/// @file
/// The work object of `transform_axis`: a fold along an axis, and a function of each element and of
/// the fold that it belongs to.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/op/in_register.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/expression_reduction.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold {

namespace detail {

/// The argument of one launch that folds each row and writes its elements: `out[r, i] = f(in[r, i],
/// fold of in[r, ...])`. The folds are not written to memory.
template <class Reduction, class Transformation>
struct row_transformation {
  using source_type = typename Reduction::source_type;
  using value_type = typename Reduction::value_type;
  using accumulator = typename Reduction::accumulator;
  using fold_type = typename Reduction::fold_type;
  using state = typename Reduction::state;
  using pair = typename Transformation::in_type;  ///< an element and its fold
  using out_type = typename Transformation::out_type;
  using op_type = typename Reduction::op_type;
  using function_type = decltype(Transformation::f);

  static constexpr int arrays = Reduction::arrays;
  static constexpr bool is_one_line = false;

  source_type source;
  out_type* out;
  array_layout<arrays, 1> layout;  ///< the last place of a row is that of its first output
  std::size_t out_step;            ///< between the outputs of a row's neighboring elements
  op_type op;
  function_type f;
  in_register keep{};  // guards computed elements

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// These are as for expression_reduction.
  WARPFOLD_HD const source_type& input() const { return source; }
  WARPFOLD_HD const array_dimensions<arrays + 1>& folded() const { return layout.folded; }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr accumulator lift(const value_type& x, std::size_t i) const {
    return static_cast<accumulator>(detail::lift_by(op, keep, guarded(x), i));
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr value_type guarded(const value_type& x) const {
    return guarded_for<source_type::function_type::computes, op_type>(keep, x);
  }
  /// The fold of a row, as the function gets it.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr auto result(const state& s) const { return finished(op, fold().value(s)); }
  /// The output's element for an element of the row whose fold is `folded`.
  WARPFOLD_ANY_SIDE
  template <class Result>
  WARPFOLD_HD out_type apply(const value_type& x, const Result& folded) const {
    using folded_type = std::tuple_element_t<1, pair>;
    if constexpr (source_type::function_type::computes) {
      return Transformation::apply(f, detail::tuple_of(keep(x), static_cast<folded_type>(folded)));
    } else {
      return Transformation::apply(f, detail::tuple_of(x, static_cast<folded_type>(folded)));
    }
  }

  /// The number of rows.
  WARPFOLD_HD std::size_t size() const { return layout.outputs; }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const value_type* x = nullptr,
                                           const accumulator* a = nullptr,
                                           const pair* p = nullptr) const {
    source.name_user_functions();
    detail::name_op(op, x, a);
    detail::name_finish(op, *a);
    detail::name_conversion<std::tuple_element_t<1, pair>, decltype(finished(op, *a))>();
    detail::name_call_as<out_type>(f, *p);
  }
#endif
};

}  // namespace detail

/// A transformation of each element and of the fold along one axis that it belongs to, ready for a
/// policy to run. Either one launch does all of it: `rows`. Or `reduction` writes the folds to
/// memory that the policy provides by `use_folds`, and `transformation` reads them.
template <class Reduction, class Transformation, class Rows, class Folded>
struct axis_transformation {
  using kind = kinds::axis_transformation;
  using reduction_type = Reduction;
  using transformation_type = Transformation;
  using rows_type = Rows;
  using view_type = typename Transformation::in_view;
  using state = typename Reduction::state;
  /// The type of a fold in memory.
  using folded_type = Folded;

  static constexpr bool tells_memory = true;
  static constexpr bool has_size_in_memory = detail::has_size_in_memory<Reduction>;

  Reduction reduction;
  Transformation transformation;
  Rows rows;

  /// The number of folds.
  std::size_t size() const { return reduction.size(); }
  bool is_empty() const { return size() == 0 || reduction.layout.length == 0; }

  /// Sets the memory of the folds: `size()` elements.
  void use_folds(folded_type* folds) {
    if constexpr (Reduction::is_one_line) {
      reduction.out = folds;
    } else {
      reduction.out.head = folds;
    }
    transformation.in.template set_array<std::size_t{Rows::arrays}>(folds);
  }

  /// @throws invalid_range if the output overlaps an array other than element for element
  void require_valid() const {
    // A null output is not one of the overlaps; the policy reports it.
    if (!is_empty() && transformation.out.data() != nullptr) transformation.require_valid();
  }

  void require_valid_data() const
    requires has_size_in_memory
  {
    reduction.require_valid_data();
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    reduction.visit_read(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    transformation.out.visit_memory(visit);
  }
};

}  // namespace warpfold
