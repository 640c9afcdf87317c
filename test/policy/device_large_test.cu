// wf::device on more elements than 32 bits can count.
#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(many_elements, fixture);

TEST_CASE("[large] 2^31 and 2^32 + 3 bytes, from every kind of place") {
  for (const std::size_t n : {std::size_t{1} << 31, (std::size_t{1} << 32) + 3}) {
    wf::device_buffer<signed char> v(n + 16);
    REQUIRE(cudaMemset(v.data(), 1, n + 16) == cudaSuccess);
    for (const std::size_t offset : {0, 1, 15}) {
      signed char* const first = v.data() + offset;
      const std::span<const signed char> range(first, n);
      INFO(n, " elements, ", offset, " bytes from alignment");
      CHECK(wf::reduce(wf::device, range) == static_cast<long long>(n));
      CHECK(wf::reduce(wf::device, range, wf::maximum{}) == 1);
      // One element differs: the last, the first, and those around the limits of 32 bits.
      for (const std::size_t at : {n - 1, std::size_t{0}, n / 2, (std::size_t{1} << 31) - 1}) {
        INFO("the odd one at ", at);
        REQUIRE(cudaMemset(first + at, 100, 1) == cudaSuccess);
        CHECK(wf::reduce(wf::device, range) == static_cast<long long>(n) + 99);
        CHECK(wf::reduce(wf::device, range, wf::maximum{}) == 100);
        REQUIRE(cudaMemset(first + at, 1, 1) == cudaSuccess);
      }
    }
  }
}
