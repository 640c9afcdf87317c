// Folds in vector registers whose machine code host_machine_code_test.py reads.
#include <cstddef>

#include <warpfold/norm.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/statistics.hpp>

namespace wf = warpfold;

double mean_of(const float* x, std::size_t n) { return wf::mean(wf::seq, x, n); }
double mean_of(const double* x, std::size_t n) { return wf::mean(wf::seq, x, n); }
double mean_of(const int* x, std::size_t n) { return wf::mean(wf::seq, x, n); }
double norm_of(const double* x, std::size_t n) { return wf::norm_2(wf::seq, x, n); }
double compensated(const double* x, std::size_t n) {
  return static_cast<double>(wf::reduce(wf::seq, x, n, wf::compensated_plus{}));
}
float compensated(const float* x, std::size_t n) {
  return static_cast<float>(wf::reduce(wf::seq, x, n, wf::compensated_plus{}));
}
float sum_of(const float* x, std::size_t n) { return wf::reduce(wf::seq, x, n); }
