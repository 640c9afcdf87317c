/// @file
/// Shared by the baselines that run transformations: the function and the output that other
/// libraries expect.
#pragma once

#include <warpfold/core/config.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold::baseline {

/// A transformation with a contiguous output, which other libraries take as a pointer.
template <class Transformation>
concept has_output_pointer = requires(const Transformation& t) {
  requires Transformation::out_view::is_contiguous;
  t.out.data();
};

/// The function of a transformation for other libraries. It returns the output's element.
template <class Transformation>
struct function_of {
  typename Transformation::function_type f;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD typename Transformation::out_type operator()(
      const typename Transformation::in_type& x) const {
    return Transformation::apply(f, x);
  }
};

}  // namespace warpfold::baseline
