// Views by chunks: whatever the alignment, head and chunks and tail are the elements, each once.
#include <doctest/doctest.h>

#include <span>

#include "contract/view_contract.hpp"

namespace {

struct five {
  int x[5];
  friend bool operator==(const five&, const five&) = default;
};
struct sixteen {
  int x[4];
  friend bool operator==(const sixteen&, const sixteen&) = default;
};

}  // namespace

TEST_CASE_TEMPLATE("contiguous elements at every offset", T, signed char, short, int, long long,
                   float, double, five, sixteen, test::interval) {
  std::vector<T> values;
  if constexpr (std::is_default_constructible_v<T>) {
    values = test::any_values<T>(100);
  } else {
    for (int i = 0; i < 100; ++i) values.emplace_back(-i, 3 * i);
  }
  for (const std::size_t offset : test::offsets<T>()) {
    const test::host_memory::array<T> placed(values, offset);
    for (const std::size_t n : test::chunk_lengths) {
      INFO(n, " elements at offset ", offset);
      const wf::contiguous_view<const T> view(placed.data(), n);
      test::check_chunks(view);
      // Aligned where it says so.
      if constexpr (wf::contiguous_view<const T>::chunk_type::fills_words) {
        if (view.head() != wf::any_head) {
          CHECK(reinterpret_cast<std::uintptr_t>(view.data() + view.head()) % 16 == 0);
        }
      }
    }
  }
}

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

TEST_CASE("the head of a zip is that of the view with the widest chunks, wherever it stands") {
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

TEST_CASE("tuples are equal if every element is") {
  using three = wf::tuple<int, double, char>;
  const three t{1, {2.5, {'a'}}};
  CHECK(t == three{1, {2.5, {'a'}}});
  CHECK_FALSE(t == three{2, {2.5, {'a'}}});
  CHECK_FALSE(t == three{1, {3.5, {'a'}}});
  CHECK_FALSE(t == three{1, {2.5, {'b'}}});
}

TEST_CASE("zip is as long as the shortest, and its tuples take structured bindings") {
  const std::vector<int> a = {1, 2, 3};
  const std::vector<double> b = {0.5, 1.5};
  const auto both = wf::zip(a, b);
  CHECK(both.size() == 2);
  const auto [x, y] = both[1];
  CHECK(x == 2);
  CHECK(y == 1.5);
  static_assert(std::is_same_v<decltype(both)::value_type, wf::tuple<int, double>>);
  static_assert(std::is_trivially_copyable_v<wf::tuple<int, double>>);
}

TEST_CASE("bytes that a size cannot count are all that it can") {
  const std::vector<int> a = {1};
  constexpr std::size_t all = static_cast<std::size_t>(-1);
  CHECK(wf::bytes_of(wf::contiguous_view<const int>(a.data(), all / 4)) == all / 4 * 4);
  CHECK(wf::bytes_of(wf::contiguous_view<const int>(a.data(), all / 4 + 1)) == all);
}

TEST_CASE("what a kernel loads: the memory that a view tells of, or else its chunks") {
  const std::vector<int> a(10);
  CHECK(wf::loaded_bytes(wf::as_view(a)) == 40);
  CHECK(wf::loaded_bytes(wf::contiguous_view<const char>("a", 1)) == 1);
  const auto numbers = [](std::size_t n) { return wf::loaded_bytes(wf::counting(0, n)); };
  using counted = decltype(wf::counting(0, 1));
  constexpr std::size_t size = counted::chunk_size, bytes = sizeof(counted::chunk_type);
  CHECK(numbers(0) == 0);
  CHECK(numbers(1) == bytes);
  CHECK(numbers(size) == bytes);
  CHECK(numbers(size + 1) == 2 * bytes);
  CHECK(numbers(10 * size) == 10 * bytes);
}

TEST_CASE("views tell of every array that they read") {
  const std::vector<int> a = {1, 2, 3};
  const std::vector<double> b = {0.5, 1.5, 2.5};
  std::vector<const void*> seen;
  std::size_t total = 0;
  const auto view =
      wf::project(wf::zip(a, wf::zip(b, wf::counting(0, 3))), [](const auto&) { return 1; });
  view.visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
    seen.push_back(p);
    total += bytes;
    CHECK((alignment == alignof(int) || alignment == alignof(double)));
  });
  CHECK(seen == std::vector<const void*>{a.data(), b.data()});
  CHECK(total == 3 * sizeof(int) + 3 * sizeof(double));
  CHECK(wf::bytes_of(view) == total);
}
