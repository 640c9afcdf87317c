// The bits of 360 results on the GPU are those of result_bits_test.cpp.
#include "contract/result_bits.hpp"

#include <doctest/doctest.h>

#include <span>

#include <warpfold/dot.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/reduce.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

struct on_gpu {
  template <class T>
  using array = test::device_memory::array<T>;
  const decltype(wf::device.with_kernel(wf::kernel::in_order<>{})) policy =
      wf::device.with_kernel(wf::kernel::in_order<>{});

  template <class T, class... More>
  auto reduce(const std::vector<T>& v, const More&... more) const {
    const array<T> a(v, sizeof(T));
    return wf::reduce(policy, std::span(a.data(), v.size()), more...);
  }
  template <class T>
  auto dot(const std::vector<T>& v, const std::vector<T>& w) const {
    const array<T> a(v, 0), b(w, 0);
    return wf::dot(policy, std::span(a.data(), v.size()), std::span(b.data(), w.size()));
  }
};

}  // namespace

TEST_CASE("the kernel") { CHECK(test::result_bits(on_gpu{}) == test::expected_bits); }
