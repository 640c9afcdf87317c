// wf::aligned: structures in words of 8 or 16 bytes, on host threads and in the emulation, which
// counts them.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/policy/emulated.hpp>

#include <cstddef>
#include <deque>

#include "contract/view_contract.hpp"

namespace {

/// `Ints` ints, aligned to 4 whatever their number.
template <int Ints>
struct ints {
  int part[Ints];

  friend bool operator==(const ints&, const ints&) = default;
};
using two = ints<2>;
using four = ints<4>;
/// With padding, and aligned to 8 by itself.
struct mixed {
  double mass;
  short id;

  friend bool operator==(const mixed& a, const mixed& b) {
    return a.mass == b.mass && a.id == b.id;
  }
};

struct hash {
  template <int Ints>
  long long operator()(const ints<Ints>& x) const {
    long long h = 0;
    for (const int part : x.part) h = h * 3 + part % 1000;
    return h;
  }
  long long operator()(const mixed& x) const { return x.id * 7ll; }
};

template <class T>
std::vector<T> values_of(std::size_t n) {
  auto values = test::any_values<T>(n);
  if constexpr (std::is_same_v<T, mixed>) {
    for (T& x : values) x.mass = x.id;  // and no NaN
  }
  return values;
}

template <int N, class T>
void check_aligned() {
  constexpr std::size_t most = 16385;
  const auto values = values_of<T>(most);
  for (std::size_t offset = 0; offset < 16; offset += N) {
    const test::host_memory::array<T> placed(values, offset);
    const auto first = [&](std::size_t n) { return std::span<const T>(placed.data(), n); };
    for (const std::size_t n : test::chunk_lengths) {
      INFO(n, " elements of ", sizeof(T), " bytes at offset ", offset);
      const auto view = wf::aligned<N>(first(n));
      static_assert(std::is_same_v<decltype(view), const wf::aligned_view<const T, N>>);
      test::check_chunks(view);
      CHECK(wf::bytes_of(view) == n * sizeof(T));
    }
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, most}) {
      INFO(n, " elements of ", sizeof(T), " bytes at offset ", offset);
      long long sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += hash{}(values[i]);
      const auto view = wf::project(wf::aligned<N>(first(n)), hash{});
      CHECK(wf::reduce(wf::seq, view) == sum);
      test::check_kernels(wf::emulated, view, wf::plus{}, sum);
    }
  }
}

/// The loads of a range, by a kernel in which each thread takes one element.
template <class Range>
wf::emulation::site_counts loads_of(const Range& range) {
  const auto policy = wf::emulated.counting().with_kernel(wf::kernel::sequential_addressing<128>{});
  (void)wf::reduce(policy, wf::project(range, hash{}), wf::plus{});
  return policy.report().launches.front().total(wf::emulation::traffic::global_load);
}

/// 4096 elements from a multiple of 128 bytes on.
template <class T>
struct from_a_line {
  alignas(128) T values[4096] = {};
  std::span<const T> all() const { return values; }
};

}  // namespace

TEST_CASE("words of 8 and 16 bytes at every offset") {
  check_aligned<8, two>();
  check_aligned<8, ints<6>>();
  check_aligned<8, four>();
  check_aligned<8, mixed>();
  check_aligned<16, four>();
  check_aligned<16, ints<8>>();
  check_aligned<16, ints<20>>();
  check_aligned<16, mixed>();
}

TEST_CASE("an element of the word's size is one request of a warp, and no sector is loaded twice") {
  constexpr std::uint64_t warps = 4096 / 32;
  {
    const auto twos = std::make_unique<from_a_line<two>>();
    const auto counts = loads_of(wf::aligned<8>(twos->all()));
    CHECK(counts.requests == warps);
    CHECK(counts.sectors == warps * 32 * 8 / 32);
    CHECK(counts.ideal_sectors == counts.sectors);
    CHECK(counts.odd_size + counts.out_of_order + counts.misaligned == 0);
    // Without it, as two ints, each of which leaves out the other.
    const auto plain = loads_of(twos->all());
    CHECK(plain.requests == 2 * warps);
    CHECK(plain.sectors == 2 * counts.sectors);
  }
  {
    const auto fours = std::make_unique<from_a_line<four>>();
    const auto counts = loads_of(wf::aligned<16>(fours->all()));
    CHECK(counts.requests == warps);
    CHECK(counts.sectors == warps * 32 * 16 / 32);
    CHECK(counts.ideal_sectors == counts.sectors);
    CHECK(counts.odd_size + counts.out_of_order + counts.misaligned == 0);
    // In words of 8 two requests, each with half of every sector.
    const auto halves = loads_of(wf::aligned<8>(fours->all()));
    CHECK(halves.requests == 2 * warps);
    CHECK(halves.sectors == 2 * counts.sectors);
    CHECK(loads_of(fours->all()).requests == 4 * warps);
  }
}

TEST_CASE("a misaligned range throws when the view is constructed") {
  const test::host_memory::array<four> placed(test::any_values<four>(10), 8);
  const std::span<const four> range(placed.data(), 10);
  test::check_throws<wf::invalid_range>([&] { (void)wf::aligned<16>(range); },
                                        "which is not a multiple of 16 bytes");
  CHECK(wf::aligned<8>(range).size() == 10);
  const test::host_memory::array<four> odd(test::any_values<four>(10), 4);
  test::check_throws<wf::invalid_range>([&] { (void)wf::aligned<8>(std::span(odd.data(), 10)); },
                                        "aligned<8> was given a range at 0x");
  // Nothing is read of an empty one.
  CHECK(wf::aligned<16>(range.first(0)).size() == 0);
  CHECK(wf::aligned<16>(std::span<const four>()).size() == 0);
  CHECK(wf::reduce(wf::emulated, wf::project(wf::aligned<16>(std::span<const four>()), hash{}),
                   wf::plus{}) == 0);
}

TEST_CASE("aligned elements zipped, by field, and of containers") {
  const auto values = test::any_values<four>(1000);
  const test::host_memory::array<four> placed(values, 0);
  const auto view = wf::aligned<16>(std::span(placed.data(), values.size()));
  const auto both = wf::zip(wf::project(view, hash{}), wf::counting(0ll, values.size()));
  test::check_chunks(both);
  long long weighted = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weighted += hash{}(values[i]) * static_cast<long long>(i);
  }
  test::check_kernels(wf::emulated, wf::project(both, test::product_of_pair{}), wf::plus{},
                      weighted);

  const std::vector<double> doubles(100, 0.5);  // malloc's memory is at multiples of 16
  CHECK(wf::reduce(wf::seq, wf::aligned<8>(doubles)) == 50.0);
  CHECK(wf::begin_of(wf::aligned<8>(doubles)) == doubles.data());
}

TEST_CASE("the memory that it tells of is aligned as it says") {
  alignas(16) const int numbers[8] = {};
  struct ints {
    int x[4];
  };
  const std::span<const ints> range(reinterpret_cast<const ints*>(numbers), 2);
  std::size_t told = 0;
  wf::aligned<16>(range).visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
    CHECK(p == numbers);
    CHECK(bytes == 32);
    told = alignment;
  });
  CHECK(told == 16);
}
