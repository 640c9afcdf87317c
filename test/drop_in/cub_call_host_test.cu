// drop_in/cub_call.hpp without a GPU: which iterators this library reads and writes, both forms of
// a call, and the codes of exceptions.
#include <warpfold/drop_in/cub_call.hpp>

#include <new>
#include <stdexcept>
#include <string>

#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

using namespace wf::detail::cub_calls;

struct not_trivial {
  int x;
  __host__ __device__ not_trivial(const not_trivial& other) : x(other.x) {}
};

static_assert(viewable<const int*> && viewable<thrust::counting_iterator<int>>);
static_assert(!viewable<const not_trivial*>);
static_assert(in_memory<int*> && in_memory<thrust::device_ptr<int>>);
static_assert(!in_memory<const int*> && !in_memory<thrust::discard_iterator<>>);
static_assert(stores<float*, float> && !stores<float*, double>);
static_assert(stores_integers<unsigned*> && !stores_integers<bool*> && !stores_integers<float*>);
static_assert(std::is_same_v<cub_value_t<float*, const int*>, float>);
static_assert(std::is_same_v<cub_value_t<void, const int*>, int>);

const std::string& last_error() {
  static std::string text;
  text = last_message().c_str();
  return text;
}

template <class Error>
cudaError_t code_of_thrown(const Error& error) {
  return code_of([&]() -> cudaError_t { throw error; });
}

}  // namespace

TEST_CASE("a count is converted, or named with its value") {
  CHECK(count_of(0) == 0);
  CHECK(count_of(7ull) == 7);
  CHECK_THROWS_WITH_AS(count_of(-3, "num_segments"), doctest::Contains("num_segments is -3"),
                       wf::invalid_range);
  CHECK_THROWS_WITH_AS(count_of(~0ull), doctest::Contains("num_items is 18446744073709551615"),
                       wf::invalid_range);
}

TEST_CASE("exceptions become codes, and their texts the last message") {
  CHECK(code_of_thrown(wf::invalid_range("wrong")) == cudaErrorInvalidValue);
  CHECK(last_error() == "wrong");
  CHECK(code_of_thrown(std::bad_alloc()) == cudaErrorMemoryAllocation);
  CHECK(code_of_thrown(std::runtime_error("no memory")) == cudaErrorMemoryAllocation);
  CHECK(last_error() == "no memory");
  CHECK(code_of_thrown(1) == cudaErrorMemoryAllocation);
  CHECK(code_of([] { return cudaSuccess; }) == cudaSuccess);
}

TEST_CASE("with storage the first call returns 1 byte, and the second one works") {
  int calls = 0;
  const auto work = [&] { ++calls; };
  std::size_t bytes = 0;
  CHECK(two_phases{nullptr, bytes}.run(work) == cudaSuccess);
  CHECK(bytes == 1);
  CHECK(calls == 0);
  CHECK(two_phases{&calls, bytes}.run(work) == cudaSuccess);
  CHECK(calls == 1);
  bytes = 0;
  CHECK(two_phases{&calls, bytes}.run(work) == cudaErrorInvalidValue);
  CHECK(last_error().find("temp_storage_bytes is 0") != std::string::npos);
  CHECK(one_phase{}.run(work) == cudaSuccess);
  CHECK(calls == 2);
}

TEST_CASE("calls that CUB itself runs get the stream, and the storage of the caller") {
  std::size_t bytes = 5;
  const auto stream = reinterpret_cast<cudaStream_t>(0x40);
  const auto call = [&](cudaStream_t on, void* storage, std::size_t& size) {
    CHECK(on == stream);
    CHECK(storage == nullptr);
    size = 9;
    return cudaErrorNotReady;
  };
  CHECK(two_phases{nullptr, bytes}.forward(stream, call) == cudaErrorNotReady);
  CHECK(bytes == 9);
  CHECK(one_phase{}.forward(stream, call) == cudaErrorNotReady);
}
