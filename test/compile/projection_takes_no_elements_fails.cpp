// A projection that does not take the elements, in every call: one error.
// expect: the function cannot be called with an element of the range
#include <string>
#include <vector>

#include <warpfold/sum.hpp>
#include <warpfold/transform_reduce.hpp>

struct size {
  std::size_t operator()(const std::string& s) const { return s.size(); }
};

void call(const std::vector<float>& v, float* out) {
  (void)warpfold::reduce(warpfold::seq, warpfold::project(v, size{}), warpfold::maximum{});
  (void)warpfold::sum(warpfold::seq, warpfold::project(v, size{}));
  (void)warpfold::sum(warpfold::seq, warpfold::zip(v, warpfold::project(v, size{})));
  (void)warpfold::transform_reduce(warpfold::seq, v, warpfold::plus{}, size{});
  (void)warpfold::transform_reduce(warpfold::seq, v, 0.0f, warpfold::plus{}, size{});
  warpfold::transform_reduce_async(warpfold::seq, v, warpfold::plus{}, size{}, out);
}
