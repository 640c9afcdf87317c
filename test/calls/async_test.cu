// Functions that write their results, on the GPU with wf::device and with CUB, and thrust's
// pointers as arguments.
#include <thrust/device_ptr.h>

#include <warpfold/policy/cub.hpp>

#include "contract/async_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

template <class Policy>
struct fixture : test::device_memory {
  static auto policy() { return Policy{}; }
};
using device_fixture = fixture<wf::device_policy<>>;
using cub_fixture = fixture<wf::baseline::cub_policy>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(async_folds, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(async_finished, device_fixture, cub_fixture);
TEST_CASE_TEMPLATE_INVOKE(async_empty, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(async_stored, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(waiting_stored, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(async_chained, device_fixture);

TEST_CASE("thrust::device_ptr as the range's pointer and as the output") {
  const wf::device_buffer<int> v(std::vector<int>{4, 5, 6, 7});
  wf::device_buffer<long long> out(1);
  const auto p = thrust::device_pointer_cast(v.data());
  const auto to = thrust::device_pointer_cast(out.data());
  CHECK(wf::sum(wf::device, p, 3) == 15);
  CHECK(wf::max(wf::device, p, p + 2) == 5);
  wf::sum_async(wf::device, p, 4, to);
  wf::dot_async(wf::device, p, p, 2, wf::accumulate(to));
  wf::reduce_async(wf::device, p + 3, 1, wf::value_at(to), wf::plus{}, to);
  CHECK(out.to_host()[0] == 22 + 41 + 7);
}
