// wf::host_soa and soa_view return the stored elements, whole and by field.
// alone: Boost.Hana adapts structures in the global namespace only
// needs: boost
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "contract/policy_contract.hpp"
#include "view/soa_elements.hpp"

namespace {

template <class T, auto Number>
struct subject {
  using type = T;
  static constexpr auto number = Number;
};

/// Checks the alignment of loads, because a misaligned load ends a kernel on the GPU.
struct aligned_loads {
  int* misaligned;

  wf::word load_word(const void* from) const { return load(static_cast<const wf::word*>(from)); }
  template <class T>
  T load(const T* from) const {
    *misaligned += reinterpret_cast<std::uintptr_t>(from) % alignof(T) != 0;
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
};

/// The view's chunks, loaded from anywhere, are the elements.
template <class T>
void check_chunks(const wf::host_soa<T>& soa, const std::vector<T>& all) {
  const auto view = soa.view();
  using view_type = std::remove_const_t<decltype(view)>;
  static_assert(wf::view<view_type> && view_type::tells_memory);
  constexpr std::size_t size = view_type::chunk_size;
  int misaligned = 0;
  const aligned_loads loads{&misaligned};
  const wf::partition p = wf::partition_of(view);
  CHECK(p.head == 0);
  CHECK(p.chunks == all.size() / size);
  typename view_type::chunk_type chunk;
  std::size_t wrong = 0;
  for (std::size_t at = 0; at + size <= all.size(); ++at) {
    view.load_anywhere(chunk, at, loads);
    for (std::size_t k = 0; k < size; ++k) {
      wrong += !(view.get(chunk, static_cast<int>(k)) == all[at + k]);
    }
    if (at % size != 0) continue;
    view.load(chunk, at, loads);
    for (std::size_t k = 0; k < size; ++k) {
      wrong += !(view.get(chunk, static_cast<int>(k)) == all[at + k]);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    wrong += !(view[i] == all[i]) + !(view.at(i, loads) == all[i]) + !(soa[i] == all[i]);
  }
  CHECK(wrong == 0);
  CHECK(misaligned == 0);
}

bool starts_at_256(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 256 == 0; }

struct sum_of_both {
  WARPFOLD_HD double operator()(const wf::tuple<test::flagged, int>& t) const {
    return wf::get<0>(t).value + wf::get<0>(t).low + wf::get<1>(t);
  }
};

/// One byte, for a number of elements that exceeds the address space by one.
struct byte_alone {
  unsigned char value;
};

/// Hana lists only two of the three members.
struct partly {
  int first, hidden, last;
};

}  // namespace
BOOST_HANA_ADAPT_STRUCT(partly, first, last);
BOOST_HANA_ADAPT_STRUCT(byte_alone, value);

using padded = subject<test::padded, &test::padded::charge>;
using placed = subject<test::placed, &test::placed::id>;
using with_arrays = subject<test::with_arrays, &test::with_arrays::weight>;
using flagged = subject<test::flagged, &test::flagged::low>;
using seven = subject<test::seven, &test::seven::e>;
using single = subject<test::single, &test::single::value>;
using composed = subject<test::composed, &test::composed::third>;

TEST_CASE_TEMPLATE("elements come back, by chunks and singly, and reduce as a vector of them does",
                   S, padded, placed, with_arrays, flagged, seven, single, composed) {
  using T = typename S::type;
  for (const std::size_t n : test::soa_sizes) {
    INFO(n, " elements");
    const auto all = test::elements<T>(n);
    const wf::host_soa<T> copied(all);
    wf::host_soa<T> pushed;
    for (const T& x : all) pushed.push(x);
    for (const wf::host_soa<T>* const soa : {&copied, &std::as_const(pushed)}) {
      REQUIRE(soa->size() == n);
      CHECK(soa->empty() == (n == 0));
      CHECK(soa->to_host() == all);
      check_chunks(*soa, all);
      test::check_reductions<T, S::number>(*soa, all, wf::seq);
    }
  }
}

TEST_CASE(
    "a field is a contiguous range at a multiple of 256 bytes, and writable where the soa is") {
  auto all = test::elements<test::flagged>(1001);
  wf::host_soa<test::flagged> soa(all);
  static_assert(wf::host_soa<test::flagged>::fields_count == 5);
  static_assert(
      std::is_same_v<decltype(soa.field<&test::flagged::high>()), std::span<signed char>>);
  static_assert(std::is_same_v<decltype(std::as_const(soa).field<&test::flagged::high>()),
                               std::span<const signed char>>);
  CHECK(soa.field<&test::flagged::value>().size() == 1001);
  CHECK(starts_at_256(soa.field<&test::flagged::low>().data()));
  CHECK(starts_at_256(soa.field<&test::flagged::value>().data()));
  CHECK(starts_at_256(soa.field<&test::flagged::high>().data()));
  CHECK(starts_at_256(soa.field<&test::flagged::weight>().data()));
  CHECK(starts_at_256(soa.field<&test::flagged::set>().data()));

  for (double& x : soa.field<&test::flagged::weight>()) x += 1000;
  for (auto& x : all) x.weight += 1000;
  CHECK(soa.to_host() == all);
}

TEST_CASE("array members are member_arrays") {
  const auto all = test::elements<test::with_arrays>(100);
  const wf::host_soa<test::with_arrays> soa(all);
  const auto positions = soa.field<&test::with_arrays::position>();
  static_assert(
      std::is_same_v<decltype(positions), const std::span<const wf::member_array<float, 3>>>);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t k = 0; k < 3; ++k) CHECK(positions[i][k] == all[i].position[k]);
  }
  const auto third = wf::project(positions, [](const auto& p) { return p[2]; });
  float sum = 0;
  for (const auto& x : all) sum += x.position[2];
  CHECK(wf::reduce(wf::seq, third) == sum);
}

TEST_CASE("projected and zipped with other ranges, aligned with it or not") {
  const auto all = test::elements<test::flagged>(1000);
  const wf::host_soa<test::flagged> soa(all);
  std::vector<int> numbers(1003);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  for (const std::size_t offset : {0, 1, 3}) {
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) sum += all[i].value + all[i].low + numbers[i + offset];
    const std::span<const int> others(numbers.data() + offset, 1000);
    const auto both = wf::project(wf::zip(soa, others), sum_of_both{});
    CHECK(wf::reduce(wf::seq, both) == sum);
    const wf::global_loads loads(wf::caching::keep);
    typename decltype(both)::chunk_type chunk;
    std::size_t wrong = 0;
    for (std::size_t at = both.head(); at + both.chunk_size <= 1000; at += both.chunk_size) {
      both.load(chunk, at, loads);
      for (int k = 0; k < both.chunk_size; ++k) {
        wrong += both.get(chunk, k) != both[at + static_cast<std::size_t>(k)];
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("an array of 257 bytes does not overlap the next array") {
  for (const std::size_t n : {255, 256, 257, 511, 512, 513}) {
    INFO(n, " elements");
    const auto all = test::elements<test::flagged>(n);
    const wf::host_soa<test::flagged> soa(all);
    CHECK(soa.to_host() == all);
    const auto* const end = soa.field<&test::flagged::low>().data() + n;
    CHECK(static_cast<const void*>(end) <=
          static_cast<const void*>(soa.field<&test::flagged::value>().data()));
  }
}

TEST_CASE("elements of zero bytes, also in memory that was used before") {
  for (const std::size_t n : {50, 50, 50, 1, 1, 1}) {
    wf::host_soa<test::seven> soa(n);
    CHECK(soa.to_host() == std::vector<test::seven>(n, test::seven{}));
    for (float& x : soa.field<&test::seven::a>()) x = 7;
    for (float& x : soa.field<&test::seven::g>()) x = 7;
  }
}

TEST_CASE("resize keeps existing memory") {
  wf::host_soa<test::placed> soa;
  soa.reserve(1000);
  soa.push({{1, 2, 3}, 4});
  const auto* const before = soa.field<&test::placed::id>().data();
  soa.reserve(10);
  soa.reserve(1000);
  CHECK(soa.field<&test::placed::id>().data() == before);
  for (int i = 0; i < 999; ++i) soa.push({{1, 2, 3}, 4});
  CHECK(soa.field<&test::placed::id>().data() == before);
  CHECK(wf::reduce(wf::seq, soa.field<&test::placed::id>()) == 4000);
}

TEST_CASE("a soa is aligned at its first element, if chunks are loaded at all") {
  const auto check = [](const auto& view) {
    CHECK(view.head() == (view.chunk_size == 1 ? wf::any_head : 0));
  };
  check(wf::host_soa<test::padded>(5).view());
  check(wf::host_soa<test::seven>(5).view());
  check(wf::host_soa<test::with_arrays>(5).view());
}

TEST_CASE("growing, moving, and elements of zero bytes") {
  wf::host_soa<test::placed> soa(3);
  CHECK(soa.to_host() == std::vector<test::placed>(3, test::placed{{0, 0, 0}, 0}));
  soa.push({{1, 2, 3}, 4});
  soa.reserve(10000);
  const auto* const before = soa.field<&test::placed::id>().data();
  for (int i = 0; i < 9000; ++i) soa.push(soa[3]);
  CHECK(soa.field<&test::placed::id>().data() == before);
  CHECK(wf::reduce(wf::seq, soa.field<&test::placed::id>()) == 9001 * 4);

  wf::host_soa<test::placed> moved(std::move(soa));
  CHECK(moved.size() == 9004);
  CHECK(soa.empty());
  CHECK(soa.to_host().empty());
  soa.push({{5, 6, 7}, 8});
  CHECK(soa[0] == test::placed{{5, 6, 7}, 8});
  soa = std::move(moved);
  CHECK(soa.size() == 9004);
  CHECK(soa[9003].id == 4);
  static_assert(!std::is_copy_constructible_v<wf::host_soa<test::placed>>);

  const wf::host_soa<test::placed> none;
  CHECK(none.field<&test::placed::id>().empty());
  CHECK(wf::reduce(wf::seq, none.field<&test::placed::id>()) == 0);
  test::check_throws<wf::empty_range>([&] { (void)wf::reduce(wf::seq, none, test::merge{}); },
                                      "no identity");
}

TEST_CASE("more elements than there is memory for leave the container as it was") {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  wf::host_soa<test::seven> soa(test::elements<test::seven>(5));
  // 28 bytes each: the product wraps around to a small number.
  for (const std::size_t n : {all, all / 28 + 1, all / 28}) {
    INFO(n, " elements");
    test::check_throws<wf::out_of_memory>([&] { soa.reserve(n); }, "exceed the address space");
    test::check_throws<wf::out_of_memory>([&] { (void)wf::host_soa<test::seven>(n); },
                                          "exceed the address space");
  }
  for (const std::size_t n : {all, all - 100}) {
    test::check_throws<wf::out_of_memory>([&] { (void)wf::host_soa<byte_alone>(n); },
                                          "exceed the address space");
  }
#if !defined(__SANITIZE_ADDRESS__)  // which ends the program
  CHECK_THROWS_AS(soa.reserve(std::size_t{1} << 58), std::bad_alloc);
#endif
  CHECK(soa.to_host() == test::elements<test::seven>(5));
}

TEST_CASE("the view declares every array") {
  const wf::host_soa<test::padded> soa(test::elements<test::padded>(10));
  std::vector<const void*> seen;
  std::vector<std::size_t> bytes;
  soa.view().visit_memory([&](const void* p, std::size_t n, std::size_t alignment) {
    seen.push_back(p);
    bytes.push_back(n);
    CHECK(n == 10 * alignment);
  });
  CHECK(seen == std::vector<const void*>{soa.field<&test::padded::tag>().data(),
                                         soa.field<&test::padded::charge>().data(),
                                         soa.field<&test::padded::kind>().data()});
  CHECK(bytes == std::vector<std::size_t>{10, 80, 20});
  CHECK(wf::bytes_of(soa.view()) == 110);
}

TEST_CASE("members that are not named come back as zero") {
  const wf::host_soa<partly> some(std::vector<partly>{{1, 2, 3}});
  CHECK(some[0].first == 1);
  CHECK(some[0].hidden == 0);
  CHECK(some[0].last == 3);
  CHECK(some.fields_count == 2);
}

TEST_CASE("zip_to: the caller's arrays as structs, if they have equal lengths") {
  const auto all = test::elements<test::padded>(1000);
  std::vector<unsigned char> tags;
  std::vector<float> charges;  // which become doubles
  std::vector<short> kinds;
  for (const auto& p : all) {
    tags.push_back(p.tag);
    charges.push_back(static_cast<float>(p.charge));
    kinds.push_back(p.kind);
  }
  const auto view = wf::zip_to<test::padded>(tags, charges, std::span(kinds));
  static_assert(std::is_same_v<decltype(view)::value_type, test::padded>);
  CHECK(view.size() == 1000);
  CHECK(view[999] == all[999]);
  CHECK(wf::reduce(wf::seq, view, test::merge{}) == wf::reduce(wf::seq, all, test::merge{}));

  kinds.pop_back();
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::zip_to<test::padded>(tags, charges, kinds); }, "ranges of 1000 and of 999");
  tags.pop_back();
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::zip_to<test::padded>(tags, charges, kinds); }, "ranges of 999 and of 1000");
}

TEST_CASE("arrays that are full move to twice as much room") {
  wf::host_soa<test::seven> soa;
  const auto room = [&] {  // a multiple of 64 elements; the second array begins behind it
    return soa.field<&test::seven::b>().data() - soa.field<&test::seven::a>().data();
  };
  for (const auto& x : test::elements<test::seven>(256)) soa.push(x);
  CHECK(room() == 256);
  soa.push(soa[0]);
  CHECK(room() == 512);
}

namespace {

/// Counts loads.
struct counting_loads {
  int* count;
  wf::word load_word(const void* from) const {
    ++*count;
    wf::word w;
    __builtin_memcpy(&w, from, sizeof w);
    return w;
  }
  template <class T>
  T load(const T* from) const {
    ++*count;
    return *from;
  }
};

}  // namespace

TEST_CASE("chunks at a multiple of their size are loaded in words") {
  const wf::host_soa<test::seven> soa(test::elements<test::seven>(100));
  const auto view = soa.view();
  const auto loads_at = [&](std::size_t i) {
    int count = 0;
    std::remove_const_t<decltype(view)>::chunk_type chunk;
    view.load_anywhere(chunk, i, counting_loads{&count});
    CHECK(view.get(chunk, 1) == soa[i + 1]);
    return count;
  };
  static_assert(decltype(view)::chunk_size == 4);
  CHECK(loads_at(0) == 7);
  CHECK(loads_at(4) == 7);
  CHECK(loads_at(6) == 28);
}

TEST_CASE("a single element moves too") {
  const test::seven element{1, 2, 3, 4, 5, 6, 7};
  wf::host_soa<test::seven> soa;
  soa.push(element);
  soa.reserve(1000);
  CHECK(soa[0] == element);
}
