// The kernels that only hardware runs: clusters; and bulk copies with other stages than the
// default.
#include <warpfold/kernel/cluster.hpp>

#include "contract/device_memory.hpp"
#include "kernel/kernel_groups.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

/// Whether this GPU has clusters and bulk copies; says so if not.
bool can_run() {
  if (wf::runtime::current_device_info().compute_capability >= 90) return true;
  const wf::device_buffer<float> v(std::vector<float>(100, 1.0f));
  test::check_throws<wf::unsupported_kernel>(
      [&] { (void)wf::reduce(wf::device.with_kernel(wf::kernel::cluster<8>{}), v); },
      "needs clusters of blocks");
  test::check_throws<wf::unsupported_kernel>(
      [&] { (void)wf::reduce(wf::device.with_kernel(wf::kernel::bulk_copy{}), v); },
      "needs bulk copies");
  MESSAGE("not run: this GPU has no clusters");
  return false;
}

template <unsigned Size>
using with_clusters = test::kernel_subject<fixture, wf::kernel::cluster<Size>>;

}  // namespace

TEST_CASE_TEMPLATE("clusters of blocks give what seq gives", Subject, with_clusters<2>,
                   with_clusters<8>) {
  if (!can_run()) return;
  test::check_kernel<Subject, wf::plus>(test::kernel_data<signed char>());
  test::check_kernel<Subject, wf::plus>(test::kernel_data<float>());
  test::check_kernel<Subject, test::add_only>(test::kernel_data<double>());
  const auto large = test::whole_data<wf::plus, int>((1 << 22) + 5);
  const test::device_memory::array<int> placed(large, 4);
  const std::span<const int> range(placed.data(), large.size());
  CHECK(wf::reduce(Subject::policy(), range) == wf::reduce(wf::seq, large));
}

TEST_CASE("bulk copies in stages of many sizes") {
  if (!can_run()) return;
  const auto host = test::whole_data<wf::plus, int>((1 << 22) + 5);
  const long long want = wf::reduce(wf::seq, host);
  for (const std::size_t offset : {0, 4, 12}) {
    const test::device_memory::array<int> placed(host, offset);
    const std::span<const int> range(placed.data(), host.size());
    for (const unsigned stages : {1u, 2u, 3u, 8u}) {
      for (const unsigned bytes : {1024u, 16u * 1024, 24u * 1024}) {
        for (const unsigned block : {32u, 256u, 1024u}) {
          INFO(stages, " stages of ", bytes, ", block ", block, ", offset ", offset);
          const wf::kernel::bulk_copy kernel{.block = block,
                                             .blocks_per_multiprocessor = 2,
                                             .stages = stages,
                                             .stage_bytes = bytes};
          CHECK(wf::reduce(wf::device.with_kernel(kernel), range) == want);
        }
      }
    }
  }
}
