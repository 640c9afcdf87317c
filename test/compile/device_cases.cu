// Wrong uses of wf::device.
// alone
#include <span>

#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

// expect: this kernel cannot read the size of a counted range
// errors: 1
// A kernel that cannot read the size of a range.
namespace counted_with_kernel {
long long call(std::span<const int> v, const int* count) {
  return warpfold::reduce(warpfold::device.with_kernel(warpfold::kernel::grid_stride<>{}),
                          warpfold::counted(v, count), warpfold::plus{});
}
}  // namespace counted_with_kernel

// expect: 1024 bytes
// A result that the GPU cannot return to the host.
namespace large_result {
struct histogram {
  int count[1000];
};
struct merges {
  __host__ __device__ histogram operator()(const histogram& a, const histogram&) const { return a; }
};

auto merged(const warpfold::device_buffer<histogram>& v) {
  return warpfold::reduce(warpfold::device, v, merges{});
}
}  // namespace large_result

// expect: no instance of overloaded function
// A type that does not allocate is not a memory resource.
namespace not_a_resource {
auto policy() {
  static int nothing = 0;
  return warpfold::device.with(nothing);
}
}  // namespace not_a_resource

// expect: the policy is missing
// lines: 12
// A call without a policy, as nvcc sees it.
namespace policy_missing {
auto total(std::span<const float> v) { return warpfold::reduce(v, warpfold::plus{}); }
}  // namespace policy_missing

// expect: deleted function
// A policy refers to its memory resource; a temporary would be destroyed before the first call.
namespace temporary_resource {
struct pool {
  void* allocate_async(std::size_t, std::size_t, cudaStream_t);
  void deallocate_async(void*, std::size_t, std::size_t, cudaStream_t);
};

auto policy() { return warpfold::device.with(pool{}); }
}  // namespace temporary_resource

// expect: cannot be converted to the output's elements
// Only device code knows the result type of a __device__ lambda.
namespace transform_result_not_convertible {
struct point {
  int x, y;
};

void call(std::span<const int> in, std::span<int> out) {
  warpfold::transform(warpfold::device, in, out, [] __device__(int x) { return point{x, x}; });
}
}  // namespace transform_result_not_convertible
