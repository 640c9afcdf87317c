// with_finish on the GPU: means of segments and norms of lists, with the bits of the host.
#include <warpfold/op/with_finish.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

namespace {

struct mean_of {
  WARPFOLD_HD double operator()(const wf::moments& m) const { return m.mean; }
};

std::vector<double> numbers(std::size_t n) {
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<double>(i * 7919 % 1001) / 7 - 50;
  return v;
}

}  // namespace

TEST_CASE("whole ranges and segments") {
  const auto v = numbers(300'000);
  const auto mean = wf::with_finish(wf::moments_op{}, mean_of{});
  const wf::device_buffer<double> x(v);
  CHECK(wf::reduce(wf::device, x, mean) == wf::reduce(wf::seq, v, mean));
  CHECK(wf::reduce(wf::device, x, wf::norm_2_op{}) == wf::norm_2(wf::seq, v));

  const std::vector<int> offsets{0, 5, 5, 900, 300'000};
  std::vector<double> expected(4);
  wf::reduce_segments(wf::seq, v, offsets, mean, expected);
  const wf::device_buffer<int> bounds(offsets);
  wf::device_buffer<double> found(4);
  wf::reduce_segments(wf::device, x, bounds, mean, found);
  CHECK(found.to_host() == expected);
}

TEST_CASE("norms of a list of arrays") {
  const auto v = numbers(5000);
  const wf::device_buffer<double> x(v), y(std::vector<double>{3, 4});
  const std::vector<std::span<const double>> arrays{{x.data(), x.size()}, {y.data(), y.size()}};
  wf::device_buffer<double> found(2);
  wf::reduce_many(wf::device, arrays, wf::norm_2_op{}, found);
  CHECK(found.to_host() == std::vector<double>{wf::norm_2(wf::seq, v), 5});
}
