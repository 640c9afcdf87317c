// A policy refers to its memory resource; a temporary would be destroyed before the first call.
// expect: deleted function
#include <warpfold/reduce.hpp>

struct pool {
  void* allocate_async(std::size_t, std::size_t, cudaStream_t);
  void deallocate_async(void*, std::size_t, std::size_t, cudaStream_t);
};

auto policy() { return warpfold::device.with(pool{}); }
