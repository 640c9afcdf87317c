// Built, not run: there may be no GPU.
#include <cstdio>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

int main() {
  warpfold::device_buffer<float> values(1024);
  std::printf("sum: %g\n", warpfold::reduce(warpfold::device, values, warpfold::plus{}));
}
