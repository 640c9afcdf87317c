// Calls in a program without exceptions and typeid; no_exceptions_test.py compiles and runs it. An
// argument makes a faulty call.
#include <cstdio>
#include <vector>

#include <warpfold/policy/par.hpp>
#include <warpfold/warpfold.hpp>

namespace wf = warpfold;

int main(int arguments, char**) {
  const std::vector<float> v(1000, 0.5f);
  std::vector<float> out(10);
  const float sum = wf::reduce(wf::par, v);
  wf::reduce_segments(wf::seq, v, wf::segments_of_size(100), wf::maximum{}, out);
  std::printf("%g %g\n", static_cast<double>(sum), static_cast<double>(out[9]));
  std::fflush(stdout);
  if (arguments > 1) {
    out.resize(9);
    wf::reduce_segments(wf::seq, v, wf::segments_of_size(100), wf::plus{}, out);
  }
  return 0;
}
