// warp_sum: the 64-bit sum in every lane, also where the three parts carry and where the sum wraps;
// and for which folds it is used.
// needs: boost_context
#include <warpfold/collective/warp_sum.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

struct derived_plus : plus {};

/// Checks that each lane of each warp has its warp's sum, modulo 2^64.
template <class T>
void check(const std::vector<T>& values) {
  std::vector<T> results(values.size());
  test::emulated_launch on;
  const auto* const in = on.read_only(values);
  const auto out = on.array(results);
  on.run({1, static_cast<unsigned>(values.size())},
         [=] { out.store(threadIdx.x, warp_sum(in[threadIdx.x])); });
  for (std::size_t w = 0; w < values.size() / 32; ++w) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < 32; ++k) sum += static_cast<std::uint64_t>(values[32 * w + k]);
    for (std::size_t k = 0; k < 32; ++k) CHECK(results[32 * w + k] == static_cast<T>(sum));
  }
}

}  // namespace

TEST_CASE("sums of 64-bit integers only") {
  using collective::detail::sums_words;
  static_assert(sums_words<wf::fold<plus, long long>>);
  static_assert(sums_words<wf::fold<plus, std::uint64_t>>);
  static_assert(!sums_words<wf::fold<plus, int>>);
  static_assert(!sums_words<wf::fold<plus, double>>);
  static_assert(!sums_words<wf::fold<maximum, long long>>);
  static_assert(!sums_words<wf::fold<derived_plus, long long>>);
}

TEST_CASE_TEMPLATE("one lane's number, of each bit", T, std::int64_t, std::uint64_t) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    std::vector<T> values(64);
    values[bit % 32] = static_cast<T>(std::uint64_t{1} << bit);  // in one of two warps
    values[32 + (63 - bit) % 32] = static_cast<T>(~(std::uint64_t{1} << bit));
    check(values);
  }
}

TEST_CASE_TEMPLATE("all lanes alike: the parts carry, and the sum wraps", T, std::int64_t,
                   std::uint64_t) {
  for (const std::uint64_t x :
       {~std::uint64_t{0}, (std::uint64_t{1} << 27) - 1, (std::uint64_t{1} << 54) - 1,
        std::uint64_t{1} << 63, ~std::uint64_t{0} >> 1, std::uint64_t{0x123456789abcdef}}) {
    check(std::vector<T>(96, static_cast<T>(x)));
  }
}

TEST_CASE_TEMPLATE("any numbers", T, std::int64_t, std::uint64_t) {
  std::vector<T> values(1024);
  std::uint64_t x = 7;
  for (T& y : values) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    y = static_cast<T>(x);
  }
  check(values);
}
