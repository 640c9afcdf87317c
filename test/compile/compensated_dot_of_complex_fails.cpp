// The parts of complex numbers are sums of several products.
// expect: requires real floating-point elements
#include <complex>
#include <vector>

#include <warpfold/dot.hpp>

int main() {
  const std::vector<std::complex<double>> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.compensated());
}
