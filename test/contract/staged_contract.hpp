/// @file
/// The test suite of staged reductions of elements of any size. A test file names fixtures (see
/// policy_contract.hpp) and invokes
///
///     TEST_CASE_TEMPLATE_INVOKE(staged_sizes, fixture);
#pragma once

#include <cstring>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/zip.hpp>

#include "contract/policy_contract.hpp"

namespace test {

/// `Bytes` bytes, aligned to `Align`.
template <int Bytes, int Align = 1>
struct alignas(Align) bytes_of_size {
  unsigned char b[Bytes];
};

/// A hash of an element, which changes if a byte changes or moves.
struct hash_of_bytes {
  template <class T>
  WARPFOLD_HD std::uint64_t operator()(const T& x) const {
    std::uint64_t h = 1469598103934665603u;
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &x, sizeof(T));
    for (unsigned char b : bytes) h = (h ^ b) * 1099511628211u;
    return h;
  }
};
struct hash_of_both {
  template <class Pair>
  WARPFOLD_HD std::uint64_t operator()(const Pair& p) const {
    return hash_of_bytes{}(wf::get<0>(p)) * 3 + hash_of_bytes{}(wf::get<1>(p));
  }
};

inline const std::vector<std::size_t>& staged_lengths() {
  static const std::vector<std::size_t> all = {1,   2,   15,  16,  31,  32,   33,  127,
                                               128, 129, 511, 512, 513, 1000, 4097};
  return all;
}

template <class T>
std::vector<T> any_bytes(std::size_t n) {
  random_bits random;
  std::vector<T> values(n);
  auto* const bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < n * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random());
  return values;
}

/// A part of each structure, loaded separately: a view whose array is copied may read any part of
/// it.
template <class Structure, class Part, std::size_t At>
struct parts_view : wf::element_loads<parts_view<Structure, Part, At>, Part> {
  static constexpr bool tells_memory = true;
  static constexpr int arrays = 1;
  static constexpr std::size_t array_bytes = sizeof(Structure);
  const Structure* all;
  std::size_t count;

  explicit parts_view(std::span<const Structure> s) : all(s.data()), count(s.size()) {}
  WARPFOLD_HD std::size_t size() const { return count; }
  WARPFOLD_HD const Part& operator[](std::size_t i) const {
    return *reinterpret_cast<const Part*>(reinterpret_cast<const unsigned char*>(all + i) + At);
  }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    wf::contiguous_view<const Structure>(all, count).visit_memory(visit);
  }
};

template <class Fixture, class Structure, class Part, std::size_t At>
void check_parts() {
  INFO(sizeof(Part), " bytes from number ", At, " on of ", sizeof(Structure));
  const auto values = any_bytes<Structure>(1000);
  const typename Fixture::template array<Structure> placed(values, 0);
  const auto hashes = [](std::span<const Structure> s) {
    return wf::project(wf::staged(parts_view<Structure, Part, At>(s)), hash_of_bytes{});
  };
  CHECK(wf::reduce(Fixture::policy(), hashes(range_of<Fixture, Structure>(placed, 1000))) ==
        wf::reduce(wf::seq, hashes(values)));
}

/// Checks that sums of element hashes are those of wf::seq, for every 16-byte misalignment of the
/// type.
template <class Fixture, class T>
void check_staged() {
  const auto values = any_bytes<T>(staged_lengths().back());
  for (std::size_t offset = 0; offset < 16; offset += alignof(T)) {
    const typename Fixture::template array<T> placed(values, offset);
    for (const std::size_t n : staged_lengths()) {
      INFO(sizeof(T), "-byte elements, ", n, " of them, ", offset, " bytes from alignment");
      const std::uint64_t want =
          wf::reduce(wf::seq, wf::project(std::span<const T>(values.data(), n), hash_of_bytes{}));
      const auto range = range_of<Fixture, T>(placed, n);
      CHECK(wf::reduce(Fixture::policy(), wf::project(wf::staged(range), hash_of_bytes{})) == want);
      // One block of two warps, so that each takes many tiles.
      CHECK(wf::reduce(Fixture::policy().with_kernel(wf::kernel::staged<512, 2>{64, 1}),
                       wf::staged(wf::project(range, hash_of_bytes{}))) == want);
    }
  }
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("staged elements of any size are whole", Fixture, staged_sizes) {
  test::check_staged<Fixture, test::bytes_of_size<1>>();
  test::check_staged<Fixture, test::bytes_of_size<3>>();
  test::check_staged<Fixture, test::bytes_of_size<7>>();
  test::check_staged<Fixture, test::bytes_of_size<12, 4>>();
  test::check_staged<Fixture, test::bytes_of_size<13>>();
  test::check_staged<Fixture, test::bytes_of_size<20, 4>>();
  test::check_staged<Fixture, test::bytes_of_size<28, 4>>();
  test::check_staged<Fixture, test::bytes_of_size<36, 4>>();
  test::check_staged<Fixture, test::bytes_of_size<40, 8>>();
  test::check_staged<Fixture, test::bytes_of_size<50, 2>>();
  test::check_staged<Fixture, test::bytes_of_size<61>>();
  test::check_staged<Fixture, test::bytes_of_size<64, 16>>();
}

TEST_CASE_TEMPLATE_DEFINE("parts of staged elements are found, whatever their alignment", Fixture,
                          staged_parts) {
  test::check_parts<Fixture, test::bytes_of_size<32, 4>, unsigned char, 13>();
  test::check_parts<Fixture, test::bytes_of_size<96, 4>, short, 18>();
  test::check_parts<Fixture, test::bytes_of_size<64, 4>, int, 20>();
  test::check_parts<Fixture, test::bytes_of_size<5>, test::bytes_of_size<2>, 3>();
  test::check_parts<Fixture, test::bytes_of_size<20, 4>, test::bytes_of_size<16, 4>, 4>();
  test::check_parts<Fixture, test::bytes_of_size<32, 4>, test::bytes_of_size<16, 4>, 4>();
}

TEST_CASE_TEMPLATE_DEFINE("staging goes through zip and project, whatever is aligned", Fixture,
                          staged_views) {
  using wide = test::bytes_of_size<20, 4>;
  const auto structs = test::any_bytes<wide>(4097);
  const auto shorts = test::any_bytes<short>(4097);
  const auto chars = test::any_bytes<unsigned char>(4097);
  for (const std::size_t offset : {0, 4, 12}) {
    const typename Fixture::template array<wide> a(structs, offset);
    const typename Fixture::template array<short> b(shorts, 2);
    const typename Fixture::template array<unsigned char> c(chars, 0);
    for (const std::size_t n : test::staged_lengths()) {
      INFO(n, " elements, ", offset, " bytes from alignment");
      const auto both = [n](const auto& x, const auto& y) {
        return wf::zip(std::span(x.data(), n), std::span(y.data(), n));
      };
      CHECK(wf::reduce(Fixture::policy(),
                       wf::project(wf::staged(both(a, b)), test::hash_of_both{})) ==
            wf::reduce(wf::seq, wf::project(both(structs, shorts), test::hash_of_both{})));
      CHECK(wf::reduce(Fixture::policy(), wf::project(wf::zip(std::span(c.data(), n),
                                                              wf::staged(std::span(a.data(), n))),
                                                      test::hash_of_both{})) ==
            wf::reduce(wf::seq, wf::project(both(chars, structs), test::hash_of_both{})));
    }
  }
  // Ranges of different lengths.
  const typename Fixture::template array<unsigned char> longer(chars, 0);
  for (const std::size_t n : {std::size_t{1000}, std::size_t{3000}, std::size_t{4097}}) {
    const auto counted = [n](const auto& x) {
      return wf::project(wf::zip(wf::staged(std::span(x.data(), n)), wf::counting(0, 2000)),
                         test::hash_of_both{});
    };
    CHECK(wf::reduce(Fixture::policy(), counted(longer)) == wf::reduce(wf::seq, counted(chars)));
  }
  // Two overlapping ranges with different alignments.
  using four_shorts = test::bytes_of_size<8, 2>;
  const auto all = test::any_bytes<short>(8001);
  const typename Fixture::template array<short> placed(all, 0);
  const auto windows = [](const short* p) {
    const auto* const first = reinterpret_cast<const four_shorts*>(p);
    const auto* const second = reinterpret_cast<const four_shorts*>(p + 1);
    return wf::project(wf::zip(wf::staged(std::span(first, 2000)), std::span(second, 2000)),
                       test::hash_of_both{});
  };
  CHECK(wf::reduce(Fixture::policy(), windows(placed.data())) ==
        wf::reduce(wf::seq, windows(all.data())));
  // Views that cannot be staged are read directly.
  CHECK(wf::reduce(Fixture::policy(), wf::staged(wf::counting(1, 1000))) == 500500);
  const typename Fixture::template array<wide> none({}, 0);
  CHECK(wf::reduce(Fixture::policy(), wf::staged(wf::project(test::range_of<Fixture, wide>(none, 0),
                                                             test::hash_of_bytes{}))) == 0);
}
