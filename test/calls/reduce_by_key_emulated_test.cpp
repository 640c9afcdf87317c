// Folds of runs of equal keys with wf::emulated.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/op/arg.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_key.hpp>

#include "contract/keys_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(key_runs, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_order, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_async, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_types, fixture);

TEST_CASE("the first of the greatest elements of runs that lanes, warps and blocks fold") {
  for (const int longest : {5, 20, 100, 700, 3000}) {
    std::vector<int> keys;
    for (int run = 0; keys.size() < 12000; ++run) {
      keys.insert(keys.end(), static_cast<std::size_t>(run * 7919 % longest + 1), run);
    }
    std::vector<float> values(keys.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7919 % 13);
    std::vector<int> runs(keys.size()), expected(keys.size(), -1), found(keys.size(), -1);
    wf::reduce_by_key(wf::seq, keys, values, wf::arg(wf::maximum{}), runs, expected);
    wf::reduce_by_key(wf::emulated, keys, values, wf::arg(wf::maximum{}), runs, found);
    INFO("up to ", longest);
    CHECK(found == expected);
  }
}

TEST_CASE("outputs with fewer elements than there are runs") {
  const std::vector<int> keys{1, 1, 2, 3, 3, 3}, values{1, 2, 3, 4, 5, 6};
  std::vector<int> keys_out(2), sums(2, -1), lengths(2);
  int runs = 0;
  wf::reduce_by_key_async(wf::emulated, keys, values, wf::plus{}, keys_out, sums, &runs);
  CHECK(runs == 3);
  CHECK(keys_out == std::vector<int>{1, 2});
  CHECK(sums == std::vector<int>{3, 3});
  wf::run_lengths_async(wf::emulated, keys, keys_out, lengths, &runs);
  CHECK(runs == 3);
  CHECK(lengths == std::vector<int>{2, 1});
  const std::vector<int> far(20000, 1);
  std::vector<int> none;
  wf::run_lengths_async(wf::emulated, far, none, none, &runs);
  CHECK(runs == 1);
}
