/// @file
/// How host threads run `transform_axis`: a fold to memory, then a transformation that reads it.
#pragma once

#include <warpfold/host/loops.hpp>
#include <warpfold/host/partial_results.hpp>

namespace warpfold::host {

/// Runs the loops of the two parts of an `axis_transformation`.
///
/// - Cost: two reads of the input; allocates one result per fold.
struct axis_transformation_loop {
  WARPFOLD_ANY_SIDE
  template <class AxisTransformation, class Threads>
  static void run(const AxisTransformation& work, const Threads& threads) {
    if (work.is_empty()) return;
    const partial_results<typename AxisTransformation::folded_type> folds(work.size(), 1);
    AxisTransformation ready = work;
    ready.use_folds(folds.at(0, 0));
    loop<decltype(ready.reduction)>::run(ready.reduction, threads);
    loop<decltype(ready.transformation)>::run(ready.transformation, threads);
  }
};

}  // namespace warpfold::host
