// Ranges whose size lies in the memory of the GPU; a graph that is replayed with another size.
#include <cuda_runtime.h>

#include <limits>

#include "contract/counted_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_rounds, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_transforms, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_in_place, fixture);

TEST_CASE("a count above the size of the range, or below 0, reads nothing else") {
  const test::device_memory::array<int> v(std::vector<int>{1, 2, 3}, 0);
  const auto range = test::range_of<fixture, int>(v, 3);
  for (const int n : {-1, 3, 4, 1 << 30}) {
    const test::device_memory::array<int> count(std::vector<int>{n}, 0);
    CHECK(wf::sum(wf::device, wf::counted(range, count.data())) == (n < 0 ? 0 : 6));
  }
}

TEST_CASE("a count of 0 has no index, and its least element is the identity") {
  const test::device_memory::array<int> v(std::vector<int>{1, 2, 3}, 0);
  const test::device_memory::array<int> count(std::vector<int>{0}, 0);
  const auto some = wf::counted(test::range_of<fixture, int>(v, 3), count.data());
  CHECK_THROWS_AS((void)wf::argmin(wf::device, some), wf::empty_range);
  CHECK_THROWS_AS((void)wf::argminmax(wf::device, some), wf::empty_range);
  CHECK(wf::min(wf::device, some) == std::numeric_limits<int>::max());
}

TEST_CASE("a count above the size of the range, or below 0, transforms what there is") {
  const test::device_memory::array<int> v(std::vector<int>{1, 2, 3}, 0);
  const auto range = test::range_of<fixture, int>(v, 3);
  for (const int n : {-1, 3, 4, 1 << 30}) {
    const test::device_memory::array<int> count(std::vector<int>{n}, 0);
    test::check_written<fixture, int>(
        n < 0 ? 0 : 3, 3, 0,
        [&](auto out) { wf::copy(wf::device, wf::counted(range, count.data()), out); },
        [](std::size_t i) { return static_cast<int>(i) + 1; });
  }
}

namespace {

/// A captured stream as a graph that can be replayed.
class replayed_graph {
 public:
  /// Captures what `enqueue(policy)` enqueues.
  template <class Enqueue>
  explicit replayed_graph(const Enqueue& enqueue) {
    REQUIRE(cudaStreamCreate(&stream_) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal) == cudaSuccess);
    enqueue(wf::device.on(stream_));
    REQUIRE(cudaStreamEndCapture(stream_, &graph_) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&replay_, graph_, 0) == cudaSuccess);
  }
  ~replayed_graph() {
    cudaGraphExecDestroy(replay_);
    cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream_);
  }
  replayed_graph(const replayed_graph&) = delete;
  replayed_graph& operator=(const replayed_graph&) = delete;

  /// Writes `n` to `*count`, replays the graph and waits.
  void run_with(unsigned n, const unsigned* count) const {
    REQUIRE(cudaMemcpy(const_cast<unsigned*>(count), &n, sizeof n, cudaMemcpyDefault) ==
            cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay_, stream_) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream_) == cudaSuccess);
  }

 private:
  cudaStream_t stream_{};
  cudaGraph_t graph_{};
  cudaGraphExec_t replay_{};
};

}  // namespace

TEST_CASE("a graph is replayed with another size") {
  constexpr std::size_t limit = 1 << 20;
  const test::device_memory::array<float> v(std::vector<float>(limit, 1.0f), 0);
  const test::device_memory::array<unsigned> count(std::vector<unsigned>{7}, 0);
  test::device_memory::slot<float> slot;
  const replayed_graph graph([&](const auto& policy) {
    wf::sum_async(policy, wf::counted(test::range_of<fixture, float>(v, limit), count.data()),
                  slot.pointer());
  });
  for (const unsigned n : {7u, 0u, 1000u, 1u << 20, 65537u}) {
    graph.run_with(n, count.data());
    CHECK(slot.value() == static_cast<float>(n));
  }
}

TEST_CASE("a graph transforms another number of elements") {
  constexpr std::size_t limit = 100003;
  const test::device_memory::array<int> v(std::vector<int>(limit, 5), 4);
  const test::device_memory::array<unsigned> count(std::vector<unsigned>{7}, 0);
  fixture::target<int> out(std::vector<int>(limit, 0), 8);
  const replayed_graph graph([&](const auto& policy) {
    wf::transform_async(policy, wf::counted(test::range_of<fixture, int>(v, limit), count.data()),
                        out.data(), test::plus_one{});
  });
  unsigned most = 0;
  for (const unsigned n : {7u, 0u, 1000u, 65537u, 3u}) {
    graph.run_with(n, count.data());
    most = n > most ? n : most;
    const auto got = out.values();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < limit; ++i) wrong += got[i] != (i < most ? 6 : 0);
    CHECK(wrong == 0);
  }
}
