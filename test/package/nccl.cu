// Run without a GPU: NCCL is linked and found, and a null communicator is refused.
#include <cstdio>
#include <warpfold/policy/nccl.hpp>
#include <warpfold/reduce.hpp>

int main() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return 1;
  try {
    const warpfold::nccl_ranks ranks = warpfold::nccl(nullptr);
    std::printf("NCCL %d made %d ranks of a null communicator\n", version, ranks.size());
  } catch (const warpfold::communication_error& e) {
    std::printf("NCCL %d: %s\n", version, e.what());
    return 0;
  }
  return 1;
}
