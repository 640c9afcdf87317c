/// @file
/// The work object of `reduce_by_class` and `count_by_class`: labels, values, an op and the output.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/recipe.hpp>
#include <warpfold/work/results.hpp>

namespace warpfold {

/// The folds of classes of values, ready for a policy to run: result `c` folds the values whose
/// label is `c`. Ops with an index get the index in the range.
template <view Labels, view Values, class Op, output_view Out>
struct class_reduction {
  using kind = kinds::class_reduction;
  using view_type = Values;
  using value_type = typename Values::value_type;
  using op_type = Op;
  using accumulator = detail::accumulator_t<Op, value_type>;
  using fold_type = warpfold::fold<Op, accumulator>;
  using state = typename fold_type::state;

  static constexpr bool has_identity = op_traits<Op, accumulator>::has_identity;
  static constexpr bool tells_memory = tells_memory_v<Labels> && tells_memory_v<Values>;
  static constexpr bool has_size_in_memory = detail::has_size_in_memory<Labels>;
  /// True if each value is 1 and the op adds, so that a fold is a count.
  static constexpr bool is_count = std::is_same_v<Op, plus> && requires(const Values& v) {
    requires std::remove_cvref_t<decltype(v.function())>::returns_one;
  };

  Labels labels;
  Values values;
  Op op;
  std::size_t classes;
  Out out;
  in_register keep{};  // guards lifted elements

  /// The number of values; if it lies in memory, its limit until it is read.
  WARPFOLD_HD std::size_t size() const { return labels.size(); }
  /// Reads the number of labels, if it lies in memory.
  inline WARPFOLD_HD void read_size(const auto& loads) { detail::read_size(labels, loads); }
  /// The same work on the labels that exist; reads their number on the host.
  /// @throws invalid_range if it is negative or larger than the range
  class_reduction settled() const {
    class_reduction own = *this;
    detail::read_size_on_host(own.labels);
    return own;
  }
  /// True if there are no classes, and so no results.
  bool is_empty() const { return classes == 0; }

  WARPFOLD_HD constexpr fold_type fold() const { return {op}; }

  /// The class of value `i`; not below `classes` for a label that is wrong.
  WARPFOLD_HD std::size_t class_of(std::size_t i) const {
    return static_cast<std::size_t>(labels[i]);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type value(std::size_t i) const { return static_cast<value_type>(values[i]); }
  /// Value `i`, which is `x`, as an accumulator.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD accumulator lift(const value_type& x, std::size_t i) const {
    return static_cast<accumulator>(detail::lift_by(op, keep, x, i));
  }

  /// Value `i` as an accumulator, in a kernel.
  WARPFOLD_ANY_SIDE
  template <class Loads>
  WARPFOLD_HD accumulator lift_at(std::size_t i, const Loads& loads) const {
    return lift(static_cast<value_type>(values.at(i, loads)), i);
  }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const value_type* x = nullptr,
                                           const accumulator* a = nullptr) const {
    if constexpr (detail::names_functions<decltype(labels)>) labels.name_user_functions();
    if constexpr (detail::names_functions<decltype(values)>) values.name_user_functions();
    detail::name_op(op, x, a);
    detail::name_results<typename Out::value_type>(op, *a);
  }
#endif

  /// Writes the result of class `c`.
  WARPFOLD_ANY_SIDE
  template <class Stores>
  WARPFOLD_HD void write(std::size_t c, const accumulator& a, const Stores& stores) const {
    out.store_at(c, detail::result_as<typename Out::value_type>(op, a), stores);
  }

  /// Reports the label of value `i`.
  [[noreturn]] void refuse_label(std::size_t i) const {
    throw_error<invalid_range>(
        "warpfold: the label at index ", i, " is ", labels[i], ", but there are ", classes,
        " classes; pass labels from 0 up to the number of classes, excluded");
  }
  /// Reports a class without values, for an op without an identity.
  [[noreturn]] static void refuse_empty(std::size_t c) {
    throw_error<empty_range>(
        "warpfold: class ", c,
        " has no values, and the op has no identity; pass wf::with_identity(op, value)");
  }

  /// Checks the labels, and that no class is empty if the op has no identity. Reads the labels:
  /// call it where the policy runs.
  /// @throws invalid_range,empty_range
  void require_valid_data() const {
    std::vector<bool> seen(has_identity ? 0 : classes);
    const std::size_t n = settled().size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t c = class_of(i);
      if (c >= classes) refuse_label(i);
      if (!has_identity) seen[c] = true;
    }
    for (std::size_t c = 0; c < seen.size(); ++c) {
      if (!seen[c]) refuse_empty(c);
    }
  }

  /// @throws invalid_range if there is not one label for each value and one element of the output
  ///     for each class, or if the output overlaps what is read
  void require_valid() const {
    if (values.size() != size()) {
      throw_error<invalid_range>(
          "warpfold: reduce_by_class needs one label for each value, but there are ", size(),
          " labels and ", values.size(), " values; pass ranges of one size");
    }
    if (classes > static_cast<std::size_t>(-1) / 64) {
      throw_error<invalid_range>(
          "warpfold: ", classes,
          " classes are more than memory has room for; pass the number of classes");
    }
    if (out.size() != classes) {
      throw_error<invalid_range>("warpfold: the output has ", out.size(),
                                 " elements, but there are ", classes,
                                 " classes; pass an output with one element for each class");
    }
    detail::require_outside_input(*this);
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    labels.visit_memory(visit);
    values.visit_memory(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    out.visit_memory(visit);
  }
};

}  // namespace warpfold
