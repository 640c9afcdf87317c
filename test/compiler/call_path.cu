// The calls that call_path_test.py follows, from the call to the launch of the kernel.
#include <cstddef>
#include <cstring>

#include <warpfold/reduce.hpp>
#include <warpfold/transform_axis.hpp>

#include "../compile/any_mdspan.hpp"

namespace wf = warpfold;

// call_path_runtime.cpp has these. A launch throws an `int` and ends the recording.
float* memory();
void record(bool on);

namespace {

struct floats {
  const float* data() const { return memory(); }
  std::size_t size() const { return std::size_t{1} << 20; }
};

struct rows : any_mdspan<float> {
  struct strides {
    int stride(int d) const { return d == 0 ? 1024 : 1; }
  };
  float* data_handle() const { return memory(); }
  strides mapping() const { return {}; }
  int extent(int) const { return 1024; }
};

struct without_greatest {
  __host__ __device__ float operator()(float x, float greatest) const { return x - greatest; }
};

void call(const char* name) {
  if (std::strcmp(name, "reduce") == 0) {
    (void)wf::reduce(wf::device, floats{}, wf::plus{});
  } else {
    rows out;
    wf::transform_axis<1>(wf::device, rows{}, wf::maximum{}, out, without_greatest{});
  }
}

}  // namespace

// The first call starts the GPU and loads the kernel. The second one is recorded.
int main(int, char** arguments) {
  for (const bool recorded : {false, true}) {
    try {
      record(recorded);
      call(arguments[1]);
    } catch (int) {
    }
  }
}
