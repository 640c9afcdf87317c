// Calls on segments, lists, keys and classes with too few arguments: one error each, which shows
// the call.
// expect: call reduce_by_key\(policy, keys, values, op, keys_out, values_out\).*call run_lengths\(policy, keys, keys_out, lengths_out\).*call reduce_by_class\(policy, labels, values, classes, op, output\).*call count_by_class\(policy, labels, classes, output\).*call reduce_many\(policy, ranges, op, output\).*call transform_segments\(policy, range, segments, values, output, function\)
// errors: 6
#include <vector>

#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/transform_segments.hpp>

void call(const std::vector<int>& v, std::vector<int>& out) {
  (void)warpfold::reduce_by_key(warpfold::seq, v, v, warpfold::plus{}, out);
  (void)warpfold::run_lengths(warpfold::seq, v, out);
  warpfold::reduce_by_class(warpfold::seq, v, v, warpfold::plus{}, out);
  warpfold::count_by_class(warpfold::seq, v, out);
  warpfold::reduce_many(warpfold::seq, v, warpfold::plus{});
  warpfold::transform_segments(warpfold::seq, v, v, v, out);
}
