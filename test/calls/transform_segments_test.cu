// Functions of elements and of a value of their segment on the GPU.
#include <warpfold/transform_segments.hpp>

#include <warpfold/op/normalization.hpp>

#include "contract/device_memory.hpp"
#include "contract/transform_segments_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(transform_segments_folds, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_results, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_bounds, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_wrong_bounds, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_forms, fixture);

TEST_CASE("a lambda for the GPU, and more elements than 32 bits count") {
  const std::size_t n = (std::size_t{1} << 32) + 12345;
  wf::device_buffer<unsigned char> v(n);
  wf::device_buffer<std::size_t> offsets(4);
  const std::size_t bounds[] = {1, 12346, n - 1, n - 1};
  wf::runtime::copy_to_device(offsets.data(), bounds, sizeof bounds);
  wf::device_buffer<int> values(3);
  const int adds[] = {1, 2, 4};
  wf::runtime::copy_to_device(values.data(), adds, sizeof adds);
  wf::runtime::check(cudaMemset(v.data(), 3, n), "cudaMemset");
  wf::transform_segments(wf::device, v, offsets, values, v, [] __device__(unsigned char x, int a) {
    return static_cast<unsigned char>(x + a);
  });
  // 2 of 3, 12345 of 4, the rest of 5.
  CHECK(wf::reduce(wf::device, v, wf::plus{}) == 2 * 3 + 12345 * 4 + (n - 12347) * 5);
}

TEST_CASE("moments of many elements have the bits of wf::seq, with one launch and with two") {
  for (const int mean : {16, 33, 256, 5000}) {
    const std::size_t n = (std::size_t{1} << 21) + 77;
    std::vector<int> bounds{3};
    for (unsigned s = 0; bounds.back() < static_cast<int>(n); ++s) {
      const int next =
          bounds.back() + static_cast<int>(s * 2654435761u % (2 * static_cast<unsigned>(mean)));
      bounds.push_back(next < static_cast<int>(n) ? next : static_cast<int>(n));
    }
    std::vector<float> v(n), expected(n, -5);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 2654435761u % 1000) / 100;
    const test::device_memory::array<int> offsets(bounds, 0);
    const test::device_memory::array<float> in(v, 0), out(expected, 0);
    wf::transform_segments(wf::seq, v, bounds, wf::layer_norm_op{}, expected);
    wf::transform_segments(wf::device, std::span<const float>(in.data(), n),
                           std::span<const int>(offsets.data(), bounds.size()), wf::layer_norm_op{},
                           std::span(const_cast<float*>(out.data()), n));
    INFO("mean ", mean);
    CHECK(test::device_memory::values(out.data(), n) == expected);
  }
}

TEST_CASE("bounds that decrease or lie outside of the range touch no other memory") {
  const std::size_t n = 100000;
  for (const int wrong : {-5, 0, 70000, 200000, 1 << 30}) {
    std::vector<int> bounds(3000);
    for (std::size_t s = 0; s < bounds.size(); ++s) {
      bounds[s] = s % 7 == 0 ? wrong : static_cast<int>(33 * s);
    }
    const test::device_memory::array<int> offsets(bounds, 0);
    const test::device_memory::array<float> values(std::vector<float>(2999, 2), 0);
    // The output is the middle of an array.
    const test::device_memory::array<float> x(std::vector<float>(3 * n, 1), 0);
    const std::span<float> out(const_cast<float*>(x.data()) + n, n);
    const std::span<const float> v(values.data(), 2999);
    const auto plus = wf::plus{};
    wf::transform_segments(wf::device, out, std::span(offsets.data(), 3000), v, out, plus);
    std::vector<int> to(2999, 0);
    to[5] = 200000;  // others would be written twice
    const test::device_memory::array<int> ends(to, 0);
    wf::transform_segments(
        wf::device, out,
        wf::segments_between(std::span(offsets.data(), 2999), std::span(ends.data(), 2999)), v, out,
        plus);
    const std::vector<float> all = test::device_memory::values(x.data(), 3 * n);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < n; ++i) changed += (all[i] != 1) + (all[2 * n + i] != 1);
    CHECK(changed == 0);
  }
}
