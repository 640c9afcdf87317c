// Folds of runs of keys and of classes whose number of keys or labels memory holds, with the host
// policies and in the emulation.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include "calls/emulated_segments.hpp"
#include "calls/host_segments.hpp"
#include "contract/counted_keys_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(counted_keys, test::segments_seq, test::segments_par,
                          test::emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_long_keys, test::segments_seq, test::segments_par,
                          test::emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_labels, test::segments_seq, test::segments_par,
                          test::emulated_segments);

TEST_CASE_TEMPLATE("counts that keys or labels do not have: nothing is written", Policy,
                   wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> keys{0, 0, 1};
  std::vector<int> unique(3, 7), out(3, 7);
  for (const int n : {-1, 4}) {
    int count = n;
    const auto refuses = [&](const auto& call) {
      test::check_throws<wf::invalid_range>(call,
                                            n < 0 ? "is -1" : "is 4, but the range has 3 elements");
    };
    const auto some = wf::counted(keys, &count);
    const auto two = std::span(out).first(2);
    refuses([&] { wf::reduce_by_key(Policy{}, some, keys, wf::plus{}, unique, out); });
    refuses([&] { wf::run_lengths(Policy{}, some, unique, out); });
    refuses([&] { wf::reduce_by_class(Policy{}, some, keys, 2, wf::plus{}, two); });
    refuses([&] { wf::count_by_class(Policy{}, some, 2, two); });
    CHECK(unique == std::vector<int>(3, 7));
    CHECK(out == std::vector<int>(3, 7));
  }
  // A wrong label is reported only if it exists.
  const std::vector<int> wrong{0, 1, 5};
  int count = 2;
  wf::count_by_class(Policy{}, wf::counted(wrong, &count), 2, std::span(out).first(2));
  CHECK(out == std::vector<int>{1, 1, 7});
  count = 3;
  test::check_throws<wf::invalid_range>(
      [&] { wf::count_by_class(Policy{}, wf::counted(wrong, &count), 2, std::span(out).first(2)); },
      "the label at index 2 is 5");
}
