// A predicate that only the host can call, used by the library's function objects.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/count.hpp>

struct forgot_device {
  bool operator()(float x) const { return x > 0; }
};

auto call(std::span<const float> v) {
  return warpfold::count_if(warpfold::device, v, forgot_device{});
}
