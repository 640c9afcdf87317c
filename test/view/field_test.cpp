// wf::field: one field of an array of structures, on host threads and in the emulation.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/policy/emulated.hpp>

#include <deque>

#include "contract/counted_loads.hpp"
#include "contract/view_contract.hpp"

namespace {

/// Six bytes, of which eight are a chunk of three words.
struct tiny {
  unsigned char kind;
  short value;
  signed char flag;
};
/// Twelve bytes, three words a chunk.
struct triple {
  float x;
  int y;
  unsigned z;
};
/// Sixteen bytes, aligned to 4 and to 16.
struct quad {
  int a, b, c, d;
};
struct alignas(16) aligned_quad {
  float a;
  int b, c, d;
};
/// Forty bytes with padding: a field is read without the rest.
struct heavy {
  double mass;
  short id;
  int part[4];
  long long charge;
};
struct heavier : heavy {
  int more;
};
struct large {
  short id;
  int part[7];
};
struct pair_of_quads {
  quad first;
  quad second;
};

/// The sum of a field by a loop.
template <auto Member, class T>
auto sum_of(const std::vector<T>& values, std::size_t n) {
  decltype(wf::reduce(wf::seq, std::vector{values[0].*Member})) sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += static_cast<decltype(sum)>(values[i].*Member);
  }
  return sum;
}

/// Structures whose bytes are random, but for a field that is set to a small whole number.
template <auto Member, class T>
std::vector<T> structures(std::size_t n) {
  using field = std::remove_cvref_t<decltype(std::declval<T>().*Member)>;
  std::vector<T> values = test::any_values<T>(n);
  test::random_bits random;
  for (T& x : values) x.*Member = static_cast<field>(random() % 17);
  return values;
}

template <auto Member, class T>
void check_field() {
  using field = std::remove_cvref_t<decltype(std::declval<T>().*Member)>;
  constexpr std::size_t most = 16385;
  const auto values = structures<Member, T>(most);
  for (const std::size_t offset : test::offsets<T>()) {
    const test::host_memory::array<T> placed(values, offset);
    for (const std::size_t n : test::chunk_lengths) {
      INFO(n, " elements at offset ", offset);
      const auto view = wf::field<Member>(std::span<const T>(placed.data(), n));
      static_assert(std::is_same_v<typename decltype(view)::value_type, field>);
      static_assert(wf::tells_memory_v<decltype(view)>);
      test::check_chunks(view);
      CHECK(test::same(wf::reduce(wf::seq, view), sum_of<Member>(values, n)));
    }
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, most}) {
      INFO(n, " elements at offset ", offset);
      const auto view = wf::field<Member>(std::span<const T>(placed.data(), n));
      test::check_kernels(wf::emulated, view, wf::plus{}, sum_of<Member>(values, n));
    }
  }
}

}  // namespace

TEST_CASE("a field at every offset") {
  SUBCASE("of small structures") {
    check_field<&tiny::value, tiny>();
    check_field<&triple::x, triple>();
    check_field<&triple::z, triple>();
  }
  SUBCASE("of a word's size") {
    check_field<&quad::c, quad>();
    check_field<&aligned_quad::a, aligned_quad>();
  }
  SUBCASE("of large structures, also of a base") {
    check_field<&heavy::mass, heavy>();
    check_field<&heavy::id, heavy>();
    check_field<&heavier::charge, heavier>();
  }
}

TEST_CASE("small structures are loaded 16 bytes at a time, of large ones the field alone") {
  constexpr std::size_t n = 4096;
  const auto triples = test::any_values<triple>(n);
  const test::host_memory::array<triple> small(triples, 0);
  const auto wide = wf::field<&triple::y>(std::span(small.data(), n));
  // Three more: the last of four blocks, of 256 threads with a chunk of four each, reads what the
  // others have posted.
  CHECK(test::loads_of<wf::kernel::single_pass<>>(16, wide) == n * sizeof(triple) / 16 + 3);
  CHECK(test::loads_of<wf::kernel::single_pass<>>(sizeof(triple), wide) == 0);

  const auto pairs = test::any_values<large>(n);
  const test::host_memory::array<large> placed(pairs, 0);
  const auto narrow = wf::field<&large::id>(std::span(placed.data(), n));
  CHECK(test::loads_of<wf::kernel::sequential_addressing<128>>(sizeof(short), narrow) == n);
}

TEST_CASE("a field of anything that can be reduced") {
  const auto values = structures<&triple::y, triple>(1000);
  const auto sum = sum_of<&triple::y>(values, 1000);
  CHECK(wf::reduce(wf::seq, wf::field<&triple::y>(values)) == sum);
  const std::deque<triple> deque(values.begin(), values.end());
  CHECK(wf::reduce(wf::seq, wf::field<&triple::y>(deque)) == sum);

  // Of a projection, of a field, of what a function gives.
  const auto quads = test::any_values<pair_of_quads>(100);
  long long nested = 0;
  for (const auto& q : quads) nested += q.second.b;
  const auto second = wf::field<&pair_of_quads::second>(quads);
  test::check_kernels(wf::emulated, wf::field<&quad::b>(second), wf::plus{}, nested);
  const auto swapped = wf::project(quads, [](const pair_of_quads& q) { return q.second; });
  test::check_kernels(wf::emulated, wf::field<&quad::b>(swapped), wf::plus{}, nested);

  // Beside others: a weighted sum.
  long long weighted = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weighted += static_cast<long long>(values[i].y) * static_cast<long long>(i);
  }
  const auto both = wf::zip(wf::field<&triple::y>(values), wf::counting(0ll, values.size()));
  test::check_kernels(wf::emulated, wf::project(both, test::product_of_pair{}), wf::plus{},
                      weighted);
}

TEST_CASE("a field of an empty range is empty") {
  const std::vector<heavy> none;
  CHECK(wf::field<&heavy::id>(none).size() == 0);
  CHECK(wf::reduce(wf::seq, wf::field<&heavy::id>(none)) == 0);
  CHECK(wf::reduce(wf::emulated, wf::field<&heavy::id>(none)) == 0);
}
