// nvcc with Clang as the host compiler compiles the calls. Its front end then takes a function with
// parameters of auto for host code unless a specifier, such as inline, precedes WARPFOLD_DEVICE;
// and it loses the dots of packs in Clang's builtin functions.
#include <cstdint>
#include <warpfold/policy/par.hpp>
#include <warpfold/warpfold.hpp>

namespace wf = warpfold;

template <class Policy>
double all_calls(const Policy& policy, const float* x, const std::int16_t* y, float* out, int n) {
  wf::sum_async(policy, x, n, out);
  return wf::sum(policy, x, n) + wf::variance(policy, x, n) + wf::dot(policy, y, y + n, y) +
         static_cast<double>(wf::argmax(policy, x, n).index);
}

double on_the_host(const float* x, const std::int16_t* y, int n) {
  return wf::sum(wf::par, x, n) + wf::dot(wf::par, y, y + n, y);
}
double on_the_device(const float* x, const std::int16_t* y, float* out, int n) {
  return all_calls(wf::device, x, y, out, n);
}
