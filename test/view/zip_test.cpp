// zip: tuples of several ranges, whose chunks are the elements at any alignment of each.
#include <warpfold/view/zip.hpp>

#include <doctest/doctest.h>

#include <span>

#include "contract/view_contract.hpp"

TEST_CASE("projected, counted and zipped elements") {
  const auto bytes = test::any_values<unsigned char>(100);
  const auto doubles = test::any_values<double>(100);
  const auto shorts = test::any_values<short>(100);
  for (const std::size_t byte_offset : {0, 1, 8, 15}) {
    for (const std::size_t short_offset : {0, 2, 14}) {
      const test::host_memory::array<unsigned char> b(bytes, byte_offset);
      const test::host_memory::array<double> d(doubles, 8);
      const test::host_memory::array<short> s(shorts, short_offset);
      for (const std::size_t n : test::chunk_lengths) {
        INFO(n, " elements at offsets ", byte_offset, " and ", short_offset);
        const std::span<const unsigned char> bs(b.data(), n);
        const std::span<const double> ds(d.data(), n);
        const std::span<const short> ss(s.data(), n);
        test::check_chunks(wf::project(bs, test::square{}));
        test::check_chunks(wf::counting(7, n));
        test::check_chunks(wf::zip(bs, ds));
        test::check_chunks(wf::zip(ss, bs, wf::counting(1ll, n)));
        test::check_chunks(wf::zip(wf::zip(ss, bs), wf::project(ds, test::square{})));
      }
    }
  }
}

TEST_CASE("the head of a zip is that of the view with the widest chunks, in any position") {
  const auto bytes = test::any_values<unsigned char>(100);
  const auto doubles = test::any_values<double>(100);
  for (const std::size_t offset : {0, 1, 8, 15}) {
    const test::host_memory::array<unsigned char> b(bytes, offset);
    const test::host_memory::array<double> d(doubles, 8);
    const std::span<const unsigned char> bs(b.data(), 100);
    const std::span<const double> ds(d.data(), 100);
    const std::size_t head = (16 - offset) % 16;
    CHECK(wf::as_view(bs).head() == head);
    CHECK(wf::zip(bs, ds).head() == head);
    CHECK(wf::zip(ds, bs).head() == head);
    CHECK(wf::zip(wf::counting(0, 100), bs).head() == head);
    CHECK(wf::zip(ds, wf::counting(0, 100)).head() == 1);
  }
}

TEST_CASE("zip is as long as the shortest, and its tuples take structured bindings") {
  const std::vector<int> a = {1, 2, 3};
  const std::vector<double> b = {0.5, 1.5};
  const auto both = wf::zip(a, b);
  CHECK(both.size() == 2);
  CHECK(wf::zip(b, a).size() == 2);
  const auto [x, y] = both[1];
  CHECK(x == 2);
  CHECK(y == 1.5);
  static_assert(std::is_same_v<decltype(both)::value_type, wf::tuple<int, double>>);
  static_assert(std::is_trivially_copyable_v<wf::tuple<int, double>>);
}

namespace {

template <class... Views>
using zipped = wf::zip_view<Views...>;
using chars = wf::contiguous_view<const char>;
using doubles = wf::contiguous_view<const double>;
using numbers = wf::counting_view<int>;

}  // namespace

// The chunk size is the largest among the views.
static_assert(zipped<chars, doubles>::chunk_size == 16);
static_assert(zipped<doubles, doubles>::chunk_size == 2);
static_assert(zipped<chars, numbers, doubles>::arrays == 2);
static_assert(zipped<chars, numbers, doubles>::array_bytes == 9);

// The chunk of the one array beside views that read nothing; of two arrays there is none.
static_assert(std::is_same_v<zipped<numbers, doubles>::array_chunk, doubles::chunk_type>);
static_assert(std::is_same_v<zipped<doubles, numbers>::array_chunk, doubles::chunk_type>);
static_assert(std::is_void_v<zipped<doubles, chars>::array_chunk>);
static_assert(std::is_void_v<zipped<numbers, numbers>::array_chunk>);

TEST_CASE("columns are visited only if every view has some") {
  const std::vector<int> a = {1, 2, 3};
  const std::vector<double> b = {1, 2, 3};
  std::vector<std::size_t> bytes;
  wf::zip(a, b).visit_columns([&](const void*, std::size_t n) { bytes.push_back(n); });
  CHECK(bytes == std::vector<std::size_t>{sizeof(int), sizeof(double)});
  static_assert(!wf::has_columns<decltype(wf::zip(a, wf::as_view(b.rbegin(), b.rend())))>);
}
