// contiguous_view: whatever the alignment, head and chunks and tail are the elements, each once.
#include <warpfold/view/contiguous.hpp>

#include <doctest/doctest.h>

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

/// Loads that count parts and elements, and parts outside `first` to `last`.
struct counted_loads {
  const unsigned char *first, *last;
  std::size_t *parts, *elements, *outside;

  wf::word load_word(const void* from) const {
    wf::word w;
    __builtin_memcpy(&w, from, sizeof w);
    return w;
  }
  std::uint32_t load_part(const void* from) const {
    const auto* const p = static_cast<const unsigned char*>(from);
    ++*parts;
    *outside += p < first || p + 4 > last;
    std::uint32_t part;
    __builtin_memcpy(&part, from, 4);
    return part;
  }
  template <class T>
  T load(const T* from) const {
    ++*elements;
    return *from;
  }
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

TEST_CASE("the head ends at a multiple of 16 bytes, if an element is there") {
  alignas(16) const float v[16] = {};
  CHECK(wf::contiguous_view<float>(v, 16).head() == 0);
  CHECK(wf::contiguous_view<float>(v + 1, 15).head() == 3);
  CHECK(wf::contiguous_view<float>(v + 3, 1).head() == 1);
  // Elements of 16 bytes at odd multiples of 4: none is where words are.
  const auto* const at_four = reinterpret_cast<const sixteen*>(v + 1);
  CHECK(wf::contiguous_view<sixteen>(at_four, 3).head() == wf::any_head);
  const auto* const at_zero = reinterpret_cast<const sixteen*>(v);
  CHECK(wf::contiguous_view<sixteen>(at_zero, 4).head() == 0);
  // Elements that fill no words have no head.
  CHECK(wf::contiguous_view<five>(nullptr, 0).head() == wf::any_head);
}

TEST_CASE("its memory is told as it is") {
  const float v[3] = {1, 2, 3};
  const wf::contiguous_view<float> view(v, 3);
  int arrays = 0;
  view.visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
    CHECK(p == v);
    CHECK(bytes == 12);
    CHECK(alignment == alignof(float));
    ++arrays;
  });
  view.visit_columns([&](const void* p, std::size_t bytes) {
    CHECK(p == v);
    CHECK(bytes == 4);
    ++arrays;
  });
  CHECK(arrays == 2);
  CHECK(wf::contiguous_view<float>().size() == 0);
}

TEST_CASE("bytes that a size cannot count are all that it can") {
  const std::vector<int> a = {1};
  constexpr std::size_t all = static_cast<std::size_t>(-1);
  CHECK(wf::bytes_of(wf::contiguous_view<const int>(a.data(), all / 4)) == all / 4 * 4);
  CHECK(wf::bytes_of(wf::contiguous_view<const int>(a.data(), all / 4 + 1)) == all);
}

TEST_CASE("misaligned chars and shorts load 4 bytes at a time, and nothing outside the range") {
  // The bytes before and after the range are outside the heap block, which AddressSanitizer sees,
  // and of another value.
  for (std::size_t offset = 1; offset < 16; ++offset) {
    std::vector<unsigned char> values(100 + offset);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(7 * i);
    for (const std::size_t n : {16, 17, 31, 64, 100}) {
      const wf::contiguous_view<unsigned char> view(values.data() + offset, n);
      std::size_t parts = 0, elements = 0, outside = 0, wrong = 0;
      const counted_loads loads{view.data(), view.data() + n, &parts, &elements, &outside};
      for (std::size_t i = 0; i + 16 <= n; ++i) {
        wf::contiguous_view<unsigned char>::chunk_type c;
        if (i % 2 == 0) {
          view.load_anywhere(c, i, loads);
        } else {
          wf::detail::load_misaligned(view, c, i, loads);  // right for any address
        }
        for (std::size_t k = 0; k < 16; ++k)
          wrong += view.get(c, static_cast<int>(k)) != view[i + k];
      }
      INFO("offset ", offset, ", ", n, " elements");
      CHECK(wrong == 0);
      CHECK(outside == 0);
      CHECK((n < 24 || parts > 0));
      CHECK(elements <= 6 * 16);  // the first and the last three chunks at most
    }
  }
}
