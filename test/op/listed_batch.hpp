/// @file
/// Runs and states of a vector's elements, with the interface that ops expect (op/lift.hpp,
/// op/fold.hpp). They fold one element after the other, so a test sees only the op's own
/// arithmetic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <warpfold/op/lift.hpp>

namespace test {

/// @tparam Most   what the op may know of the run's length
template <std::size_t Most, class T>
struct listed_batch {
  static constexpr std::size_t most = Most;

  std::vector<T> elements;
  std::size_t at = 0;  ///< the place of the first in the range

  std::size_t size() const { return elements.size(); }
  T first() const { return elements[0]; }

  template <class Op>
  auto fold(const Op& op) const {
    auto total = warpfold::detail::lift_by(op, elements[0], at);
    for (std::size_t i = 1; i < elements.size(); ++i) {
      total = op(total, warpfold::detail::lift_by(op, elements[i], at + i));
    }
    return total;
  }
  template <class F>
  auto projected(const F& f) const {
    listed_batch<Most, decltype(f(elements[0]))> of{{}, at};
    for (const T& x : elements) of.elements.push_back(f(x));
    return of;
  }
  template <class Is>
  std::size_t index_of(const Is& is) const {
    return at + static_cast<std::size_t>(std::find_if(elements.begin(), elements.end(), is) -
                                         elements.begin());
  }
};

template <std::size_t Most, class T>
listed_batch<Most, T> run_of(const std::vector<T>& elements, std::size_t at = 0) {
  return {elements, at};
}

/// The states of a warp's lanes.
template <class S>
struct listed_states {
  std::vector<S> states;

  S first() const { return states[0]; }
  template <class Is>
  S find(const Is& is) const {
    const auto found = std::find_if(states.begin(), states.end(), is);
    return found == states.end() ? states[0] : *found;
  }
  bool any(bool value) const { return value; }
  template <class F>
  auto projected(const F& f) const {
    listed_states<decltype(f(states[0]))> of;
    for (const S& s : states) of.states.push_back(f(s));
    return of;
  }
  template <class Op>
  auto fold(const Op& op) const {
    auto total = states[0];
    for (std::size_t i = 1; i < states.size(); ++i) {
      total = static_cast<S>(op(total, states[i]));
    }
    return total;
  }
};
template <class S>
listed_states<S> states_of(const std::vector<S>& states) {
  return {states};
}

}  // namespace test
