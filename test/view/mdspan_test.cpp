// wf::elements and mdspans as ranges: ranks 0 to 8, any strides, on host threads and in the
// emulation.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include <algorithm>
#include <array>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/extrema.hpp>

#include "contract/counted_loads.hpp"
#include "contract/view_contract.hpp"
#include "view/shapes.hpp"

namespace {

namespace cs = cuda::std;

template <std::size_t Rank>
using sizes = std::array<std::size_t, Rank>;

template <class T, std::size_t Rank>
auto strided_at(const T* data, const sizes<Rank>& extent, const sizes<Rank>& stride) {
  using extents = cs::dextents<std::size_t, Rank>;
  cs::array<std::size_t, Rank> e{}, s{};
  std::copy(extent.begin(), extent.end(), e.begin());
  std::copy(stride.begin(), stride.end(), s.begin());
  return cs::mdspan<const T, extents, cs::layout_stride>(
      data, cs::layout_stride::mapping<extents>(extents(e), s));
}

/// The positions of all elements in the order of their addresses.
template <std::size_t Rank>
std::vector<std::size_t> places(const sizes<Rank>& extent, const sizes<Rank>& stride) {
  std::vector<std::size_t> all = {0};
  for (std::size_t d = 0; d < Rank; ++d) {
    std::vector<std::size_t> more;
    for (const std::size_t from : all) {
      for (std::size_t i = 0; i < extent[d]; ++i) more.push_back(from + i * stride[d]);
    }
    all = more;
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Compares the view with a list of its elements: the order, all ways of loading, and the span.
template <class T, std::size_t Rank, bool InKernels = false>
void check(const T* data, const sizes<Rank>& extent, const sizes<Rank>& stride) {
  const auto view = wf::elements(strided_at(data, extent, stride));
  const auto want = places(extent, stride);
  INFO("extents ", test::show(extent), ", strides ", test::show(stride));
  REQUIRE(view.size() == want.size());
  std::size_t wrong = 0;
  long long sum = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    wrong += &view[i] != data + want[i];
    sum += static_cast<long long>(data[want[i]]);
  }
  CHECK(wrong == 0);
  test::check_chunks(view);
  CHECK(wf::bytes_of(view) == (want.empty() ? 0 : (want.back() + 1) * sizeof(T)));
  const auto total = static_cast<decltype(wf::reduce(wf::seq, view))>(sum);
  CHECK(wf::reduce(wf::seq, strided_at(data, extent, stride)) == total);
  if constexpr (InKernels) test::check_kernels(wf::emulated, view, wf::plus{}, total);
}

template <class T>
std::vector<T> numbers(std::size_t n) {
  test::random_bits random;
  std::vector<T> values(n);
  for (T& x : values) x = static_cast<T>(random() % 100);
  return values;
}

}  // namespace

TEST_CASE("layouts that are always without gaps are contiguous ranges of any rank") {
  const auto v = numbers<float>(120);
  using four = cs::dextents<int, 4>;
  const cs::mdspan<const float, four, cs::layout_right> right(v.data(), 2, 3, 4, 5);
  const cs::mdspan<const float, four, cs::layout_left> left(v.data(), 2, 3, 4, 5);
  static_assert(std::is_same_v<decltype(wf::elements(right)), wf::contiguous_view<const float>>);
  static_assert(std::is_same_v<decltype(wf::elements(left)), wf::contiguous_view<const float>>);
  CHECK(wf::elements(right).size() == 120);
  CHECK(wf::elements(left).data() == v.data());
  const cs::mdspan<const float, cs::extents<int>> one(v.data() + 7);
  CHECK(wf::elements(one).size() == 1);
  CHECK(wf::reduce(wf::emulated, one) == v[7]);
  CHECK(wf::reduce(wf::seq, cs::mdspan(v.data(), 9)) ==
        wf::reduce(wf::seq, std::span(v.data(), 9)));
}

TEST_CASE_TEMPLATE("three dimensions in every order of the strides", T, signed char, float,
                   double) {
  const auto values = numbers<T>(6000);
  for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
    const test::host_memory::array<T> placed(values, offset);
    const sizes<3> extent = {3, 5, 18}, gapless = {90, 18, 1}, gaps = {160, 24, 1},
                   steps = {400, 50, 2};
    sizes<3> order = {0, 1, 2};
    do {
      for (const auto& stride : {gapless, gaps, steps}) {
        sizes<3> e{}, s{};
        for (std::size_t d = 0; d < 3; ++d) {
          e[d] = extent[order[d]];
          s[d] = stride[order[d]];
        }
        check<T, 3, sizeof(T) != 8>(placed.data(), e, s);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE("many dimensions, short ones, and those that continue each other") {
  const auto values = numbers<int>(9000);
  const test::host_memory::array<int> placed(values, 0);
  check<int, 1>(placed.data(), {100}, {3});
  check<int, 1>(placed.data(), {100}, {1});
  check<int, 3>(placed.data(), {1, 1, 1}, {7, 7, 7});
  check<int, 3>(placed.data(), {1, 9, 1}, {1, 2, 3});
  check<int, 4>(placed.data(), {2, 3, 4, 5}, {200, 20, 5, 1});  // two of them merge
  check<int, 4>(placed.data(), {2, 3, 4, 5}, {1, 2, 6, 24});    // all
  check<int, 5>(placed.data(), {2, 3, 2, 3, 5}, {999, 311, 101, 31, 3});
  check<int, 8, true>(placed.data(), {2, 3, 2, 2, 2, 3, 2, 3},
                      {4000, 1201, 560, 220, 90, 29, 13, 4});
}

TEST_CASE("an mdspan without elements") {
  const std::vector<int> v = {1};
  check<int, 3>(v.data(), {4, 0, 2}, {9, 3, 1});
  check<int, 1>(v.data(), {0}, {3});
  CHECK_THROWS_AS((void)wf::argmin(wf::seq, strided_at<int, 3>(v.data(), {0, 1, 1}, {1, 1, 1})),
                  wf::empty_range);
}

TEST_CASE("of equal strides the last index is the fastest; strides of 0 repeat elements") {
  const std::vector<int> v = {1, 2, 3, 4, 0, 6, 7, 8, 9, 0, 11, 12, 13, 14, 0, 16, 17, 18, 19};
  const auto overlapping = wf::elements(strided_at<int, 3>(v.data(), {2, 3, 4}, {5, 5, 1}));
  CHECK(overlapping[8] == 11);
  CHECK(overlapping[12] == 6);
  const auto view = wf::elements(strided_at<int, 3>(v.data(), {2, 3, 4}, {0, 0, 1}));
  REQUIRE(view.size() == 24);
  CHECK(view[5] == 1);
  CHECK(view[6] == 2);
  CHECK(wf::reduce(wf::seq, view) == 60);
}

TEST_CASE("the index counts elements in memory order") {
  std::vector<int> v(60, 9);
  v[2 * 20 + 3] = 1;  // the address of indices (3, 0, 2) below
  const auto m = strided_at<int, 3>(v.data(), {4, 5, 3}, {1, 4, 20});
  CHECK(wf::argmin(wf::seq, m).index == 43);
  CHECK(wf::argmin(wf::emulated, m).index == 43);
}

TEST_CASE("runs at multiples of 16 bytes are loaded 16 bytes at a time") {
  const test::host_memory::array<float> placed(numbers<float>(16 * 12 * 96), 0);
  const auto m = strided_at<float, 3>(placed.data(), {16, 8, 64}, {12 * 96, 96, 1});
  CHECK(test::loads_of(4, wf::elements(m)) == 0);
  CHECK(test::loads_of(16, wf::elements(m)) >= 16 * 8 * 64 / 4);
  // A run of 62 floats ends within a chunk: some chunks are loaded by element.
  const auto odd = strided_at<float, 3>(placed.data(), {16, 8, 62}, {12 * 96, 96, 1});
  CHECK(test::loads_of(4, wf::elements(odd)) > 0);
}

TEST_CASE("places that do not fit 16 bits, and 32") {
  constexpr std::size_t wide = (std::size_t{1} << 32) + 3;
  const auto dims = test::shape({2, 3, wide}, {4 * wide, wide + 1, 1});
  const auto* const base = reinterpret_cast<const unsigned char*>(std::uintptr_t{4096});
  const wf::mdspan_view<const unsigned char, 3> view(base, dims);
  const auto index_of = [&](std::size_t i) { return static_cast<std::size_t>(&view[i] - base); };
  CHECK(index_of(wide - 1) == wide - 1);
  CHECK(index_of(wide) == wide + 1);
  CHECK(index_of(3 * wide + 2) == 4 * wide + 2);
  CHECK(index_of(5 * wide + 7) == 4 * wide + 2 * (wide + 1) + 7);
  const auto some = test::shape({2, 3, 70000}, {900000, 70001, 1});
  const wf::mdspan_view<const unsigned char, 3> small(base, some);
  CHECK(static_cast<std::size_t>(&small[5 * 70000 + 7] - base) == 900000 + 2 * 70001 + 7);
}

TEST_CASE("more elements or a larger span than there are addresses, and negative strides") {
  const std::vector<int> v(30);
  constexpr std::size_t much = std::size_t{1} << 22;
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::elements(strided_at<int, 3>(v.data(), {much, much, much}, {0, 0, 0})); },
      "4194304 x 4194304 x 4194304 and strides of 0, 0, 0 elements is larger than the address");
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::elements(strided_at<int, 3>(v.data(), {2, 2, 2}, {much << 39, 2, 1})); },
      "larger than the address space");
  using extents = cs::dextents<int, 3>;
  const cs::mdspan<const int, extents, cs::layout_stride> reversed(
      v.data() + 29,
      cs::layout_stride::mapping<extents>(extents(2, 3, 4), cs::array<int, 3>{12, -4, 1}));
  test::check_throws<wf::invalid_range>([&] { (void)wf::elements(reversed); },
                                        "dimension 1 of the mdspan has a negative stride, -4");
}
