/// @file
/// The test suite for policies that run transformations. A fixture has `policy()` and
/// - `array<T>(values, offset)`, as in policy_contract.hpp;
/// - `target<T>(values, offset)`: the same for the output; has `data()`, and `values()`, which
///   waits and copies the elements to the host.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_reduce.hpp>

#include "contract/policy_contract.hpp"

namespace test {

/// Memory for the output in `Memory` (host_memory or device_memory).
template <class Memory>
struct target_in {
  template <class T>
  class target {
   public:
    target(const std::vector<T>& values, std::size_t offset)
        : placed_(values, offset), size_(values.size()) {}
    T* data() { return const_cast<T*>(placed_.data()); }
    std::vector<T> values() const { return Memory::values(placed_.data(), size_); }

   private:
    typename Memory::template array<T> placed_;
    std::size_t size_;
  };
};

#if defined(__CUDACC__)
using three_floats = float3;
#else
struct three_floats {
  float x, y, z;
};
#endif

// Conversions between the element types and numbers.
template <class T>
T element_from(unsigned n) {
  if constexpr (std::is_same_v<T, three_floats>) {
    const auto part = [](unsigned m) { return static_cast<float>(m % 1000003); };
    return {part(n), part(n + 1), part(n * 3)};
  } else if constexpr (std::is_same_v<T, sample>) {
    return {n, {n + 1, n ^ 5, n * 3, ~n}};
  } else {
    return static_cast<T>(n % 113);
  }
}
template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, three_floats>) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  } else {
    return a == b;
  }
}

/// The function, from each element type to each.
template <class To>
struct changed {
  template <class From>
  WARPFOLD_HD To operator()(const From& x) const {
    if constexpr (std::is_same_v<From, three_floats>) {
      if constexpr (std::is_same_v<To, three_floats>) {
        return {x.y, x.z + 1, -x.x};
      } else {
        return static_cast<To>(x.x + x.y);
      }
    } else if constexpr (std::is_same_v<From, sample>) {
      return {x.part[3], {x.count, x.part[0], x.part[1] + 1, x.part[2]}};
    } else if constexpr (std::is_same_v<To, sample>) {
      const auto n = static_cast<unsigned>(x);
      return {n, {n + 1, n, n, n}};
    } else {
      return static_cast<To>(x + 1);
    }
  }
};

struct sum_of_pair {
  template <class Pair>
  WARPFOLD_HD auto operator()(const Pair& p) const {
    return wf::get<0>(p) + wf::get<1>(p);
  }
};
// Its call operator is not const.
struct weighted_sum {
  template <class... T>
    requires(sizeof...(T) > 1)
  WARPFOLD_HD float operator()(T... x) {
    return static_cast<float>((x + ...));
  }
};
struct plus_one {
  template <class T>
  WARPFOLD_HD T operator()(const T& x) const {
    return static_cast<T>(x + 1);
  }
};

/// Numbers that sums and squares of do not leave an int.
inline std::vector<int> some_ints(std::size_t n) {
  random_bits random;
  std::vector<int> values(n);
  for (int& x : values) x = static_cast<int>(random() % 20001) - 10000;
  return values;
}

inline constexpr std::size_t transformed_sizes[] = {0,  1,  2,   15,  16,  17,  31,
                                                    32, 33, 127, 128, 129, 1000};
inline constexpr std::size_t longest_transformed = 70001;
inline constexpr std::size_t guards = 40;  // elements before and after what is written

/// Transforms `in` into the middle of `memory`. Compares the output with `expected(i)`, and checks
/// that the memory around it does not change.
template <class Fixture, class To, class Range, class F, class Expected>
void check_transformed(const Range& in, std::size_t n, std::size_t out_offset, const F& f,
                       const Expected& expected) {
  std::vector<To> memory;
  memory.reserve(n + 2 * guards);
  for (std::size_t i = 0; i < n + 2 * guards; ++i) {
    memory.push_back(element_from<To>(static_cast<unsigned>(i * 7 + 90)));
  }
  // Gives the output itself that offset.
  const std::size_t guard_bytes = guards * sizeof(To) % 16;
  typename Fixture::template target<To> placed(memory, (out_offset + 16 - guard_bytes) % 16);
  REQUIRE(reinterpret_cast<std::uintptr_t>(placed.data() + guards) % 16 == out_offset);
  wf::transform(Fixture::policy(), in, std::span<To>(placed.data() + guards, n), f);
  const std::vector<To> got = placed.values();
  std::size_t wrong = 0, first_wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool inside = i >= guards && i < guards + n;
    if (!equal<To>(got[i], inside ? expected(i - guards) : memory[i])) {
      if (wrong++ == 0) first_wrong = i;
    }
  }
  INFO(n, " elements to ", out_offset, " bytes from alignment; the first wrong one is ",
       static_cast<long>(first_wrong) - static_cast<long>(guards));
  CHECK(wrong == 0);
}

template <class Fixture, class From, class To>
struct conversion {
  using fixture = Fixture;
  using from = From;
  using to = To;
};

template <class Fixture>
using conversions =
    std::tuple<conversion<Fixture, char, int>, conversion<Fixture, int, char>,
               conversion<Fixture, float, float>, conversion<Fixture, double, float>,
               conversion<Fixture, three_floats, three_floats>,
               conversion<Fixture, three_floats, char>, conversion<Fixture, sample, sample>,
               conversion<Fixture, char, sample>>;

}  // namespace test

// --- every size, both offsets: for conversions ---------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("transform: every size and offset, and nothing beside it", Conversion,
                          transformed) {
  using fixture = typename Conversion::fixture;
  using From = typename Conversion::from;
  using To = typename Conversion::to;
  std::vector<From> values;
  for (std::size_t i = 0; i < test::longest_transformed; ++i) {
    values.push_back(test::element_from<From>(static_cast<unsigned>(i)));
  }
  const test::changed<To> f;
  const auto expected = [&](std::size_t i) -> To { return f(values[i]); };
  const auto ins = test::offsets<From>(), outs = test::offsets<To>();
  for (const std::size_t in_offset : ins) {
    INFO("from ", in_offset, " bytes from alignment");
    const typename fixture::template array<From> small(test::first_of(values, 1000), in_offset);
    for (const std::size_t out_offset : outs) {
      for (const std::size_t n : test::transformed_sizes) {
        // Every size where one side is aligned, and a few where neither is: the rest would add time
        // only.
        if (in_offset != 0 && out_offset != 0 && n != 17 && n != 129 && n != 1000) continue;
        test::check_transformed<fixture, To>(test::range_of<fixture, From>(small, n), n, out_offset,
                                             f, expected);
      }
    }
    // The long one, enough for many blocks, at the ends of the lists only.
    if (in_offset != ins.front() && in_offset != ins.back()) continue;
    const typename fixture::template array<From> large(values, in_offset);
    for (const std::size_t out_offset : {outs.front(), outs.back()}) {
      test::check_transformed<fixture, To>(test::range_of<fixture, From>(large, values.size()),
                                           values.size(), out_offset, f, expected);
    }
  }
}

// --- views, in place, forms, errors: for fixtures ------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("transform: from projected, zipped and counted elements", Fixture,
                          transformed_views) {
  constexpr std::size_t n = 5003;
  const auto ints = test::some_ints(n);
  const auto bytes = test::whole_data<wf::plus, unsigned char>(n);
  for (const std::size_t out_offset : {0, 4, 12}) {
    for (const std::size_t byte_offset : {0, 3, 12}) {
      const typename Fixture::template array<int> i_placed(ints, 8);
      const typename Fixture::template array<unsigned char> b_placed(bytes, byte_offset);
      const auto i_range = test::range_of<Fixture, int>(i_placed, n);
      const auto b_range = test::range_of<Fixture, unsigned char>(b_placed, n);
      test::check_transformed<Fixture, int>(wf::project(i_range, test::plus_one{}), n, out_offset,
                                            test::plus_one{},
                                            [&](std::size_t i) { return ints[i] + 2; });
      test::check_transformed<Fixture, int>(wf::zip(b_range, i_range), n, out_offset,
                                            test::sum_of_pair{},
                                            [&](std::size_t i) { return bytes[i] + ints[i]; });
      test::check_transformed<Fixture, int>(
          wf::zip(wf::counting(0, n), b_range), n, out_offset, test::sum_of_pair{},
          [&](std::size_t i) { return static_cast<int>(i) + bytes[i]; });
    }
    test::check_transformed<Fixture, unsigned char>(
        wf::counting(7, n), n, static_cast<std::size_t>(out_offset + 1), test::plus_one{},
        [&](std::size_t i) { return static_cast<unsigned char>(i + 8); });
  }
}

TEST_CASE_TEMPLATE_DEFINE("transform in place", Fixture, transformed_in_place) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5003}}) {
    for (const std::size_t offset : {0, 4, 12}) {
      INFO(n, " elements, ", offset, " bytes from alignment");
      const auto values = test::some_ints(n);
      const auto check = [&](const auto& transform, int more) {
        typename Fixture::template target<int> placed(values, offset);
        transform(std::span<int>(placed.data(), n));
        const auto got = placed.values();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i) wrong += got[i] != values[i] + more;
        CHECK(wrong == 0);
      };
      check([&](auto v) { wf::transform(policy, v, v, test::plus_one{}); }, 1);
      check(
          [&](auto v) {
            wf::transform(policy, wf::project(v, test::plus_one{}), v, test::plus_one{});
          },
          2);
      // Beside a column of another width, and the array itself a second time.
      const typename Fixture::template array<unsigned char> ones(std::vector<unsigned char>(n, 1),
                                                                 1);
      const auto one_range = test::range_of<Fixture, unsigned char>(ones, n);
      check([&](auto v) { wf::transform(policy, wf::zip(v, one_range), v, test::sum_of_pair{}); },
            1);
      check([&](auto v) { wf::copy(policy, v, v); }, 0);
      // Into another type of the same size.
      check(
          [&](auto v) {
            const std::span<const unsigned> same(reinterpret_cast<const unsigned*>(v.data()), n);
            wf::transform(policy, same, v, test::plus_one{});
          },
          1);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("transform_async, copy, a pointer as output, a longer output", Fixture,
                          transformed_forms) {
  const auto policy = Fixture::policy();
  const std::vector<int> values = {5, -3, 8, 100, 7};
  const typename Fixture::template array<int> placed(values, 4);
  const auto in = test::range_of<Fixture, int>(placed, values.size());
  const std::vector<float> blank(7, -1.0f);
  const auto check = [&](const auto& write, const std::vector<float>& expected) {
    typename Fixture::template target<float> out(blank, 8);
    write(out);
    CHECK(out.values() == expected);
  };
  using out_type = typename Fixture::template target<float>;
  check([&](out_type& o) { wf::transform_async(policy, in, o.data() + 1, test::plus_one{}); },
        {-1, 6, -2, 9, 101, 8, -1});
  check([&](out_type& o) { wf::copy(policy, in, std::span<float>(o.data(), 7)); },
        {5, -3, 8, 100, 7, -1, -1});
  check([&](out_type& o) { wf::copy_async(policy, in, o.data()); }, {5, -3, 8, 100, 7, -1, -1});
  check([&](out_type& o) { wf::copy(policy, wf::counting(3, 2), o.data()); },
        {3, 4, -1, -1, -1, -1, -1});
  check([&](out_type& o) { wf::copy(policy, in.first(0), o.data()); }, blank);
  // Several ranges, with a function of as many arguments.
  const typename Fixture::template array<short> shorts(std::vector<short>{1, 2, 3, 4, 5}, 2);
  const auto shorts_in = test::range_of<Fixture, short>(shorts, values.size());
  check(
      [&](out_type& o) {
        wf::transform(policy, in, shorts_in, wf::counting(10, values.size()), o.data(),
                      test::weighted_sum{});
      },
      {16, 10, 23, 117, 26, -1, -1});
  check(
      [&](out_type& o) {
        wf::transform_async(policy, in, shorts_in, o.data() + 2, test::weighted_sum{});
      },
      {-1, -1, 6, -1, 11, 104, 12});
  check(
      [&](out_type& o) {
        test::check_throws<wf::invalid_range>(
            [&] { wf::transform(policy, in, shorts_in.first(4), o.data(), test::weighted_sum{}); },
            "ranges of the same size, but they have 5 and 4 elements");
      },
      blank);
  // A data member as the function.
  const std::vector<test::sample> samples = {{3, {}}, {4, {}}};
  const typename Fixture::template array<test::sample> sample_array(samples, 0);
  check(
      [&](out_type& o) {
        wf::transform(policy, test::range_of<Fixture, test::sample>(sample_array, 2), o.data(),
                      &test::sample::count);
      },
      {3, 4, -1, -1, -1, -1, -1});
}

TEST_CASE_TEMPLATE_DEFINE("transform_reduce", Fixture, transform_reduced) {
  const auto policy = Fixture::policy();
  const auto values = test::some_ints(5003);
  const typename Fixture::template array<int> placed(values, 4);
  const auto range = test::range_of<Fixture, int>(placed, values.size());
  long long squares = 0;
  for (const int x : values) squares += x * x;
  CHECK(wf::transform_reduce(policy, range, wf::plus{}, test::square{}) == squares);
  const auto from_seven = wf::transform_reduce(policy, range, 7ll, wf::plus{}, test::square{});
  static_assert(std::is_same_v<decltype(from_seven), const long long>);
  CHECK(from_seven == squares + 7);
  CHECK(wf::transform_reduce(policy, range.first(0), 7, wf::plus{}, test::square{}) == 7);
  typename Fixture::template slot<long long> slot;
  wf::transform_reduce_async(policy, range, wf::plus{}, test::square{}, slot.pointer());
  CHECK(slot.value() == squares);
}

TEST_CASE_TEMPLATE_DEFINE("transform refuses what it cannot write, and writes nothing", Fixture,
                          bad_transformations) {
  const auto policy = Fixture::policy();
  std::vector<int> values;
  for (int i = 0; i < 20; ++i) values.push_back(i);
  typename Fixture::template target<int> placed(values, 4);
  int* const p = placed.data();
  const auto part = [&](std::size_t begin, std::size_t n) { return std::span<int>(p + begin, n); };
  const auto refuses = [&](const auto& in, const auto& out, const char* text) {
    INFO(text);
    test::check_throws<wf::invalid_range>([&] { wf::transform(policy, in, out, test::plus_one{}); },
                                          text);
    test::check_throws<wf::invalid_range>(
        [&] { wf::transform_async(policy, in, out, test::plus_one{}); }, text);
    CHECK(placed.values() == values);
  };

  refuses(part(0, 5), part(10, 4), "the output has 4 elements, but the range has 5");
  refuses(part(0, 5), std::span<int>(static_cast<int*>(nullptr), 5), "null pointer");
  refuses(std::span<const int>(static_cast<const int*>(nullptr), 5), part(0, 5), "null pointer");
  int* const odd = reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(p) + 1);
  refuses(part(10, 5), std::span<int>(odd, 5), "the output at");
  refuses(part(10, 5), std::span<int>(odd, 5), "not aligned");

  // Overlaps.
  refuses(part(0, 5), part(4, 5), "overlaps");
  refuses(part(4, 5), part(0, 5), "overlaps");
  refuses(part(0, 10), part(1, 10), "overlaps");
  const std::span<char> bytes(reinterpret_cast<char*>(p),
                              20);  // starts at the same address, but has narrower elements
  refuses(part(0, 20), bytes, "overlaps");
  refuses(bytes, part(0, 20), "overlaps");
  refuses(wf::project(part(3, 5), test::plus_one{}), part(4, 5), "overlaps");
  test::check_throws<wf::invalid_range>(
      [&] {
        wf::transform(policy, wf::zip(part(0, 5), part(2, 5)), part(0, 5), test::sum_of_pair{});
      },
      "overlaps");
  CHECK(placed.values() == values);

  // Adjacent memory, and memory after the end of the range, does not overlap.
  wf::transform(policy, part(0, 5), part(5, 5), test::plus_one{});
  wf::transform(policy, part(15, 3), part(10, 9).first(5), test::plus_one{});
  for (std::size_t i = 0; i < 5; ++i) values[5 + i] = values[i] + 1;
  for (std::size_t i = 0; i < 3; ++i) values[10 + i] = values[15 + i] + 1;
  CHECK(placed.values() == values);
  // An empty range reads no memory.
  wf::transform(policy, part(3, 0), part(1, 5), test::plus_one{});
  wf::transform(policy, std::span<const int>(), std::span<int>(), test::plus_one{});
  CHECK(placed.values() == values);
}

// --- for fixtures of host policies that pass exceptions on ---------------------------------------

TEST_CASE_TEMPLATE_DEFINE("what the function throws reaches the caller, and the next call works",
                          Fixture, transform_exceptions) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {std::size_t{100}, std::size_t{70001}}) {
    std::vector<int> values(n, 1), out(n, 0);
    values[n / 2] = 13;
    const auto refuse = [](int x) { return x == 13 ? throw std::runtime_error("refused") : x + 1; };
    test::check_throws<std::runtime_error>([&] { wf::transform(policy, values, out, refuse); },
                                           "refused");
    values[n / 2] = 1;
    wf::transform(policy, values, out, refuse);
    CHECK(out == std::vector<int>(n, 2));
  }
}
