// drop_in/cub_segments.hpp: kinds of offsets, segments of one size, one allocation for all arrays,
// graphs, and errors.
#include "drop_in/cub_segments.hpp"

#include <limits>
#include <string>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "contract/policy_contract.hpp"
#include "drop_in/cub_status.hpp"

namespace {

using segmented = test::ours::segmented;

struct times {
  int factor;
  __host__ __device__ int operator()(int i) const { return factor * i; }
};

}  // namespace

TEST_CASE("begins and ends with gaps and overlaps, of two types, and computed ones") {
  const auto values = test::small_numbers<int>(70001, 1000);
  const test::device_memory::array<int> in(values, 0);
  const test::device_memory::array<int> begins({0, 5, 5, 3, 100, 0}, 0);
  const test::device_memory::array<long long> ends({4, 5, 7, 70001, 20000, 70001}, 0);
  test::compare_segments<int>(
      6, [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t segments) {
        return decltype(lib)::segmented::Sum(storage, bytes, in.data(), out,
                                             static_cast<std::int64_t>(segments), begins.data(),
                                             ends.data());
      });
  const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times{70});
  test::compare_segments<int>(
      1000, [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t segments) {
        return decltype(lib)::segmented::Max(storage, bytes, in.data(), out,
                                             static_cast<std::int64_t>(segments), begin, begin + 1);
      });
  // CUB itself runs elements without memory.
  test::compare_segments<int>(
      1000, [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t segments) {
        return decltype(lib)::segmented::Sum(storage, bytes, thrust::counting_iterator<int>(1), out,
                                             static_cast<std::int64_t>(segments), begin, begin + 1);
      });
}

TEST_CASE("segments of one size give what offsets give") {
  const auto values = test::small_numbers<int>(1000000, 1000);
  const test::device_memory::array<int> in(values, 4);
  const auto greater = [] __host__ __device__(int a, int b) { return a > b ? a : b; };
  for (const int size : {0, 1, 7, 64, 1000, 200000}) {
    INFO("segments of ", size, " elements");
    const std::size_t segments = size == 0 ? 5 : values.size() / static_cast<std::size_t>(size);
    const auto begin =
        thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times{size});
    const auto check = [&](const auto& sized, const auto& bounded) {
      CHECK(test::results_of_segments<int>(test::ours{}, segments, sized) ==
            test::results_of_segments<int>(test::theirs{}, segments, bounded));
    };
    check(
        [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t n) {
          return decltype(lib)::segmented::Sum(storage, bytes, in.data(), out,
                                               static_cast<std::int64_t>(n), size);
        },
        [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t n) {
          return decltype(lib)::segmented::Sum(storage, bytes, in.data(), out,
                                               static_cast<std::int64_t>(n), begin, begin + 1);
        });
    check(
        [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t n) {
          return decltype(lib)::segmented::Reduce(storage, bytes, in.data(), out,
                                                  static_cast<std::int64_t>(n), size, greater, -7);
        },
        [&](auto lib, void* storage, std::size_t& bytes, int* out, std::size_t n) {
          return decltype(lib)::segmented::Reduce(storage, bytes, in.data(), out,
                                                  static_cast<std::int64_t>(n), begin, begin + 1,
                                                  greater, -7);
        });
  }
}

TEST_CASE("offsets, elements and results in one allocation, and a graph of calls") {
  const test::own_stream stream;
  // 3 offsets, 5 elements, 2 results.
  wf::device_buffer<int> all(std::vector<int>{0, 2, 5, 1, 2, 3, 4, 5, -1, -1});
  int* const offsets = all.data();
  const auto enqueue = [&] {
    return segmented::Sum(offsets + 3, offsets + 8, 2, offsets, offsets + 1, stream.get());
  };
  const auto results = [&] {
    stream.wait();
    return test::device_memory::values(static_cast<const int*>(offsets + 8), 2);
  };
  REQUIRE(enqueue() == cudaSuccess);
  CHECK(results() == std::vector<int>{3, 12});

  cudaGraph_t graph{};
  cudaGraphExec_t replay{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(offsets + 3, 1, 5 * sizeof(int), stream.get()) == cudaSuccess);
  CHECK(enqueue() == cudaSuccess);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(results() == std::vector<int>{3, 12});
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(replay, stream.get()) == cudaSuccess);
  CHECK(results() == std::vector<int>{2 * 0x01010101, 3 * 0x01010101});
  (void)cudaGraphExecDestroy(replay);
  (void)cudaGraphDestroy(graph);
}

TEST_CASE("no elements, and bad arguments") {
  const wf::device_buffer<int> v(std::vector<int>{1, 2, 3}), offsets(std::vector<int>{0, 0, 0});
  test::guarded_slot<int> out;
  const float* const nothing = nullptr;
  wf::device_buffer<float> least(2);
  REQUIRE(segmented::Min(nothing, least.data(), 2, offsets.data(), offsets.data() + 1) ==
          cudaSuccess);
  CHECK(test::device_memory::values(static_cast<const float*>(least.data()), 2) ==
        std::vector<float>(2, std::numeric_limits<float>::max()));

  const auto check = [&](cudaError_t status, const char* part) {
    test::check_refused(status, part);
    CHECK_FALSE(out.is_written());
  };
  const int* const none = nullptr;
  const int* const bounds = offsets.data();
  check(segmented::Sum(v.data(), out.pointer(), -1, bounds, bounds + 1), "num_segments is -1");
  check(segmented::Sum(v.data(), out.pointer(), 1, -1), "segment_size is -1");
  check(segmented::Sum(v.data(), static_cast<int*>(nullptr), 1, bounds, bounds + 1),
        "null pointer");
  check(segmented::Sum(v.data(), out.pointer(), 1, none, bounds + 1), "null pointer");
  check(segmented::Sum(v.data(), out.pointer(), 1, bounds, none), "null pointer");
  check(segmented::Sum(none, out.pointer(), 1, 3), "null pointer");
  check(segmented::Sum(v.data(), const_cast<int*>(v.data()), 1, bounds, bounds + 1), "overlap");
}
