// Views of some elements or in another order on the GPU: every n-th element, from the end, where a
// bit is set, and mdspans of three dimensions; from pointers with every misalignment.
#include <span>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/extrema.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/add_only.hpp"
#include "contract/device_memory.hpp"
#include "contract/view_contract.hpp"

namespace {

namespace cs = cuda::std;

constexpr std::size_t lengths[] = {1, 33, 1000, 16385, 300007};

template <class T>
auto array_of(const T* data, const cs::array<std::size_t, 3>& extent,
              const cs::array<std::size_t, 3>& stride) {
  using extents = cs::dextents<std::size_t, 3>;
  return cs::mdspan<const T, extents, cs::layout_stride>(
      data, cs::layout_stride::mapping<extents>(extents(extent), stride));
}

/// The same values on the host and on the GPU, at every misalignment, with `f(here, there)` for
/// spans of some lengths.
template <class T, class F>
void each_span(const F& f) {
  const auto values = test::whole_data<wf::plus, T>(300007);
  for (const std::size_t offset : test::offsets<T>()) {
    const test::device_memory::array<T> placed(values, offset);
    for (const std::size_t n : lengths) {
      INFO(n, " elements at offset ", offset);
      f(std::span<const T>(values.data(), n), std::span<const T>(placed.data(), n));
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("device takes every n-th element", T, signed char, float) {
  each_span<T>([](const auto& here, const auto& there) {
    for (const std::size_t step : {1, 2, 7}) {
      test::check_kernels(wf::device, wf::strided(there, step, 3), wf::plus{},
                          wf::reduce(wf::seq, wf::strided(here, step, 3)));
    }
  });
}

TEST_CASE_TEMPLATE("device takes elements from the end", T, signed char, float) {
  each_span<T>([](const auto& here, const auto& there) {
    test::check_kernels(wf::device, wf::reverse(there), wf::plus{}, wf::reduce(wf::seq, here));
    CHECK(wf::argmax(wf::device, wf::reverse(there)) == wf::argmax(wf::seq, wf::reverse(here)));
  });
}

TEST_CASE_TEMPLATE("device takes elements where a bit is set", T, signed char, float) {
  const auto mask = test::any_values<unsigned>(300007 / 32 + 3);
  const test::device_memory::array<unsigned> bits(mask, 4);
  const std::span<const unsigned> mask_there(bits.data(), mask.size());
  each_span<T>([&](const auto& here, const auto& there) {
    for (const std::size_t first : {std::size_t{0}, std::size_t{37}}) {
      INFO("bits from ", first);
      const auto some_here = wf::where(here, mask, first);
      const auto some_there = wf::where(there, mask_there, first);
      test::check_kernels(wf::device, some_there, wf::plus{}, wf::reduce(wf::seq, some_here));
      if (here.size() < 33) continue;  // perhaps no bit is set
      CHECK(wf::argmin(wf::device, some_there) == wf::argmin(wf::seq, some_here));
      CHECK(wf::reduce(wf::device, some_there, T{0}, test::add_only{}) ==
            wf::reduce(wf::seq, some_here, T{0}, test::add_only{}));
    }
  });
}

TEST_CASE("without a bit, an extremum or a mean on a GPU is an error") {
  const test::device_memory::array<float> placed(std::vector<float>(1000, 1), 0);
  const test::device_memory::array<unsigned> bits(std::vector<unsigned>(32), 0);
  const auto none = wf::where(std::span<const float>(placed.data(), 1000),
                              std::span<const unsigned>(bits.data(), 32));
  CHECK_THROWS_AS((void)wf::min(wf::device, none), wf::empty_range);
  CHECK_THROWS_AS((void)wf::mean(wf::device, none), wf::empty_range);
}

TEST_CASE_TEMPLATE("device takes arrays of three dimensions", T, signed char, float, double) {
  const auto values = test::whole_data<wf::plus, T>(300007);
  for (const std::size_t offset : test::offsets<T>()) {
    const test::device_memory::array<T> placed(values, offset);
    const auto check = [&](const cs::array<std::size_t, 3>& extent,
                           const cs::array<std::size_t, 3>& stride) {
      INFO("offset ", offset, ", strides ", stride[0], ", ", stride[1], ", ", stride[2]);
      const auto here = array_of(values.data(), extent, stride);
      const auto there = array_of(placed.data(), extent, stride);
      test::check_kernels(wf::device, wf::elements(there), wf::plus{}, wf::reduce(wf::seq, here));
      CHECK(wf::argmax(wf::device, there) == wf::argmax(wf::seq, here));
    };
    check({20, 30, 64}, {14000, 96, 1});  // aligned runs
    check({64, 30, 21}, {1, 97, 14001});  // runs at every alignment
    check({50, 40, 3}, {6000, 150, 5});   // no stride of 1
    check({100, 30, 100}, {3000, 100, 1});
    check({7, 1, 40000}, {40001, 1, 1});
  }
}
