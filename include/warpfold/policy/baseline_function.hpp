/// @file
/// What all baselines share that run transformations: the function and the output as other libraries want them.
#pragma once

#include <warpfold/core/config.hpp>

namespace warpfold::baseline {

/// A transformation whose output is an array, which other libraries can be given as a pointer.
template <class Transformation>
concept has_output_pointer = requires(const Transformation& t) {
  requires Transformation::out_view::is_contiguous;
  t.out.data();
};

/// The function of a transformation for other libraries: it gives the output's element.
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
