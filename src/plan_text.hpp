/// @file
/// The library's plan of a reduction, as text.
#pragma once

#include <sstream>
#include <string>

#include <warpfold/explain.hpp>

namespace warpfold::program {

template <class Policy, class View, class Op>
std::string kernel_of(const Policy& policy, const View& view, Op op) {
  plan p;
  const auto elements = lifted(view, op);
  policy.describe(reduction<std::remove_const_t<decltype(elements)>, Op>{elements, op, {}}, p);
  return p.kernel.c_str();
}

template <class Policy, class View, class Op>
std::string plan_text(const Policy& policy, const View& view, Op op) {
  std::ostringstream text;
  text << explain(policy, view, op);
  return text.str();
}

}  // namespace warpfold::program
