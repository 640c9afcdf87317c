// A group of ranks in the place of one of them.
// expect: across takes the communicator of this rank; pass ranks\[i\]
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce.hpp>

auto call(const std::vector<float>& v) {
  warpfold::thread_ranks ranks(2);
  return warpfold::reduce(warpfold::across(ranks), v);
}
