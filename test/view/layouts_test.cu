// Fields, aligned structures, wide loads and matrices on the GPU, from pointers with every
// misalignment that they take.
#include <span>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/view/wide.hpp>

#include "contract/device_memory.hpp"
#include "contract/view_contract.hpp"

namespace {

namespace cs = cuda::std;

constexpr std::size_t lengths[] = {0, 1, 33, 1000, 16385, 300007};

/// Twelve bytes, which are loaded as words of 16, and forty, of which a field is loaded alone.
struct triple {
  float x;
  int y;
  unsigned z;
};
struct heavy {
  double mass;
  short id;
  int part[4];
  long long charge;
};

template <int Ints>
struct ints {
  int part[Ints];
};
struct hash {
  template <int Ints>
  WARPFOLD_HD long long operator()(const ints<Ints>& x) const {
    long long h = 0;
    for (int i = 0; i < Ints; ++i) h = h * 3 + x.part[i] % 1000;
    return h;
  }
};

template <auto Member, class T>
void check_field() {
  std::vector<T> values(300007);
  test::random_bits random;
  for (T& x : values) {
    x = T{};
    x.*Member = static_cast<std::remove_cvref_t<decltype(x.*Member)>>(random() % 17);
  }
  for (const std::size_t offset : test::offsets<T>()) {
    const test::device_memory::array<T> placed(values, offset);
    for (const std::size_t n : lengths) {
      INFO(n, " elements at offset ", offset);
      const auto want = wf::reduce(wf::seq, wf::field<Member>(std::span(values.data(), n)));
      test::check_kernels(wf::device, wf::field<Member>(std::span(placed.data(), n)), wf::plus{},
                          want);
    }
  }
}

template <int N, int Ints>
void check_aligned() {
  const auto values = test::any_values<ints<Ints>>(300007);
  for (std::size_t offset = 0; offset < 16; offset += N) {
    const test::device_memory::array<ints<Ints>> placed(values, offset);
    for (const std::size_t n : lengths) {
      INFO(n, " elements of ", sizeof(ints<Ints>), " bytes at offset ", offset);
      const auto want =
          wf::reduce(wf::seq, wf::project(std::span(values.data(), n), hash{}), wf::plus{});
      test::check_kernels(wf::device,
                          wf::project(wf::aligned<N>(std::span(placed.data(), n)), hash{}),
                          wf::plus{}, want);
    }
  }
}

template <class T>
auto part_of(const T* data, std::size_t rows, std::size_t columns, std::size_t row_stride,
             std::size_t column_stride) {
  using extents = cs::dextents<std::size_t, 2>;
  return cs::mdspan<const T, extents, cs::layout_stride>(
      data, cs::layout_stride::mapping<extents>(
                extents(rows, columns), cs::array<std::size_t, 2>{row_stride, column_stride}));
}

template <class T>
void check_matrices() {
  const auto values = test::whole_data<wf::plus, T>(300007);
  for (const std::size_t offset : test::offsets<T>()) {
    const test::device_memory::array<T> placed(values, offset);
    const auto check = [&](std::size_t rows, std::size_t columns, std::size_t row_stride,
                           std::size_t column_stride) {
      INFO(rows, " x ", columns, " with strides ", row_stride, " and ", column_stride,
           " at offset ", offset);
      const auto here = part_of(values.data(), rows, columns, row_stride, column_stride);
      const auto there = part_of(placed.data(), rows, columns, row_stride, column_stride);
      test::check_kernels(wf::device, wf::matrix(there), wf::plus{},
                          wf::reduce(wf::seq, wf::matrix(here)));
    };
    check(1, 1, 1, 1);
    check(500, 512, 600, 1);  // aligned rows
    check(333, 501, 1, 599);  // along columns, at every alignment
    check(60000, 3, 5, 1);    // rows shorter than a chunk
    check(500, 600, 600, 1);  // no gap
    check(300, 100, 900, 3);  // no stride of 1
    check(7, 40000, 42857, 1);
  }
}

}  // namespace

TEST_CASE("device takes fields") {
  check_field<&triple::y, triple>();
  check_field<&heavy::id, heavy>();
  check_field<&heavy::mass, heavy>();
}

TEST_CASE("device takes aligned structures") {
  check_aligned<8, 2>();
  check_aligned<8, 6>();
  check_aligned<16, 4>();
  check_aligned<16, 8>();
}

TEST_CASE("device takes elements 32 bytes at a time") {
  const auto values = test::any_values<int>(300007);
  for (std::size_t offset = 0; offset < 32; offset += 4) {
    const test::device_memory::array<int> placed(values, offset);
    for (const std::size_t n : lengths) {
      INFO(n, " ints at offset ", offset);
      const auto want = wf::reduce(wf::seq, std::span(values.data(), n), wf::plus{});
      test::check_kernels(wf::device, wf::wide(std::span<const int>(placed.data(), n)), wf::plus{},
                          want);
    }
  }
}

TEST_CASE("device refuses structures that are not as aligned as was said") {
  const test::device_memory::array<ints<4>> placed(std::vector<ints<4>>(10), 8);
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::aligned<16>(std::span(placed.data(), 10)); },
      "which is not a multiple of 16 bytes");
}

TEST_CASE("device takes matrices") {
  check_matrices<signed char>();
  check_matrices<float>();
  check_matrices<double>();
}

TEST_CASE("device takes views of layouts on a stream, and writes where it is told") {
  const auto values = test::whole_data<wf::plus, float>(100000);
  const test::device_memory::array<float> placed(values, 4);
  const auto here = part_of(values.data(), 100, 500, 1000, 1);
  const auto there = part_of(placed.data(), 100, 500, 1000, 1);
  const test::own_stream stream;
  wf::device_buffer<float> out(1);
  wf::reduce_async(wf::device.on(stream.get()), wf::matrix(there), wf::plus{}, out.data());
  stream.wait();
  float got = 0;
  REQUIRE(cudaMemcpy(&got, out.data(), sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(got == wf::reduce(wf::seq, wf::matrix(here)));
}
