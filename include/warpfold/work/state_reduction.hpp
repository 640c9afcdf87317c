/// @file
/// A reduction whose result is its state, for a policy that combines the states of several parts of
/// a range.
#pragma once

#include <warpfold/work/reduction.hpp>

namespace warpfold {

/// `Reduction` without its init and without a function of its result: the result is the state of
/// all elements, and an empty range gives the state of no element.
///
/// The size of a counted range (view/counted.hpp) must have been read.
template <class Reduction>
struct state_reduction : Reduction {
  using result_type = typename Reduction::state;
  using counted_type = Reduction;
  static constexpr bool has_init = false;
  static constexpr bool is_init_stored = false;

  explicit state_reduction(const Reduction& r) : Reduction(r) {}

  WARPFOLD_HD constexpr const result_type& result(const result_type& s) const { return s; }
  result_type empty_result() const { return this->fold().start(); }
  void require_valid() const {}

  template <class Visit>
  void visit_init(const Visit&) const {}
};

/// A policy whose `run` can return the state of a `state_reduction`: it calls `work.result(state)`,
/// or converts an accumulator to the `result_type`. It declares `returns_states`.
template <class Policy>
concept returns_states = requires { requires Policy::returns_states; };

}  // namespace warpfold
