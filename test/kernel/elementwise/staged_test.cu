// wf::staged on both sides of a transformation, on the GPU, and copies between structs and soa.
// needs: boost
#include <warpfold/soa.hpp>

#include "contract/device_memory.hpp"
#include "contract/staged_transform_contract.hpp"

namespace {

struct on_device : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

struct seven {
  BOOST_HANA_DEFINE_STRUCT(seven, (float, x), (float, y), (float, z), (float, m), (int, id),
                           (float, q), (float, r));
  friend bool operator==(const seven&, const seven&) = default;
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(staged_transforms, on_device);
TEST_CASE_TEMPLATE_INVOKE(staged_with_others, on_device);

TEST_CASE("structs become soa and structs again on the GPU") {
  // The longest gives every warp several tiles.
  for (const int n : {0, 1, 31, 64, 1000, 1000001}) {
    INFO(n, " elements");
    std::vector<seven> structs;
    for (int i = 0; i < n; ++i) {
      const float f = static_cast<float>(i);
      structs.push_back({f, f * 2, f * 3, f / 2, i, f + 1, f + 2});
    }
    const wf::device_buffer<seven> whole(structs);
    wf::soa<seven> apart(structs.size());
    wf::copy(wf::device, wf::staged(whole), apart);
    CHECK(apart.to_host() == structs);
    wf::device_buffer<seven> again(structs.size());
    wf::copy(wf::device, apart, wf::staged(again));
    CHECK(again.to_host() == structs);
    CHECK(wf::reduce(wf::device, apart.field<&seven::id>(), wf::plus{}) ==
          static_cast<long long>(n) * (n - 1) / 2);
  }
}
