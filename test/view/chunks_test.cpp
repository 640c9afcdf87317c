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
