/// @file
/// How host policies run `transform_axis`: a fold to memory, then a transformation that reads it.
#pragma once

#include <warpfold/host/partial_results.hpp>

namespace warpfold::host {

/// Runs an `axis_transformation` by `policy.run` of its two parts.
///
/// - Cost: two reads of the input; allocates one result per fold.
template <class Policy, class AxisTransformation>
void fold_then_transform(const Policy& policy, const AxisTransformation& work) {
  work.require_valid();
  if (work.is_empty()) return;
  const partial_results<typename AxisTransformation::folded_type> folds(work.size(), 1);
  AxisTransformation ready = work;
  ready.use_folds(folds.at(0, 0));
  policy.run(ready.reduction);
  policy.run(ready.transformation);
}

}  // namespace warpfold::host
