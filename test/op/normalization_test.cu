// layer_norm_op and rms_norm_op on the GPU: rows and segments have the bits of the host.
#include <warpfold/op/normalization.hpp>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_segments.hpp>

namespace wf = warpfold;

namespace {

std::vector<float> numbers(std::size_t n) {
  std::vector<float> v(n);
  unsigned random = 1;
  for (auto& x : v) {
    random = random * 1664525 + 1013904223;
    x = static_cast<float>(3 + (static_cast<double>(random) * 0x1p-32 - 0.5) * 20);
  }
  return v;
}

// The number of elements that differ; two NaN are equal.
int differences(const std::vector<float>& a, const std::vector<float>& b) {
  int n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) ++n;
  }
  return n;
}

template <class Op>
void check_rows(const Op& op) {
  for (const int columns : {1, 7, 33, 1000, 4096, 40'000}) {
    const int rows = 9;
    const auto v = numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
    std::vector<float> expected(v.size());
    wf::transform_axis<1>(wf::seq, matrix(v.data(), rows, columns), op, expected);
    const wf::device_buffer<float> x(v);
    wf::device_buffer<float> y(v.size());
    wf::transform_axis<1>(wf::device, matrix(x.data(), rows, columns), op, y);
    CAPTURE(columns);
    CHECK(differences(y.to_host(), expected) == 0);
  }
}

template <class Op>
void check_segments(const Op& op) {
  for (const int mean : {3, 40, 500, 100'000}) {
    std::vector<int> offsets{0};
    for (int s = 0; s < 60; ++s) offsets.push_back(offsets.back() + (s * 7919 + 13) % (2 * mean));
    const auto v = numbers(static_cast<std::size_t>(offsets.back()));
    std::vector<float> expected(v.size());
    wf::transform_segments(wf::seq, v, offsets, op, expected);
    const wf::device_buffer<float> x(v);
    const wf::device_buffer<int> bounds(offsets);
    wf::device_buffer<float> y(v.size());
    wf::transform_segments(wf::device, x, bounds, op, y);
    CAPTURE(mean);
    CHECK(differences(y.to_host(), expected) == 0);
  }
}

}  // namespace

TEST_CASE("rows") {
  check_rows(wf::layer_norm_op{});
  check_rows(wf::rms_norm_op{});
}

TEST_CASE("segments") {
  check_segments(wf::layer_norm_op{});
  check_segments(wf::rms_norm_op{});
}
