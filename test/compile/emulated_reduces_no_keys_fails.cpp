// The emulation has no kernel for keys.
// expect: this policy does not run reduce_by_key; use wf::seq or wf::par
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_key.hpp>

std::size_t call(const std::vector<int>& keys, std::vector<int>& keys_out, std::vector<int>& out) {
  return warpfold::run_lengths(warpfold::emulated, keys, keys_out, out);
}
