// Folds of runs of equal keys with the host policies.
// needs: tbb
#include <warpfold/reduce_by_key.hpp>

#include "contract/keys_contract.hpp"

#include "calls/host_segments.hpp"

using par = test::segments_par;
using seq = test::segments_seq;

TEST_CASE_TEMPLATE_INVOKE(key_runs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_ops, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_order, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_async, seq, par);
TEST_CASE_TEMPLATE_INVOKE(key_types, seq, par);

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

TEST_CASE_TEMPLATE("pointers to an element for each run, beside the keys and the values", Fixture,
                   seq, par) {
  const auto policy = Fixture::policy();
  // Two keys of runs, four keys, two results and four values.
  std::vector<int> memory{0, 0, 5, 5, 5, 7, 0, 0, 1, 2, 3, 4};
  int* const p = memory.data();
  const std::span<const int> keys(p + 2, 4), values(p + 8, 4);
  CHECK(wf::reduce_by_key(policy, keys, values, wf::plus{}, p, p + 6) == 2);
  CHECK(memory == std::vector<int>{5, 7, 5, 5, 5, 7, 6, 4, 1, 2, 3, 4});
  CHECK_THROWS_WITH_AS(wf::reduce_by_key(policy, keys, values, wf::plus{}, p + 1, p + 6),
                       doctest::Contains("overlaps the input"), wf::invalid_range);
}

TEST_CASE_TEMPLATE("the number of runs goes to an output", Fixture, seq, par) {
  const auto policy = Fixture::policy();
  const std::vector<int> keys{7, 7, 3, 7};
  const std::vector<float> values{1, 2, 3, 4};
  std::vector<int> keys_out(4), lengths(4);
  std::vector<float> sums(4);
  int runs = 0;
  wf::reduce_by_key_async(policy, keys, values, wf::plus{}, keys_out, sums, &runs);
  CHECK(runs == 3);
  CHECK(sums == std::vector<float>{3, 3, 4, 0});
  std::vector<std::size_t> counts(2, 9);
  wf::reduce_by_key_async(
      policy, keys, values, wf::maximum{}, [](int, int) { return true; }, keys_out, sums, counts);
  CHECK(counts == std::vector<std::size_t>{1, 9});
  CHECK(sums[0] == 4);
  wf::run_lengths_async(policy, keys, keys_out, lengths, &runs);
  CHECK(runs == 3);
  CHECK(lengths == std::vector<int>{2, 1, 1, 0});
  wf::run_lengths_async(policy, std::vector<int>{}, keys_out, lengths, &runs);
  CHECK(runs == 0);
  int* const nowhere = nullptr;
  lengths[0] = 5;
  CHECK_THROWS_WITH_AS(wf::run_lengths_async(policy, keys, keys_out, lengths, nowhere),
                       doctest::Contains("the output of the runs is a null pointer"),
                       wf::invalid_range);
  CHECK(lengths[0] == 5);
  CHECK_THROWS_WITH_AS(wf::run_lengths_async(policy, keys, keys_out, lengths, &lengths[1]),
                       doctest::Contains("overlap; pass outputs with memory of their own"),
                       wf::invalid_range);
  CHECK_THROWS_WITH_AS(
      wf::run_lengths_async(policy, keys, keys_out, lengths, const_cast<int*>(&keys[1])),
      doctest::Contains("overlaps the input"), wf::invalid_range);
  CHECK(lengths[0] == 5);
  const std::vector<int> many(200);
  std::vector<int> many_out(200), many_lengths(200);
  signed char small = 0;
  CHECK_THROWS_WITH_AS(wf::run_lengths_async(policy, many, many_out, many_lengths, &small),
                       doctest::Contains("up to 200, may not fit an integer of 1 bytes"),
                       wf::invalid_range);
}
