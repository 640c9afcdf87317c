/// @file
/// The test suite of transformations through shared memory. A test file names fixtures (see
/// transform_contract.hpp) and invokes
///
///     TEST_CASE_TEMPLATE_INVOKE(staged_transforms, fixture);
#pragma once

#include <warpfold/view/staged.hpp>

#include "contract/staged_contract.hpp"
#include "contract/transform_contract.hpp"

namespace test {

/// Changes every byte in a different way.
struct each_byte {
  template <class T>
  WARPFOLD_HD T operator()(const T& x) const {
    unsigned char bytes[sizeof(T)];
    memcpy(bytes, &x, sizeof(T));
    for (unsigned k = 0; k < sizeof(T); ++k)
      bytes[k] = static_cast<unsigned char>(bytes[k] + k + 3);
    T y;
    memcpy(&y, bytes, sizeof(T));
    return y;
  }
};

template <class T>
bool same_bytes(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Tests every pair of misalignments of input and output. The elements around the output must not
/// change.
template <class Fixture, class T>
void check_staged_transform() {
  const auto values = any_bytes<T>(70001);
  for (const std::size_t from : {std::size_t{0}, alignof(T), 3 * alignof(T) % 16}) {
    for (const std::size_t to : {from, std::size_t{0}}) {
      for (const std::size_t n : {1, 31, 33, 513, 70001}) {
        INFO(n, " elements of ", sizeof(T), " bytes, ", from, " to ", to, " bytes from alignment");
        const typename Fixture::template array<T> in(values, from);
        const auto before = any_bytes<T>(n + 4);
        typename Fixture::template target<T> out(before, to);
        wf::transform(Fixture::policy(), wf::staged(range_of<Fixture, T>(in, n)),
                      wf::staged(std::span<T>(out.data() + 2, n)), each_byte{});
        const std::vector<T> got = out.values();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < n; ++i)
          wrong += !same_bytes(got[i + 2], each_byte{}(values[i]));
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n + 2, n + 3}) {
          wrong += !same_bytes(got[i], before[i]);
        }
        CHECK(wrong == 0);
      }
    }
  }
  typename Fixture::template target<T> both(values, alignof(T));
  const std::span<T> all(both.data(), values.size());
  wf::transform(Fixture::policy(), wf::staged(all), wf::staged(all), each_byte{});
  const std::vector<T> got = both.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += !same_bytes(got[i], each_byte{}(values[i]));
  CHECK(wrong == 0);
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("staged transformations write every byte and no other", Fixture,
                          staged_transforms) {
  test::check_staged_transform<Fixture, test::bytes_of_size<3>>();
  test::check_staged_transform<Fixture, test::bytes_of_size<12, 4>>();
  test::check_staged_transform<Fixture, test::bytes_of_size<20, 4>>();
  test::check_staged_transform<Fixture, test::bytes_of_size<28, 4>>();
  test::check_staged_transform<Fixture, test::bytes_of_size<50, 2>>();
  test::check_staged_transform<Fixture, test::bytes_of_size<64, 16>>();
}

TEST_CASE_TEMPLATE_DEFINE("staged goes with what is not", Fixture, staged_with_others) {
  using twelve = test::bytes_of_size<12, 4>;
  const auto values = test::any_bytes<twelve>(20001);
  const typename Fixture::template array<twelve> in(values, 4);
  typename Fixture::template target<std::uint64_t> hashes(std::vector<std::uint64_t>(20001), 8);
  wf::transform(Fixture::policy(), wf::staged(test::range_of<Fixture, twelve>(in, 20001)),
                std::span<std::uint64_t>(hashes.data(), 20001), test::hash_of_bytes{});
  const auto got = hashes.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != test::hash_of_bytes{}(values[i]);
  CHECK(wrong == 0);

  // Projected elements have no size in memory.
  using large = test::bytes_of_size<240, 4>;
  const auto larges = test::any_bytes<large>(3001);
  const typename Fixture::template array<large> placed(larges, 0);
  typename Fixture::template target<std::uint64_t> of_larges(std::vector<std::uint64_t>(3001), 0);
  wf::copy(
      Fixture::policy(),
      wf::project(wf::staged(test::range_of<Fixture, large>(placed, 3001)), test::hash_of_bytes{}),
      std::span<std::uint64_t>(of_larges.data(), 3001));
  const auto got_larges = of_larges.values();
  wrong = 0;
  for (std::size_t i = 0; i < got_larges.size(); ++i) {
    wrong += got_larges[i] != test::hash_of_bytes{}(larges[i]);
  }
  CHECK(wrong == 0);

  const auto too_short = [&] {
    wf::transform(Fixture::policy(), wf::staged(test::range_of<Fixture, twelve>(in, 20001)),
                  wf::staged(std::span<std::uint64_t>(hashes.data(), 20000)),
                  test::hash_of_bytes{});
  };
  test::check_throws<wf::invalid_range>(too_short, "20000");
}
