// A projection that only the host can copy folds on the host, without a warning.
// expect: ok
#include <functional>
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  const std::function<float(float)> f = [](float x) { return 2 * x; };
  warpfold::reduce_segments(warpfold::seq, warpfold::project(v, f), offsets, warpfold::plus{}, out);
}
