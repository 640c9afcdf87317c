// soa_view and soa_output over plain arrays: elements are assembled from their members, and stored
// to them.
#include <warpfold/view/soa_view.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/view/global_access.hpp>

#include "contract/view_contract.hpp"

namespace {

struct particle {
  float mass;
  unsigned char kind;
  double place[3];
  int hidden;
  friend bool operator==(const particle&, const particle&) = default;
};

/// Members in another order than in memory, and one left out.
using view = wf::soa_view<particle, &particle::place, &particle::mass, &particle::kind>;
using output = wf::soa_output<particle, &particle::place, &particle::mass, &particle::kind>;
using place = wf::field_t<&particle::place>;

struct arrays {
  alignas(16) place places[40];
  alignas(16) float masses[40];
  alignas(16) unsigned char kinds[40];

  particle at(std::size_t i) const {
    return {masses[i], kinds[i], {places[i][0], places[i][1], places[i][2]}, 0};
  }
};

arrays filled() {
  arrays a;
  for (std::size_t i = 0; i < 40; ++i) {
    a.places[i] = {{static_cast<double>(i), 0.5, -static_cast<double>(i)}};
    a.masses[i] = static_cast<float>(2 * i);
    a.kinds[i] = static_cast<unsigned char>(200 + i);
  }
  return a;
}

}  // namespace

static_assert(wf::view<view>);
static_assert(std::is_same_v<wf::field_t<&particle::mass>, float>);
static_assert(std::is_same_v<place, wf::member_array<double, 3>>);
static_assert(sizeof(place) == sizeof(double[3]));
// The chunk of the largest member: place fills words with two elements.
static_assert(view::chunk_size == 2);

// The load of a field's chunk is the greatest power of two up to 16 that divides its bytes.
static_assert(wf::detail::field_chunk<char, 2>::piece_bytes == 2);
static_assert(wf::detail::field_chunk<float, 2>::piece_bytes == 8);
static_assert(wf::detail::field_chunk<double, 2>::piece_bytes == 16);
static_assert(wf::detail::field_chunk<place, 2>::pieces == 3);
static_assert(wf::detail::field_chunk<place, 1>::piece_bytes == 8);
static_assert(alignof(wf::detail::piece<8>) == 8 && sizeof(wf::detail::piece<2>) == 2);

TEST_CASE("elements are assembled from the arrays; a member that is not listed is zero") {
  const arrays a = filled();
  for (const std::size_t n : {0u, 1u, 2u, 3u, 39u, 40u}) {
    const view v(n, a.places, a.masses, a.kinds);
    test::check_chunks(v);
    for (std::size_t i = 0; i < n; ++i) CHECK(v[i] == a.at(i));
  }
  CHECK(view().size() == 0);
}

TEST_CASE("every array is told, with its own size and alignment, in the order of the members") {
  const arrays a = filled();
  const view v(40, a.places, a.masses, a.kinds);
  std::vector<const void*> seen;
  std::vector<std::size_t> bytes, alignments, columns;
  v.visit_memory([&](const void* p, std::size_t n, std::size_t alignment) {
    seen.push_back(p);
    bytes.push_back(n);
    alignments.push_back(alignment);
  });
  CHECK(seen == std::vector<const void*>{a.places, a.masses, a.kinds});
  CHECK(bytes == std::vector<std::size_t>{960, 160, 40});
  CHECK(alignments == std::vector<std::size_t>{8, 4, 1});
  v.visit_columns([&](const void*, std::size_t n) { columns.push_back(n); });
  CHECK(columns == std::vector<std::size_t>{24, 4, 1});
}

TEST_CASE("an output stores the listed members, and only these") {
  const arrays a = filled();
  arrays b = {};
  const output out(40, b.places, b.masses, b.kinds);
  const wf::global_access stores;
  for (std::size_t i = 0; i < 39; ++i) {
    particle p = a.at(i);
    p.hidden = 5;
    if (i % 2 == 0) {
      out.store_at(i, p, stores);
    } else {
      output::chunk_type chunk;
      out.set(chunk, 0, p);
      out.store(chunk, i, stores);
    }
  }
  for (std::size_t i = 0; i < 39; ++i) CHECK(b.at(i) == a.at(i));
  CHECK(b.at(39) == particle{});  // nothing was stored there
  std::size_t bytes = 0;
  out.visit_memory([&](const void*, std::size_t n, std::size_t) { bytes += n; });
  CHECK(bytes == 40 * 29);
}

TEST_CASE("member_array: the elements of an array member") {
  wf::member_array<int, 3> m{{1, 2, 3}};
  m[1] = 7;
  CHECK(m == wf::member_array<int, 3>{{1, 7, 3}});
  CHECK_FALSE(m == wf::member_array<int, 3>{{1, 7, 4}});
  CHECK(m.size() == 3);
}
