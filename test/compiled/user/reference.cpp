// The results of user.c and user.f90 by the headers, or with USE_LIBRARY by libwarpfold.
#include <cinttypes>
#include <complex>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#if defined(USE_LIBRARY)
#include <warpfold/compiled.hpp>

namespace wf = warpfold::compiled;
#else
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/log_sum_exp.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/strided.hpp>

namespace wf = warpfold;
#endif

static void print(const char* name, double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  std::printf("%s %016" PRIx64 "\n", name, bits);
}

int main() {
  constexpr int count = 100000;
  std::vector<double> x(count), y(count);
  std::vector<std::int32_t> k(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    x[at] = static_cast<double>(i * 7919 % 1001) / 7.0 - 50.0;
    y[at] = static_cast<double>(i * 104729 % 997) / 3.0;
    k[at] = static_cast<std::int32_t>(i % 1000 - 300);
  }
  print("sum", wf::sum(wf::seq, x));
  print("every third", wf::sum(wf::seq, wf::strided(x, 3)));
  print("exact sum", wf::sum(wf::seq, x, wf::plus{}.exact()));
  print("variance", wf::variance(wf::seq, x));
  print("dot", wf::dot(wf::seq, x, y));
  std::printf("argmax %zu\n", wf::argmax(wf::seq, x).index);
  const auto [least, greatest] = wf::minmax(wf::seq, x);
  print("least", least);
  print("greatest", greatest);
  std::printf("integers %" PRId64 "\n", std::int64_t{wf::sum(wf::seq, k)});
  std::vector<std::complex<double>> z(count / 2);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {x[2 * i], x[2 * i + 1]};
  const std::complex<double> mean = wf::mean(wf::seq, z);
  print("complex mean", mean.real());
  print("complex mean", mean.imag());
  print("complex dot", wf::dot(wf::seq, z, z, wf::plus{}.exact()).real());
  std::vector<double> sums(4);
  wf::reduce_segments(wf::seq, y, std::vector<int>{0, 10, 10, 5000, count}, wf::plus{}, sums);
  for (const double sum : sums) print("segment", sum);
  const std::vector<std::int32_t> keys{7, 7, 3, 7};
  std::vector<std::int32_t> keys_out(4);
  const std::size_t runs =
      wf::reduce_by_key(wf::seq, keys, std::span(y).first(4), wf::log_sum_exp_op{}, keys_out, sums);
  for (std::size_t s = 0; s < runs; ++s) print("run", sums[s]);
  std::puts("error: warpfold: 99 is no warpfold_operation; pass an enumerator of warpfold.h");
  return 0;
}
