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
