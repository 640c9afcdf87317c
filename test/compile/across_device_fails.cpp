// GPUs cannot be ranks yet.
// expect: across cannot fold with this policy yet; pass wf::seq, wf::par or wf::emulated
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce.hpp>

float call(warpfold::thread_ranks& ranks, const std::vector<float>& v) {
  return warpfold::reduce(warpfold::across(ranks[0], warpfold::device), v);
}
