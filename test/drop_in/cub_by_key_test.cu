// drop_in/cub_by_key.hpp: ReduceByKey and Encode give CUB's runs, into outputs that have exactly
// the room that the runs need.
#include "drop_in/cub_runs.hpp"

#include "contract/policy_contract.hpp"

TEST_CASE("ReduceByKey: sums of ints, from runs of one key to one run") {
  const auto values = test::small_numbers<int>(test::most_keys, 1000);
  for (const std::size_t longest :
       {std::size_t{1}, std::size_t{10}, std::size_t{3000}, test::most_keys}) {
    INFO("runs of up to ", longest, " keys");
    test::compare_folds<int>(test::keys_in_runs<int>(test::most_keys, longest), values,
                             cuda::std::plus<>{});
  }
  test::compare_folds<int>(std::vector<int>(test::most_keys, 7), values, cuda::std::plus<>{});
}

TEST_CASE("ReduceByKey: sums of floats, and a wide number of runs") {
  test::compare_folds<float, long long>(test::keys_in_runs<long long>(test::most_keys, 40),
                                        test::small_numbers<float>(test::most_keys),
                                        cuda::std::plus<>{});
}

TEST_CASE("Encode: keys and lengths of several types") {
  for (const std::size_t longest : {std::size_t{1}, std::size_t{10}, test::most_keys}) {
    INFO("runs of up to ", longest, " keys");
    test::compare_lengths<int>(test::keys_in_runs<int>(test::most_keys, longest));
  }
  test::compare_lengths<std::size_t>(test::keys_in_runs<char>(test::most_keys, 1000));
  test::compare_lengths<unsigned char>(test::keys_in_runs<double>(70001, 300));  // lengths wrap
  test::compare_lengths<int>(test::keys_in_runs<test::pair_of_ints>(70001, 10));
}
