// Terms of a sum of exponentials: the bits of the merges, what is kept, and what is refused.
#include <warpfold/op/exponential_terms.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/softmax.hpp>

namespace wf = warpfold;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
using terms = wf::log_sum_exp_op::group_terms<float>;

struct folded {
  wf::exponential_sum sum;
  std::vector<float> kept;
  bool is_right = false, is_lost = false;
};

// The first `there` of eight elements as terms.
folded fold(const std::vector<float>& v, unsigned there = 8) {
  const auto element = [&](int k) {
    return v[std::min(static_cast<std::size_t>(k), std::size_t{there} - 1)];
  };
  folded f{{}, std::vector<float>(8)};
  const std::uint32_t most = terms::reference_of<8>(element);
  if (!terms::admits(most)) return f;
  const double node = terms::fold<8>(
      element, there, most, [&](int k, float x) { f.kept[static_cast<std::size_t>(k)] = x; },
      [&] { f.is_lost = true; });
  f.is_right = terms::set_state(f.sum, node, there, most);
  return f;
}

wf::exponential_sum merged(const std::vector<float>& v, std::size_t there = 8) {
  const wf::log_sum_exp_op op;
  return wf::fold_in_order<wf::exponential_sum>(
      op, [&](std::size_t i) { return op.lift(v[i]); }, 0, there);
}

}  // namespace

TEST_CASE("the sum of the terms has the bits of the merges") {
  std::uint32_t random = 1;
  for (int turn = 0; turn < 2000; ++turn) {
    std::vector<float> v(8);
    const float spread = turn % 3 == 0 ? 4.f : turn % 3 == 1 ? 80.f : 250.f;
    for (auto& x : v) {
      random = random * 1664525 + 1013904223;
      x = (static_cast<float>(random >> 8) * 0x1p-23f - 1) * spread;
    }
    if (turn % 5 == 0) v[static_cast<std::size_t>(turn) / 5 % 8] = -infinity;
    if (turn % 7 == 0) v[static_cast<std::size_t>(turn) / 7 % 8] = -1e9f;
    if (*std::max_element(v.begin(), v.end()) < -138) continue;
    for (const unsigned there : {8u, 5u, 1u}) {
      if (*std::max_element(v.begin(), v.begin() + there) < -138) continue;
      const folded f = fold(v, there);
      CHECK(f.is_right);
      CHECK(f.sum == merged(v, there));
    }
  }
}

TEST_CASE("kept terms give the bits of softmax_term") {
  const std::vector<float> v{1, 2, -30, 4.5f, 0, -57, 3, 3.25f};
  const folded f = fold(v);
  REQUIRE_FALSE(f.is_lost);
  const auto function = wf::softmax_op::kept_function(f.sum);
  const wf::softmax_term term(f.sum);
  for (std::size_t k = 0; k < 8; ++k) CHECK(function(f.kept[k]) == term(v[k]));
}

TEST_CASE("terms that are too small are not kept") {
  CHECK(fold({0, 0, 0, 0, 0, 0, 0, -70}).is_lost);
  CHECK(fold({0, 0, 0, 0, 0, 0, 0, -infinity}).is_lost);
  CHECK_FALSE(fold({0, 0, 0, 0, 0, 0, 0, -60}).is_lost);
}

TEST_CASE("groups that are refused") {
  // Their exponents are those of numbers below 256, whose remainder is a float.
  CHECK_FALSE(fold(std::vector<float>(8, 256.000305f)).is_right);
  CHECK_FALSE(fold(std::vector<float>(8, 255.9f)).is_right);
  CHECK_FALSE(fold({0, 0, 0, 0, 0, 0, 0, 257}).is_right);
  CHECK_FALSE(fold({0, 0, 0, 0, 0, 0, 0, infinity}).is_right);
  CHECK_FALSE(fold({0, 0, NAN, 0, 0, 0, 0, 0}).is_right);
  CHECK_FALSE(fold(std::vector<float>(8, -infinity)).is_right);
  CHECK_FALSE(fold(std::vector<float>(8, -150)).is_right);
  CHECK(fold(std::vector<float>(8, -130)).is_right);
  CHECK(fold(std::vector<float>(8, 255.3f)).is_right);
}
