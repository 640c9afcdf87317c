// Folds of runs of equal keys with the host policies.
// needs: tbb
#include <warpfold/reduce_by_key.hpp>

#include "contract/keys_contract.hpp"

#include "calls/host_segments.hpp"

using test::par;
using test::seq;

TEST_CASE_TEMPLATE_INVOKE(key_runs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_ops, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_errors, seq, par);

TEST_CASE("seq folds each run strictly in order") {
  const std::vector<char> keys{'a', 'a', 'a', 'b', 'a', 'a'};
  const std::vector<int> values{1, 2, 3, 4, 5, 6};
  std::vector<char> keys_out(3);
  std::vector<int> out(3);
  const auto digits = [](int a, int b) { return a * 10 + b; };
  CHECK(wf::reduce_by_key(wf::seq, keys, values, digits, keys_out, out) == 3);
  CHECK(out == std::vector<int>{123, 4, 56});
}

TEST_CASE("the same bits with par, whatever the other runs") {
  std::vector<float> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i + 1);
  std::vector<int> keys(values.size()), keys_out(3);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i >= 50 && i < 70000;
  std::vector<float> sums(3), alone(1);
  REQUIRE(wf::reduce_by_key(wf::par, keys, values, wf::plus{}, keys_out, sums) == 3);
  const std::span<const float> all(values);
  wf::reduce_segments(wf::par, all.subspan(50, 69950), wf::segments_of_size(69950), wf::plus{},
                      alone);
  CHECK(sums[1] == alone[0]);
}
