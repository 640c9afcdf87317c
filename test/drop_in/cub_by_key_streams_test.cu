// drop_in/cub_by_key.hpp: calls without temporary storage, graphs, and errors.
#include "drop_in/cub_runs.hpp"

#include <string>

#include "contract/policy_contract.hpp"
#include "drop_in/cub_status.hpp"

namespace {}  // namespace

TEST_CASE("calls without temporary storage, also into graphs") {
  const test::own_stream stream;
  const auto keys = test::keys_in_runs<int>(test::most_keys, 30);
  const auto values = test::small_numbers<int>(test::most_keys, 1000);
  const std::size_t runs = test::count_runs(keys, test::most_keys);
  const test::device_memory::array<int> k(keys, 0), v(values, 0);
  test::tight_outputs<int, int, int> sums(runs), lengths(runs), later_sums(runs),
      later_lengths(runs);
  const auto enqueue = [&](auto& to_sums, auto& to_lengths) {
    CHECK(test::ours::reduce::ReduceByKey(k.data(), to_sums.keys(), v.data(), to_sums.results(),
                                          to_sums.count(), cuda::std::plus<>{}, test::most_keys,
                                          stream.get()) == cudaSuccess);
    CHECK(test::ours::run_lengths::Encode(k.data(), to_lengths.keys(), to_lengths.results(),
                                          to_lengths.count(), test::most_keys,
                                          stream.get()) == cudaSuccess);
  };
  enqueue(sums, lengths);
  CHECK(sums.written_count() == static_cast<int>(runs));
  CHECK(lengths.written_count() == static_cast<int>(runs));

  const auto unwritten = later_sums.bytes();
  cudaGraph_t graph{};
  cudaGraphExec_t replay{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  enqueue(later_sums, later_lengths);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(later_sums.bytes() == unwritten);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(replay, stream.get()) == cudaSuccess);
  stream.wait();
  CHECK(later_sums.bytes() == sums.bytes());
  CHECK(later_lengths.bytes() == lengths.bytes());
  (void)cudaGraphExecDestroy(replay);
  (void)cudaGraphDestroy(graph);
}

TEST_CASE("bad arguments are named, and nothing is written") {
  const wf::device_buffer<int> keys(std::vector<int>{1, 1, 2});
  test::tight_outputs<int, int, int> out(2);
  const auto unwritten = out.bytes();
  int* const nothing = nullptr;
  const auto check = [&](cudaError_t status, const char* part) {
    test::check_refused(status, part);
    CHECK(out.bytes() == unwritten);
  };
  const auto reduce = [&](const int* k, int* unique, const int* v, int* sums, int* count, int n) {
    return test::ours::reduce::ReduceByKey(k, unique, v, sums, count, cuda::std::plus<>{}, n);
  };
  const int* const k = keys.data();
  check(reduce(k, out.keys(), k, out.results(), out.count(), -1), "num_items is -1");
  check(reduce(nothing, out.keys(), k, out.results(), out.count(), 3), "null pointer");
  check(reduce(k, out.keys(), nothing, out.results(), out.count(), 3), "null pointer");
  check(reduce(k, nothing, k, out.results(), out.count(), 3), "null pointer");
  check(reduce(k, out.keys(), k, nothing, out.count(), 3), "null pointer");
  check(reduce(k, out.keys(), k, out.results(), nothing, 3), "null pointer");
  check(reduce(k, out.keys(), k, out.keys(), out.count(), 3), "overlap");
  check(reduce(k, const_cast<int*>(k) + 1, k, out.results(), out.count(), 3), "overlap");
  check(reduce(k, out.keys(), k, out.results(), out.keys(), 3), "overlap");
  check(test::ours::run_lengths::Encode(k, out.keys(), out.results(), out.count(), -2),
        "num_items is -2");
  check(test::ours::run_lengths::Encode(k, out.keys(), nothing, out.count(), 3), "null pointer");

  REQUIRE(reduce(k, out.keys(), k, out.results(), out.count(), 3) == cudaSuccess);
  CHECK(out.written_count() == 2);
  CHECK(test::device_memory::values(out.keys(), 2) == std::vector<int>{1, 2});
  CHECK(test::device_memory::values(out.results(), 2) == std::vector<int>{2, 2});
}
