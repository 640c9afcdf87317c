// drop_in/cub_segments.hpp without a GPU: which calls this library runs, the size of the storage,
// the pairs of index and value, and errors. Runs on every machine; the test hides existing GPUs.
#include <warpfold/drop_in/cub.hpp>

#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <doctest/doctest.h>

#include <warpfold/policy/seq.hpp>

#include "drop_in/cub_status.hpp"

namespace wf = warpfold;

namespace {

using namespace wf::detail::cub_calls;
using segmented = wf::drop_in::cub::DeviceSegmentedReduce;
using pair = ::cub::KeyValuePair<int, float>;

// Set before the first CUDA call, which reads the variable.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

struct one_more {
  __host__ __device__ int operator()(int x) const { return x + 1; }
};
struct not_trivial {
  int x;
  __host__ __device__ not_trivial(const not_trivial& other) : x(other.x) {}
};

using sum = cuda::std::plus<>;
using count = thrust::counting_iterator<int>;

template <class In, class Out, class Begins = const int*, class Ends = const int*>
inline constexpr bool reduces_bounded =
    reduces_segments<In, Out, bounded<Begins, Ends>, sum, int>();
static_assert(reduces_bounded<const int*, int*>);
static_assert(reduces_bounded<const int*, int*, thrust::transform_iterator<one_more, count>>);
static_assert(reduces_bounded<thrust::transform_iterator<one_more, const int*>, int*>);
static_assert(!reduces_bounded<count, int*>);  // no memory tells the number of elements
static_assert(!reduces_bounded<const int*, thrust::discard_iterator<>>);
static_assert(!reduces_bounded<const not_trivial*, int*>);
static_assert(!reduces_bounded<const int*, int*, const float*>);
static_assert(reduces_segments<count, int*, of_one_size, sum, int>());

// Addresses that no call may touch.
float* const in = reinterpret_cast<float*>(0x1000);
float* const out = reinterpret_cast<float*>(0x2000);
pair* const pairs = reinterpret_cast<pair*>(0x2000);
int* const offsets = reinterpret_cast<int*>(0x3000);
void* const storage = reinterpret_cast<void*>(0x4000);

}  // namespace

TEST_CASE("without storage, a call only returns its size, and needs no GPU") {
  REQUIRE(hidden);
  const auto check = [](const auto& call) { test::check_only_size(call); };
  int* const ends = offsets + 1;
  check([&](std::size_t& b) {
    return segmented::Reduce(nullptr, b, in, out, 5, offsets, ends, sum{}, 0.0f);
  });
  check([&](std::size_t& b) { return segmented::Reduce(nullptr, b, in, out, 5, 3, sum{}, 0.0f); });
  check([&](std::size_t& b) { return segmented::Sum(nullptr, b, in, out, 5, offsets, ends, 0); });
  check([&](std::size_t& b) { return segmented::Sum(nullptr, b, in, out, 5, 3, nullptr); });
  check([&](std::size_t& b) { return segmented::Min(nullptr, b, in, out, 5, offsets, ends); });
  check([&](std::size_t& b) { return segmented::Max(nullptr, b, in, out, 5, 3); });
  check([&](std::size_t& b) { return segmented::ArgMin(nullptr, b, in, pairs, 5, offsets, ends); });
  check([&](std::size_t& b) { return segmented::ArgMax(nullptr, b, in, pairs, 5, 3); });
}

TEST_CASE("without a GPU, a call returns a code; without segments, it has nothing to do") {
  REQUIRE(hidden);
  const auto check = test::check_without_gpu;
  check(segmented::Sum(in, out, 5, offsets, offsets + 1));
  check(segmented::Sum(in, out, 5, offsets, offsets + 6));
  check(segmented::Max(in, out, 5, 3));
  check(segmented::ArgMin(in, pairs, 5, offsets, offsets + 1));
  CHECK(segmented::Sum(in, out, 0, offsets, offsets + 1) == cudaSuccess);
  CHECK(segmented::ArgMax(in, pairs, 0, 3) == cudaSuccess);
}

TEST_CASE("bad arguments are found first, and named") {
  const auto check = test::check_refused;
  std::size_t none = 0;
  check(segmented::Sum(storage, none, in, out, 5, offsets, offsets + 1), "temp_storage_bytes is 0");
  check(segmented::Sum(in, out, -1, offsets, offsets + 1), "num_segments is -1");
  check(segmented::ArgMin(in, pairs, -2, 3), "num_segments is -2");
  check(segmented::Min(in, out, 5, -3), "segment_size is -3");
  check(segmented::Sum(in, in, 5, offsets, offsets + 1), "overlaps the input");
  check(segmented::Sum(in, reinterpret_cast<float*>(offsets + 5), 5, offsets, offsets + 1),
        "overlaps the input");
}

TEST_CASE("pointers into one array of offsets are that array") {
  const auto kind = [](const int* begins, const int* ends) {
    bool by_offsets = false;
    with_bounds(begins, ends, 5, [&](const auto& segments) {
      CHECK(segments.size() == 5);
      by_offsets = std::remove_cvref_t<decltype(segments)>::are_adjacent;
    });
    return by_offsets;
  };
  CHECK(kind(offsets, offsets + 1));
  CHECK_FALSE(kind(offsets, offsets + 5));
  CHECK_FALSE(kind(offsets + 1, offsets));
}

TEST_CASE("pairs of index and value; the start at index 1 for empty segments") {
  const std::vector<float> v{3, 1, 1, 5};
  const std::vector<int> bounds{0, 4, 4, 4};
  std::vector<pair> found(3, pair(7, 7));
  using output = pair_output<pair>;
  static_assert(wf::output_view<output>);
  wf::reduce_segments(wf::seq, v, bounds, cub_arg_t<wf::minimum, float>{},
                      output(found.data(), 3, start_of<wf::minimum, float>()));
  CHECK(found[0].key == 1);
  CHECK(found[0].value == 1);
  for (const int k : {1, 2}) {
    CHECK(found[static_cast<std::size_t>(k)].key == 1);
    CHECK(found[static_cast<std::size_t>(k)].value == std::numeric_limits<float>::max());
  }
}
