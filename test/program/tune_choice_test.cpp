// `warpfold tune` converts measurements to few rows, all of them fast, and prefers the built-in
// launch where it is as fast.
#include <tune.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;
using wf::program::tuned_size;

namespace {

constexpr std::size_t kb = 1024;

constexpr wf::tuning::row one{0, 512, 1, wf::caching::keep};
constexpr wf::tuning::row two{0, 512, 2, wf::caching::keep};
constexpr wf::tuning::row four{0, 1024, 4, wf::caching::stream};

wf::device_info some_gpu() {
  wf::device_info gpu;
  gpu.compute_capability = 90;
  gpu.multiprocessors = 132;
  gpu.l2_bytes = std::size_t{50} << 20;
  return gpu;
}

/// A size with the times of `one`, `two` and `four`; `own` is the built-in launch.
tuned_size size_of(std::size_t bytes, double s1, double s2, double s4,
                   const wf::tuning::row& own = four) {
  return {bytes, own, {{one, s1}, {two, s2}, {four, s4}}};
}

wf::tuning choose(const std::vector<tuned_size>& sizes) {
  const wf::tuning t = wf::program::choose_tuning(some_gpu(), sizes);
  t.check_for(some_gpu());
  return t;
}

bool is(const wf::tuning::row& r, std::size_t from, wf::tuning::row launch) {
  launch.from_bytes = from;
  return r == launch;
}

}  // namespace

TEST_CASE("a row starts where the one before is slower, halfway from the size before") {
  const wf::tuning t = choose({size_of(128 * kb, 1.0, 1.1, 1.2), size_of(192 * kb, 1.0, 1.1, 1.2),
                               size_of(256 * kb, 1.1, 1.0, 1.2), size_of(384 * kb, 1.3, 1.2, 1.1)});
  REQUIRE(t.count == 3);
  CHECK(is(t.rows[0], 0, one));
  CHECK(is(t.rows[1], 224 * kb, two));
  CHECK(is(t.rows[2], 320 * kb, four));
}

TEST_CASE("differences within the noise start no new row") {
  CHECK(choose({size_of(128 * kb, 1.0, 1.1, 1.2), size_of(192 * kb, 1.014, 1.0, 1.2)}).count == 1);
  CHECK(choose({size_of(128 * kb, 1.0, 1.1, 1.2), size_of(192 * kb, 1.016, 1.0, 1.2)}).count == 2);
}

TEST_CASE("the library's own launch, where it is as good as the best") {
  const wf::tuning t = choose({size_of(128 * kb, 1.01, 1.0, 1.2, one)});
  CHECK(is(t.rows[0], 0, one));
  CHECK(is(choose({size_of(128 * kb, 1.02, 1.0, 1.2, one)}).rows[0], 0, two));
  CHECK(is(choose({size_of(128 * kb, 1.01, 1.0, 1.2, four)}).rows[0], 0, two));
}

TEST_CASE("a launch that was not measured at a size does not go on there") {
  const wf::tuning t =
      choose({size_of(128 * kb, 1.2, 1.1, 1.0), {192 * kb, one, {{one, 1.0}, {two, 0.9}}}});
  REQUIRE(t.count == 2);
  CHECK(is(t.rows[1], 160 * kb, two));
}

TEST_CASE("more rows than a table holds: small differences count as noise") {
  std::vector<tuned_size> sizes;
  for (std::size_t i = 0; i < 20;
       ++i) {  // each size has another best launch, by 2 %; one of them by 50 %
    const double loss = i == 11 ? 1.5 : 1.02;
    const bool even = i % 2 == 0;
    sizes.push_back(size_of((i + 1) * 128 * kb, even ? 1.0 : loss, even ? loss : 1.0, 2.0));
  }
  const wf::tuning t = choose(sizes);
  REQUIRE(t.count == 2);
  CHECK(is(t.rows[0], 0, one));
  CHECK(is(t.rows[1], 1472 * kb, two));

  // Launches measured at only one size make one row each, whatever the noise is.
  std::vector<tuned_size> apart;
  for (std::size_t i = 0; i < 20; ++i) {
    const wf::tuning::row r{0, 32 * static_cast<unsigned>(i + 1), 1, wf::caching::keep};
    apart.push_back({(i + 1) * 128 * kb, r, {{r, 1.0}}});
  }
  CHECK(choose(apart).count == wf::tuning::max_rows);
}
