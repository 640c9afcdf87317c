// Folds along axes of arrays whose rows memory counts, with the host policies and in the emulation.
// Also what all calls along axes do with wrong counts.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "calls/emulated_segments.hpp"
#include "calls/host_segments.hpp"
#include "contract/counted_rows_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(counted_rows_summed, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_rows_folded, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_rows_ranks, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);

TEST_CASE_TEMPLATE("a count that the rows do not have: nothing is written", Policy, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  std::vector<float> v(12, 1), out(4, 7), all(12, 7);
  const auto m = test::span_of<float>(v.data(), test::right<2>({4, 3}));
  const auto refuses = [&](const auto& rows, const char* what) {
    const Policy policy;
    const auto throws = [&](const auto& call) {
      test::check_throws<wf::invalid_range>(call, what);
    };
    throws([&] { wf::reduce_axis<1>(policy, rows, wf::plus{}, out); });
    throws([&] { wf::transform_axis<1>(policy, rows, wf::plus{}, all, test::less_fold{}); });
    throws([&] { wf::transform(policy, rows, all, test::plus_one{}); });
    CHECK(out == std::vector<float>(4, 7));
    CHECK(all == std::vector<float>(12, 7));
  };
  int count = 5;
  refuses(wf::counted(m, &count), "the count of a counted range is 5, but the range has 4 rows");
  count = -1;
  refuses(wf::counted(m, &count), "the count of a counted range is -1; store a number of rows");
  refuses(wf::counted(m, static_cast<const int*>(nullptr)), "null pointer");
  count = 1;
  test::check_throws<wf::invalid_range>(
      [&] {
        wf::reduce_axis<1>(Policy{}, wf::counted(m, &count), wf::plus{},
                           std::span<int>(&count, 1).first(0));
      },
      "the output has 0 elements");
}

TEST_CASE_TEMPLATE("an output on the count", Policy, wf::seq_policy, wf::emulated_policy<>) {
  const std::vector<int> v(6, 1);
  std::vector<int> out(3, 2);
  const auto m = test::span_of<const int>(v.data(), test::right<2>({3, 2}));
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_axis<1>(Policy{}, wf::counted(m, &out[2]), wf::plus{}, out); }, "overlaps");
  std::vector<int> all(6, 1);
  test::check_throws<wf::invalid_range>(
      [&] {
        wf::transform_axis<1>(Policy{}, wf::counted(m, &all[5]), wf::plus{}, all, std::minus<>{});
      },
      "overlaps");
}

TEST_CASE_TEMPLATE("rows behind the count are not read", Policy, wf::seq_policy, wf::par_policy,
                   wf::emulated_policy<>) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t most = 1 << 20;
  void* const memory =
      mmap(nullptr, 2 * most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  // The second half cannot be read.
  REQUIRE(most % page == 0);
  REQUIRE(mprotect(static_cast<char*>(memory) + most, most, PROT_NONE) == 0);
  auto* const end = reinterpret_cast<float*>(static_cast<char*>(memory) + most);
  for (const std::size_t columns : {1u, 3u, 8u, 17u, 64u, 1000u, 5000u, 40000u}) {
    const std::size_t n = columns > 1000 ? 4 : 12, rows = n + (columns > 1000 ? 2 : 30);
    INFO(columns, " columns");
    float* const first = end - n * columns;
    std::fill(first, end, 1.0f);
    const auto m = test::span_of<const float>(first, test::right<2>({rows, columns}));
    std::vector<float> sums(rows, 7), all(rows * columns, 7);
    const auto some = wf::counted(m, &n);
    wf::reduce_axis<1>(Policy{}, some, wf::plus{}, sums);
    CHECK(sums[n - 1] == static_cast<float>(columns));
    wf::reduce_axis<1>(Policy{}, some, wf::maximum{}, sums);
    CHECK(sums[n - 1] == 1);
    CHECK(sums[n] == 7);
    wf::transform_axis<1>(Policy{}, some, wf::softmax_op{}, all);
    wf::transform_axis<1>(Policy{}, some, wf::plus{}, all, test::less_fold{});
    CHECK(all[n * columns - 1] == 1 - static_cast<float>(columns));
  }
  munmap(memory, 2 * most);
}
