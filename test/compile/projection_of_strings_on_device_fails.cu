// Elements that a kernel loads must be trivially copyable, even if their projection is.
// expect: not trivially copyable.*wf::seq or wf::par
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

struct size_of {
  __host__ __device__ std::size_t operator()(const std::string&) const { return 1; }
};

auto call(const std::vector<std::string>& v) {
  return warpfold::reduce(warpfold::device, warpfold::project(v, size_of{}), warpfold::plus{});
}
