// Threads cannot read a list in parallel; CUB itself would report pages of errors.
// expect: the input is not a random-access iterator
#include <list>

#include <warpfold/drop_in/cub.hpp>

cudaError_t call(std::list<int>& values, int* sum) {
  return warpfold::drop_in::cub::DeviceReduce::Sum(values.begin(), sum, 3);
}
