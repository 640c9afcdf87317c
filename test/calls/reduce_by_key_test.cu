// Folds of runs of equal keys on the GPU.
#include <warpfold/policy/device.hpp>
#include <warpfold/reduce_by_key.hpp>

#include "contract/device_memory.hpp"
#include "contract/keys_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(key_runs, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_order, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_async, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_types, fixture);

TEST_CASE("keys that have no default constructor and cannot be assigned") {
  const std::vector<test::fixed_key> keys{test::fixed_key(1), test::fixed_key(1),
                                          test::fixed_key(2)};
  const fixture::array<test::fixed_key> k(keys, 0), keys_out(keys, 0);
  fixture::target<int> lengths({0, 0, 0}, 0);
  CHECK(wf::run_lengths(wf::device, std::span(k.data(), 3),
                        const_cast<test::fixed_key*>(keys_out.data()), lengths.data()) == 2);
  CHECK(lengths.values() == std::vector<int>{2, 1, 0});
}

TEST_CASE("outputs with fewer elements than there are runs") {
  const fixture::array<int> k({1, 1, 2, 3, 3, 3}, 0), v({1, 2, 3, 4, 5, 6}, 0);
  fixture::target<int> keys_out({-1, -1}, 0), sums({-1, -1}, 0), runs({-1}, 0);
  wf::reduce_by_key_async(wf::device, std::span(k.data(), 6), std::span(v.data(), 6), wf::plus{},
                          std::span(keys_out.data(), 2), std::span(sums.data(), 2), runs.data());
  CHECK(runs.values()[0] == 3);
  CHECK(keys_out.values() == std::vector<int>{1, 2});
  CHECK(sums.values() == std::vector<int>{3, 3});
}
