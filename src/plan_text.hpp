/// @file
/// The library's plan of a reduction, as text.
#pragma once

#include <string>

#include <warpfold/explain.hpp>

namespace warpfold::program {

// Compiled once, because every pair of a type and an op makes a plan.
std::string text_of(const plan& p);

template <class Policy, class View, class Op>
std::string kernel_of(const Policy& policy, const View& view, Op op) {
  plan p;
  const auto elements = lifted(view, op);
  policy.describe(reduction<std::remove_const_t<decltype(elements)>, Op>{elements, op, {}}, p);
  return p.kernel.c_str();
}

template <class Policy, class View, class Op>
std::string plan_text(const Policy& policy, const View& view, Op op) {
  return text_of(explain(policy, view, op));
}

}  // namespace warpfold::program
