// The last argument asks for nothing that is known.
// expect: neither a stream nor an execution environment
#include <warpfold/drop_in/cub.hpp>

struct options {
  bool synchronous = true;
};

cudaError_t call(const int* values, int* sum) {
  return warpfold::drop_in::cub::DeviceReduce::Sum(values, sum, 3, options{});
}
