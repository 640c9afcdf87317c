// The bits of 540 results on the GPU are those of result_bits_test.cpp.
#include "contract/result_bits.hpp"

#include <doctest/doctest.h>

#include <span>

#include <cuda/std/complex>

#include <warpfold/dot.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/reduce.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

template <class Policy>
struct on_gpu {
  template <class T>
  using array = test::device_memory::array<T>;
  const Policy policy;

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

TEST_CASE("wf::device") {
  CHECK(test::result_bits<cuda::std::complex>(on_gpu<decltype(wf::device)>{wf::device}) ==
        test::expected_bits);
}
TEST_CASE("another launch of the kernel") {
  const auto policy = wf::device.with_kernel(wf::kernel::in_order<>{96, 7});
  CHECK(test::result_bits<cuda::std::complex>(on_gpu<decltype(policy)>{policy}) ==
        test::expected_bits);
}
