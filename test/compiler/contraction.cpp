// Prints the bits of folds that multiply and add, for contraction_test.py.
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/strided.hpp>

namespace wf = warpfold;

namespace {

template <class Result>
void print(const char* what, const Result& result) {
  unsigned char bytes[sizeof result];
  std::memcpy(bytes, &result, sizeof result);
  std::printf("%s ", what);
  for (const unsigned char b : bytes) std::printf("%02x", b);
  std::printf("\n");
}

// The state: the last bit of its logarithm depends on the math library.
template <class T>
wf::exponential_sum exponentials(const std::vector<T>& x) {
  wf::exponential_sum sum{};
  wf::reduce_async(wf::seq, x, wf::log_sum_exp_op{}, &sum);
  return sum;
}

template <class T>
void fold(std::size_t n) {
  std::vector<T> x(n), y(n), near_one(n);
  std::vector<std::complex<T>> z(n), turn(n);
  unsigned random = 1;
  const auto next = [&] { return static_cast<T>((random = random * 1664525 + 1013904223) >> 8); };
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = next() / T(7);
    y[i] = next() / T(-11);
    near_one[i] = 1 - next() / T(1u << 30);
    z[i] = {x[i], y[i]};
    turn[i] = {next() / T(1u << 24), next() / T(1u << 24)};
  }
  constexpr auto& seq = wf::seq;
  print("dot", wf::dot(seq, x, y));
  print("dot with steps", wf::dot(seq, wf::strided(x, 3), wf::strided(y, 3)));
  print("dot of complex", wf::dot(seq, z, turn));
  print("dot of complex and real",
        wf::inner_product(seq, z, x, std::complex<T>(), wf::plus{}, wf::multiplies{}));
  print("dot of real and complex", wf::dot(seq, x, z));
  print("inner product of real and complex",
        wf::inner_product(seq, wf::strided(x, 3), wf::strided(z, 3), std::complex<T>(), wf::plus{},
                          wf::multiplies{}));
  print("inner product", wf::inner_product(seq, wf::strided(x, 3), wf::strided(y, 3), T(1),
                                           wf::plus{}, wf::multiplies{}));
  print("compensated dot", wf::dot(seq, x, y, wf::plus{}.compensated()));
  print("product", wf::reduce(seq, near_one, wf::multiplies{}));
  print("product of complex", wf::reduce(seq, turn, wf::multiplies{}));
  print("norm", wf::norm_2(seq, x));
  print("norm of complex", wf::norm_2(seq, z));
  print("moments", wf::reduce(seq, x, wf::moments_op{}));
  print("moments with steps", wf::reduce(seq, wf::strided(x, 3), wf::moments_op{}));
  print("moments to 4", wf::reduce(seq, x, wf::moments_to_4_op{}));
  if (n > 3) print("sample kurtosis", wf::kurtosis(seq, x, wf::variance_of::sample));
  print("exponential sum", exponentials(near_one));
  for (const T scale : {T(100), T(500), T(1e5)}) {
    std::vector<T> wide;
    for (const auto& unit : turn) wide.push_back((unit.real() - T(0.5)) * scale);
    print("exponential sum of other sizes", exponentials(wide));
    const wf::softmax_term softmax(exponentials(wide));
    for (std::size_t i = 0; i < n && i < 40; ++i) print("softmax", softmax(wide[i]));
  }
}

// Sums of single products, which folds of vectors do not make.
template <class T>
void add_products() {
  for (int i = 0; i < 31; ++i) {
    const T x = static_cast<T>(i + 1) / 7, y = static_cast<T>(i + 2) / 3;
    const std::complex<T> z(x, y);
    constexpr wf::multiplies times;
    print("real and complex", z + times(x, z));
    print("complex and real", z + times(z, x));
    print("complex", z + times(z, z));
    print("real", x + times(x, y));
    const wf::moments m{3, x, y}, n{3, y, x};
    print("moments", wf::moments_op{}(m, n));
  }
}

}  // namespace

int main() {
  add_products<float>();
  add_products<double>();
  for (const std::size_t n : {3u, 100u, 3001u, 70001u}) {
    fold<float>(n);
    fold<double>(n);
  }
}
