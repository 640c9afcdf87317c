// wf::matrix: mdspans of two dimensions, on host threads and in the emulation.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/count.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/view/staged.hpp>

#include "contract/counted_loads.hpp"
#include "contract/view_contract.hpp"
#include "view/shapes.hpp"

namespace {

namespace cs = cuda::std;

using extents = cs::dextents<std::size_t, 2>;
template <class T, class Layout>
using matrix_of = cs::mdspan<const T, extents, Layout>;
template <class T>
using strided = matrix_of<T, cs::layout_stride>;

template <class T>
strided<T> strided_at(const T* data, std::size_t rows, std::size_t columns, std::size_t row_stride,
                      std::size_t column_stride) {
  return {data, cs::layout_stride::mapping<extents>(
                    extents(rows, columns), cs::array<std::size_t, 2>{row_stride, column_stride})};
}

/// The elements' sum by two loops.
template <class M>
long long sum_of(const M& m) {
  long long sum = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(m.extent(0)); ++r) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(m.extent(1)); ++c) {
      sum += static_cast<long long>(m(r, c));
    }
  }
  return sum;
}

/// Small whole numbers, all of them exact in any type and order.
template <class T>
std::vector<T> numbers(std::size_t n) {
  test::random_bits random;
  std::vector<T> values(n);
  for (T& x : values) x = static_cast<T>(random() % 100);
  return values;
}

template <class M>
void check_matrix(const M& m) {
  const auto view = wf::matrix(m);
  static_assert(wf::tells_memory_v<decltype(view)>);
  INFO(m.extent(0), " x ", m.extent(1));
  CHECK(view.size() == static_cast<std::size_t>(m.extent(0) * m.extent(1)));
  test::check_chunks(view);
  const auto sum = static_cast<decltype(wf::reduce(wf::seq, view))>(sum_of(m));
  CHECK(test::same(wf::reduce(wf::seq, view), sum));
  CHECK(test::same(wf::reduce(wf::seq, m), sum));
  CHECK(wf::bytes_of(view) ==
        (view.size() == 0 ? 0 : m.mapping().required_span_size() * sizeof(*m.data_handle())));
}
template <class M>
void check_in_kernels(const M& m) {
  const auto view = wf::matrix(m);
  INFO(m.extent(0), " x ", m.extent(1));
  const auto sum = static_cast<decltype(wf::reduce(wf::seq, view))>(sum_of(m));
  test::check_kernels(wf::emulated, view, wf::plus{}, sum);
}

template <class T>
std::vector<T> in_order(const wf::mdspan_view<const T, 2>& view) {
  std::vector<T> all;
  for (std::size_t i = 0; i < view.size(); ++i) all.push_back(view[i]);
  return all;
}

}  // namespace

TEST_CASE("matrices without gaps are contiguous ranges") {
  const std::vector<float> v = numbers<float>(12);
  const matrix_of<float, cs::layout_right> right(v.data(), 3, 4);
  const matrix_of<float, cs::layout_left> left(v.data(), 3, 4);
  static_assert(std::is_same_v<decltype(wf::matrix(right)), wf::contiguous_view<const float>>);
  static_assert(std::is_same_v<decltype(wf::matrix(left)), wf::contiguous_view<const float>>);
  CHECK(wf::matrix(right).data() == v.data());
  CHECK(wf::matrix(left).size() == 12);
  const cs::mdspan<const float, cs::extents<int, 3, 4>> fixed(v.data());
  static_assert(std::is_same_v<decltype(wf::matrix(fixed)), wf::contiguous_view<const float>>);
  CHECK(wf::reduce(wf::seq, wf::matrix(fixed)) == static_cast<float>(sum_of(right)));
  std::vector<int> written = {1, 2, 3, 4};
  CHECK(wf::reduce(wf::seq, wf::matrix(cs::mdspan(written.data(), 2, 2))) == 10);
}

TEST_CASE_TEMPLATE("matrices with gaps, at every offset", T, signed char, short, float, double) {
  const auto values = numbers<T>(4000);
  for (const std::size_t offset : test::offsets<T>()) {
    const test::host_memory::array<T> placed(values, offset);
    for (const std::size_t rows : {1, 2, 7}) {
      for (const std::size_t columns : {1, 2, 3, 4, 15, 16, 17, 33, 64}) {
        for (const std::size_t gap : {0, 1, 3, 16}) {
          INFO("offset ", offset, ", gap ", gap);
          check_matrix(strided_at<T>(placed.data(), rows, columns, columns + gap, 1));
          check_matrix(strided_at<T>(placed.data(), columns, rows, 1, columns + gap));
        }
      }
    }
    INFO("offset ", offset);
    check_in_kernels(strided_at<T>(placed.data(), 37, 64, 96, 1));
    check_in_kernels(strided_at<T>(placed.data(), 61, 37, 1, 64));
    check_in_kernels(strided_at<T>(placed.data(), 1000, 3, 4, 1));
    check_in_kernels(strided_at<T>(placed.data(), 40, 100, 100, 1));
  }
}

TEST_CASE("no stride is 1: element by element, and every place once") {
  const auto values = numbers<int>(5000);
  const test::host_memory::array<int> placed(values, 4);
  for (const auto& m :
       {strided_at<int>(placed.data(), 10, 20, 60, 3),
        strided_at<int>(placed.data(), 10, 20, 2, 30),
        strided_at<int>(placed.data(), 10, 20, 40, 2),  // one row of steps of 2
        strided_at<int>(placed.data(), 1, 20, 1, 7), strided_at<int>(placed.data(), 20, 1, 7, 1),
        strided_at<int>(placed.data(), 1, 1, 9, 9)}) {
    check_matrix(m);
    check_in_kernels(m);
  }
}

TEST_CASE("the order is that of memory") {
  const std::vector<int> v = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  CHECK(in_order(wf::matrix(strided_at(v.data(), 3, 2, 4, 1))) ==
        std::vector<int>{0, 1, 4, 5, 8, 9});
  CHECK(in_order(wf::matrix(strided_at(v.data(), 2, 3, 1, 4))) ==
        std::vector<int>{0, 1, 4, 5, 8, 9});
  CHECK(in_order(wf::matrix(strided_at(v.data(), 2, 3, 6, 2))) ==
        std::vector<int>{0, 2, 4, 6, 8, 10});
}

TEST_CASE("rows at multiples of 16 bytes are loaded 16 bytes at a time") {
  const test::host_memory::array<float> placed(numbers<float>(64 * 96), 0);
  const auto part = strided_at<float>(placed.data(), 64, 64, 96, 1);
  CHECK(test::loads_of(4, wf::matrix(part)) == 0);
  CHECK(test::loads_of(16, wf::matrix(part)) >= 64 * 64 / 4);
  // Without gaps too, where only the strides say so; and the last element behind a head of 3.
  CHECK(test::loads_of(4, wf::matrix(strided_at<float>(placed.data(), 64, 64, 64, 1))) == 0);
  CHECK(test::loads_of(4, wf::matrix(strided_at<float>(placed.data() + 1, 16, 64, 64, 1))) ==
        3 + 1);
}

TEST_CASE("elements of several words, within rows and across them") {
  struct triple {
    int x[3];
    bool operator==(const triple&) const = default;
  };
  std::vector<triple> values(200);
  for (int i = 0; i < 200; ++i) values[static_cast<std::size_t>(i)] = {{i, 2 * i, -i}};
  const test::host_memory::array<triple> placed(values, 0);
  const wf::mdspan_view<const triple, 2> view(placed.data(), test::shape({10, 13}, {16, 1}));
  test::check_chunks(view);
}

TEST_CASE("an empty matrix") {
  const std::vector<int> v = {1};
  for (const auto& m :
       {strided_at<int>(v.data(), 0, 5, 5, 1), strided_at<int>(v.data(), 5, 0, 1, 1),
        strided_at<int>(nullptr, 0, 0, 1, 1)}) {
    CHECK(wf::matrix(m).size() == 0);
    CHECK(wf::bytes_of(wf::matrix(m)) == 0);
    CHECK(wf::reduce(wf::seq, wf::matrix(m)) == 0);
    CHECK(wf::reduce(wf::emulated, wf::matrix(m)) == 0);
  }
  const matrix_of<int, cs::layout_right> none(v.data(), 0, 5);
  CHECK(wf::reduce(wf::emulated, wf::matrix(none)) == 0);
}

TEST_CASE("a named mdspan is a range for every view") {
  const std::vector<float> v = {1, -2, 3, -4, 5, -6};
  const matrix_of<float, cs::layout_right> m(v.data(), 2, 3);
  static_assert(wf::reducible_range<decltype((m))>);
  CHECK(wf::reduce(wf::seq, wf::project(m, [](float x) { return x * x; })) == 91);
  const auto apart = [](auto pair) { return wf::get<0>(pair) - wf::get<1>(pair); };
  CHECK(wf::norm_1(wf::seq, wf::project(wf::zip(m, v), apart)) == 0);
  CHECK(wf::reduce(wf::seq, wf::staged(m)) == -3);
  CHECK(wf::norm_1(wf::seq, m) == 21);
  CHECK(wf::count_if(wf::seq, m, [](float x) { return x < 0; }) == 3);
}

TEST_CASE("more elements than 64 bits count are invalid_range") {
  const std::vector<int> v = {1};
  constexpr std::size_t much = std::size_t{1} << 33;
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::matrix(matrix_of<int, cs::layout_right>(v.data(), much, much)); },
      "larger than the address space");
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::matrix(strided_at<int>(v.data(), 4, 4, much << 29, 1)); },
      "and strides of 4611686018427387904, 1 elements");
}

TEST_CASE("more bytes than there are addresses are invalid_range") {
  const std::vector<float> v = {1};
  constexpr std::size_t rows = std::size_t{1} << 30;
  // 2^63 bytes, which 64 bits hold; and one element less.
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::matrix(matrix_of<float, cs::layout_right>(v.data(), rows, 2 * rows)); },
      "larger than the address space");
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::matrix(strided_at<float>(v.data(), rows, 2 * rows, 2 * rows, 1)); },
      "larger than the address space");
  CHECK(wf::matrix(strided_at<float>(v.data(), 1, 2 * rows * rows - 1, 0, 1)).size() ==
        2 * rows * rows - 1);
  // So many elements of one place.
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::matrix(strided_at<float>(v.data(), rows, 2 * rows, 0, 0)); },
      "larger than the address space");
}

TEST_CASE("negative strides are invalid_range, and told as they are") {
  const std::vector<float> v(12);
  using signed_extents = cs::dextents<int, 2>;
  const auto reversed = [&](int rows, int columns, int row_stride, int column_stride) {
    return cs::mdspan<const float, signed_extents, cs::layout_stride>(
        v.data() + 11,
        cs::layout_stride::mapping<signed_extents>(signed_extents(rows, columns),
                                                   cs::array<int, 2>{row_stride, column_stride}));
  };
  test::check_throws<wf::invalid_range>([&] { (void)wf::matrix(reversed(3, 4, -4, 1)); },
                                        "dimension 0 of the mdspan has a negative stride, -4");
  test::check_throws<wf::invalid_range>([&] { (void)wf::matrix(reversed(3, 4, 4, -1)); },
                                        "dimension 1 of the mdspan has a negative stride, -1");
  test::check_throws<wf::invalid_range>([&] { (void)wf::matrix(reversed(2, 4, -4, 1)); },
                                        "dimension 0 of the mdspan has a negative stride, -4");
  CHECK(wf::matrix(reversed(1, 1, -4, -1)).size() == 1);
}

TEST_CASE("places that do not fit 32 bits") {
  // Of a matrix that is nowhere, only addresses are asked for.
  constexpr std::size_t rows = 5, columns = (std::size_t{1} << 32) - 5, pitch = columns + 11;
  const auto* const base = reinterpret_cast<const unsigned char*>(std::uintptr_t{4096});
  const wf::mdspan_view<const unsigned char, 2> view(base,
                                                     test::shape({rows, columns}, {pitch, 1}));
  const auto index_of = [&](std::size_t i) { return static_cast<std::size_t>(&view[i] - base); };
  CHECK(index_of(columns - 1) == columns - 1);
  CHECK(index_of(columns) == pitch);
  CHECK(index_of(columns + 9) == pitch + 9);  // just above 32 bits
  CHECK(index_of(4 * columns + 7) == 4 * pitch + 7);
  CHECK(wf::bytes_of(view) == 4 * pitch + columns);
}

TEST_CASE("matrices side by side, and projected") {
  const auto values = numbers<int>(4000);
  const test::host_memory::array<int> placed(values, 8);
  const auto a = strided_at<int>(placed.data(), 20, 30, 40, 1);
  const auto b = strided_at<int>(placed.data() + 1001, 20, 30, 51, 1);
  long long dot = 0;
  for (std::size_t r = 0; r < 20; ++r) {
    for (std::size_t c = 0; c < 30; ++c) dot += a(r, c) * b(r, c);
  }
  const auto both = wf::zip(wf::matrix(a), wf::matrix(b));
  test::check_chunks(both);
  test::check_kernels(wf::emulated, wf::project(both, test::product_of_pair{}), wf::plus{}, dot);
}

TEST_CASE("extents and strides that overflow to small numbers are larger than any memory too") {
  const auto refused = [](std::size_t a, std::size_t by_a, std::size_t b, std::size_t by_b) {
    CHECK_THROWS_AS(test::shape({a, b}, {by_a, by_b}).require_countable("a", 1), wf::invalid_range);
    CHECK_THROWS_AS(test::shape({b, a}, {by_b, by_a}).require_countable("a", 1), wf::invalid_range);
  };
  constexpr std::size_t wide = std::size_t{1} << 32, top = std::size_t{1} << 63;
  refused(1, 1, wide + 1, wide);
  refused(2, top, 2, top);
  refused(2, wf::detail::max_bytes, 1, 1);
  test::shape({2, 1}, {wf::detail::max_bytes - 1, 1}).require_countable("a", 1);
}

TEST_CASE("signed strides of 0: all rows are one") {
  struct broadcast {
    using element_type = const float;
    using data_handle_type = const float*;
    using reference = const float&;
    struct mapping_type {
      int stride(std::size_t d) const { return d == 0 ? 0 : 1; }
    };
    const float* data;
    static constexpr std::size_t rank() { return 2; }
    static constexpr bool is_always_strided() { return true; }
    static constexpr bool is_always_exhaustive() { return false; }
    const float* data_handle() const { return data; }
    mapping_type mapping() const { return {}; }
    int extent(std::size_t d) const { return d == 0 ? 3 : 4; }
  };
  const std::vector<float> v = {1, 2, 3, 4};
  const auto view = wf::matrix(broadcast{v.data()});
  CHECK(view.size() == 12);
  CHECK(wf::reduce(wf::seq, view) == 30.0f);
}

TEST_CASE("where rows begin, and rows that overlap") {
  const std::vector<float> v = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  const test::host_memory::array<float> placed(v, 0);
  CHECK(wf::matrix(strided_at<float>(placed.data(), 3, 4, 8, 1)).head() == 0);
  CHECK(wf::matrix(strided_at<float>(placed.data() + 1, 3, 4, 5, 1)).head() == 3);
  // Every other element, and a row begins in the middle of the one before.
  const auto view = wf::matrix(strided_at<float>(v.data(), 3, 4, 4, 2));
  CHECK(view[3] == 6);
  CHECK(view[4] == 4);
  CHECK(view[11] == 14);
}
