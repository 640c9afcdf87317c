// The same in the emulation.
// needs: boost_context
// expect: warpfold: a kernel's body needs max_block, and either work()
// errors: 1
#include <span>

#include <warpfold/policy/emulated.hpp>

#include "compile/body_without_work.hpp"

float call(std::span<const float> v) {
  return wf::reduce(wf::emulated.with_kernel(only_a_start{}), v, wf::plus{});
}
