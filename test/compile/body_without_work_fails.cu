// Without work() in the body, nvcc would not instantiate the op: here one that only the host can
// call.
// expect: static assertion failed with "warpfold: a kernel's body needs max_block, and either work()
// errors: 1
#include <span>

#include "compile/body_without_work.hpp"

float call(std::span<const float> v) {
  return wf::reduce(wf::device.with_kernel(only_a_start{}), v, wf::plus{});
}
