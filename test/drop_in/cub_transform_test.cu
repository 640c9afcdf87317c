// drop_in/cub.hpp: DeviceTransform gives CUB's elements, of one and of several inputs, in place,
// and writes nothing beyond the output.
#include "drop_in/cub_calls.hpp"

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "contract/policy_contract.hpp"

namespace {

struct twice {
  __host__ __device__ float operator()(int x) const { return 2.0f * static_cast<float>(x); }
};
struct multiply_add {
  __host__ __device__ float operator()(int a, float b, double c) const {
    return static_cast<float>(a * b + c);
  }
};
/// Its call is not const.
struct one_more {
  __host__ __device__ float operator()(int x) { return static_cast<float>(x + 1); }
};
/// Takes a tuple, too: CUB passes the elements.
struct sizes_of_arguments {
  template <class... T>
  __host__ __device__ float operator()(T... x) const {
    return static_cast<float>((sizeof(x) + ...) * 10 + sizeof...(x));
  }
};

/// The elements that `call(library, in, out, n)` writes, with 16 elements behind the output.
template <class Library, class Call>
std::vector<float> written_by(const Library& library, std::size_t n, std::size_t offset,
                              const Call& call) {
  const test::device_memory::array<float> out(std::vector<float>(n + 16, -1.0f),
                                              offset * sizeof(float));
  REQUIRE(call(library, const_cast<float*>(out.data())) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  return test::device_memory::values(out.data(), n + 16);
}

/// Compares both libraries at every size, with inputs and outputs at several offsets.
template <class Call>
void compare(const Call& call) {
  const auto values = test::small_numbers<int>(1000003, 1000);
  test::for_each_array(values, [&](const int* data, std::size_t n) {
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
      const auto on = [&](const auto& library) {
        return written_by(library, n, offset,
                          [&](auto lib, float* out) { return call(lib, data, out, n); });
      };
      CHECK(on(test::ours{}) == on(test::theirs{}));
    }
  });
}

}  // namespace

TEST_CASE("Transform of one input") {
  compare([](auto lib, const int* in, float* out, std::size_t n) {
    return decltype(lib)::transform::Transform(in, out, n, twice{});
  });
}

TEST_CASE("Transform of several inputs of different types") {
  const auto a = test::small_numbers<float>(1000003, 100);
  const auto b = test::small_numbers<double>(1000003, 10);
  const test::device_memory::array<float> in_a(a, 4);
  const test::device_memory::array<double> in_b(b, 0);
  compare([&](auto lib, const int* in, float* out, std::size_t n) {
    return decltype(lib)::transform::Transform(cuda::std::make_tuple(in, in_a.data(), in_b.data()),
                                               out, n, multiply_add{});
  });
}

TEST_CASE("Transform by functions that are not const, or take any number of arguments") {
  compare([](auto lib, const int* in, float* out, std::size_t n) {
    return decltype(lib)::transform::Transform(in, out, n, one_more{});
  });
  compare([](auto lib, const int* in, float* out, std::size_t n) {
    return decltype(lib)::transform::Transform(cuda::std::make_tuple(in, in), out, n,
                                               sizes_of_arguments{});
  });
}

TEST_CASE("calls that CUB itself runs") {
  compare([](auto lib, const int* in, float* out, std::size_t n) {
    return decltype(lib)::transform::TransformStableArgumentAddresses(in, out, n, twice{});
  });
}

TEST_CASE("Transform in place, with temporary storage, and of a lambda for the GPU only") {
  const auto values = test::small_numbers<float>(4099, 100);
  const test::device_memory::array<float> placed(values, 4);
  float* const data = const_cast<float*>(placed.data());
  test::two_phases([&](void* storage, std::size_t& bytes) {
    return test::ours::transform::Transform(
        storage, bytes, cuda::std::make_tuple(data, thrust::counting_iterator<int>(0)), data,
        values.size(), [] __host__ __device__(float x, int i) { return x + i; });
  });
  // An iterator that hides its memory beside the output.
  REQUIRE(test::ours::transform::Transform(
              cuda::std::make_tuple(data, thrust::constant_iterator<int>(5)), data, values.size(),
              [] __host__ __device__(float x, int i) { return x + i; }) == cudaSuccess);
  REQUIRE(test::ours::transform::Transform(data, data, values.size(),
                                           [] __device__(float x) { return -x; }) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const auto found = test::device_memory::values(data, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    REQUIRE(found[i] == -(values[i] + static_cast<float>(i + 5)));
  }
}

TEST_CASE("an output that overlaps the input otherwise is an error, and nothing is written") {
  const auto values = test::small_numbers<float>(1000, 100);
  const test::device_memory::array<float> placed(values, 0);
  float* const data = const_cast<float*>(placed.data());
  CHECK(test::ours::transform::Transform(data, data + 1, 999, [] __host__ __device__(float x) {
          return x + 1;
        }) == cudaErrorInvalidValue);
  CHECK(std::string(wf::drop_in::cub::last_error_message()).find("overlaps") != std::string::npos);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(test::device_memory::values(data, 1000) == values);
}
