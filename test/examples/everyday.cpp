// Statistics, norms, extrema and their indices on one host thread. All other policies have the same
// calls.
#include <cmath>
#include <cstdio>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/statistics.hpp>

namespace wf = warpfold;

struct square {
  WARPFOLD_HD double operator()(double x) const { return x * x; }
};

int main() {
  const std::vector<double> v = {3, -4, 12, 0};

  const double mean = wf::mean(wf::seq, v);
  const double deviation = wf::stddev(wf::seq, v, wf::variance_of::sample);
  const double length = wf::norm_2(wf::seq, v);  // the squares neither overflow nor underflow
  const double itself = wf::dot(wf::seq, v, v);
  const auto [value, index] = wf::argmax(wf::seq, v);  // the first of equal elements
  const std::size_t zeros = wf::count(wf::seq, v, 0);

  // Several reductions read the elements once.
  const auto all = wf::reduce(wf::seq, v,
                              wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}),
                                      wf::projected(wf::plus{}, square{})));

  // Sums that keep the rounding errors.
  const std::vector<double> cancelling = {1e16, 1, -1e16};
  const double exact = wf::reduce(wf::seq, cancelling, wf::plus{}.compensated());

  // Dot products too: (1e8 + 1)^2 - 1e8 * (1e8 + 2) is 1, and its terms are 1e16.
  const std::vector<double> a = {1e8 + 1, -1e8}, b = {1e8 + 1, 1e8 + 2};
  const double exact_product = wf::dot(wf::seq, a, b, wf::plus{}.compensated());

  std::printf("mean %g, deviation %.3g, length %g, greatest %g at %zu, %zu zero\n", mean, deviation,
              length, value, index, zeros);
  const bool right = std::abs(mean - 2.75) < 1e-15 && length == 13 && itself == 169 &&
                     value == 12 && index == 2 && zeros == 1 && wf::get<0>(all) == 11 &&
                     wf::get<1>(all) == -4 && wf::get<2>(all).index == 2 &&
                     wf::get<3>(all) == 169 && exact == 1 && exact_product == 1;
  return right ? 0 : 1;
}
