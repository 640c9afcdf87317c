// Folds along axes and of segments whose elements lie in shards on emulated GPUs: any shards give
// what the whole gives.
// needs: boost_context cccl
#include <warpfold/policy/sharded_groups.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cuda/std/mdspan>
#include <random>
#include <span>
#include <vector>

#include <warpfold/explain_axis.hpp>
#include <warpfold/explain_segments.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated_devices.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/sharded.hpp>
#include <warpfold/sum.hpp>

#include "contract/ranks.hpp"

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
using matrix = cs::mdspan<const float, cs::dextents<std::size_t, 2>>;
using strided = cs::mdspan<const float, cs::dextents<std::size_t, 3>, cs::layout_stride>;

std::vector<float> some_floats(std::size_t n, std::mt19937& random) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
  return v;
}

// Without an identity, and an accumulator that is not the result.
struct mean_of {
  struct state {
    double sum, count;
  };
  static state lift(float x) { return {static_cast<double>(x), 1}; }
  state operator()(const state& a, const state& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  double finish(const state& a) const { return a.sum / a.count; }
};

/// A cube, and parts of it along one axis on 1 to 4 GPUs.
struct cubes {
  std::mt19937 random{5};
  std::array<std::size_t, 3> extents{};
  std::vector<float> values;
  int gpus = 0;

  void draw() {
    gpus = 1 + static_cast<int>(random() % 4);
    for (auto& e : extents) e = 1 + random() % 7;
    values = some_floats(extents[0] * extents[1] * extents[2], random);
  }
  cube whole() const { return cube(values.data(), extents[0], extents[1], extents[2]); }
  auto shards(std::size_t axis) {
    const auto bounds = test::dealt(extents[axis], gpus, random);
    const std::array<std::size_t, 3> strides{extents[1] * extents[2], extents[2], 1};
    std::vector<strided> parts;
    for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
      auto own = extents;
      own[axis] = bounds[g + 1] - bounds[g];
      parts.emplace_back(
          values.data() + bounds[g] * strides[axis],
          strided::mapping_type(cs::dextents<std::size_t, 3>(own[0], own[1], own[2]),
                                cs::array<std::size_t, 3>{strides[0], strides[1], strides[2]}));
    }
    return wf::shards_of(parts);
  }
  template <int Axis, class Out, class Op>
  bool agrees(const Op& op) {
    const std::size_t results = values.size() / extents[Axis];
    std::vector<Out> expected(results), out(results);
    wf::reduce_axis<Axis>(wf::seq, whole(), op, expected);
    wf::reduce_axis<Axis>(wf::across(wf::emulated_devices(gpus)), shards(Axis), op, out);
    return out == expected;
  }
};

}  // namespace

TEST_CASE("any shards of the folded axis give the results of the whole") {
  cubes c;
  for (int i = 0; i < 12; ++i) {
    c.draw();
    CAPTURE(i);
    CAPTURE(c.gpus);
    // Eighths of small integers: sums are exact in any order.
    CHECK(c.agrees<0, float>(wf::plus{}));
    CHECK(c.agrees<1, std::size_t>(wf::arg(wf::maximum{})));
    CHECK(c.agrees<2, wf::indexed<float>>(wf::arg(wf::minimum{})));
    CHECK(c.agrees<1, double>(mean_of{}));
    CHECK(c.agrees<2, double>(wf::plus{}.exact()));
  }
}

TEST_CASE("expressions, several axes, several outputs and accumulate") {
  std::mt19937 random(3);
  const auto v = some_floats(84, random);
  const auto part = [&](std::size_t first, std::size_t last) {
    return cube(v.data() + first * 12, last - first, 3, 4);
  };
  const auto whole = part(0, 7);
  const auto gpus = wf::across(wf::emulated_devices(3));
  const auto parts = [&](const auto& f) {
    return wf::shards(f(part(0, 2)), f(part(2, 2)), f(part(2, 7)));
  };
  const auto squares = [](const cube& m) {
    return wf::project(wf::zip(m, m), [](float x, float y) { return x * y; });
  };
  const auto same = [](const cube& m) { return m; };
  std::vector<float> out(12), expected(12);
  wf::reduce_axis_async<0>(gpus, parts(squares), wf::plus{}, out);
  wf::reduce_axis<0>(wf::seq, squares(whole), wf::plus{}, expected);
  CHECK(out == expected);
  wf::reduce_axis<0>(gpus, parts(same), wf::plus{}, wf::accumulate(out));
  wf::reduce_axis<0>(wf::seq, whole, wf::plus{}, wf::accumulate(expected));
  CHECK(out == expected);

  std::vector<std::size_t> at(3), expected_at(3);
  wf::reduce_axes<0, 2>(gpus, parts(same), wf::arg(wf::minimum{}), at);
  wf::reduce_axes<0, 2>(wf::seq, whole, wf::arg(wf::minimum{}), expected_at);
  CHECK(at == expected_at);

  std::vector<float> sums(12);
  std::vector<std::size_t> places(12), expected_places(12);
  const auto both = [](auto& s, auto& p) {
    return wf::zip(cs::mdspan<float, cs::dextents<std::size_t, 2>>(s.data(), 3, 4),
                   cs::mdspan<std::size_t, cs::dextents<std::size_t, 2>>(p.data(), 3, 4));
  };
  const auto op = wf::all(wf::plus{}, wf::arg(wf::maximum{}));
  wf::reduce_axis<0>(gpus, parts(same), op, both(sums, places));
  wf::reduce_axis<0>(wf::seq, whole, op, both(expected, expected_places));
  CHECK(sums == expected);
  CHECK(places == expected_places);

  // Arrays remain ranges for the other calls.
  CHECK(wf::sum(gpus, parts(same)) == wf::sum(wf::seq, v));
}

TEST_CASE("any shards of segments give the results of the whole") {
  std::mt19937 random(6);
  for (int i = 0; i < 12; ++i) {
    const int count = 1 + static_cast<int>(random() % 4);
    std::vector<unsigned> offsets{static_cast<unsigned>(random() % 3)}, full = offsets;
    for (std::size_t s = random() % 30; s > 0; --s) {
      const auto length = static_cast<unsigned>(random() % 8 == 0 ? random() % 300 : random() % 4);
      offsets.push_back(offsets.back() + length);
      if (length != 0) full.push_back(offsets.back());
    }
    const auto v = some_floats(offsets.back() + random() % 3, random);
    const auto bounds = test::dealt(v.size(), count, random);
    std::vector<std::span<const float>> parts;
    for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
      parts.push_back(std::span(v).subspan(bounds[g], bounds[g + 1] - bounds[g]));
    }
    const auto shards = wf::shards_of(parts);
    const auto gpus = wf::across(wf::emulated_devices(count));
    CAPTURE(i);
    CAPTURE(count);
    const auto agrees = [&](auto out, const auto& segments, const auto&... op_and_init) {
      out.resize(segments.size() - 1);
      auto expected = out;
      wf::reduce_segments(wf::seq, v, segments, op_and_init..., expected);
      wf::reduce_segments(gpus, shards, segments, op_and_init..., out);
      return out == expected;
    };
    CHECK(agrees(std::vector<float>(), offsets, wf::plus{}));
    CHECK(agrees(std::vector<double>(), offsets, wf::plus{}, 0.5));
    CHECK(agrees(std::vector<double>(), offsets, [](double a, double b) { return a + b; }, 7.0));
    CHECK(agrees(std::vector<wf::indexed<float>>(), full, wf::arg(wf::minimum{})));
    CHECK(agrees(std::vector<std::size_t>(), full, wf::arg(wf::maximum{}).last()));
    CHECK(agrees(std::vector<double>(), full, mean_of{}));
    CHECK(agrees(std::vector<double>(), offsets, wf::plus{}.exact()));
  }
}

TEST_CASE("segments of one size, with gaps and overlaps, and accumulate") {
  std::mt19937 random(8);
  const auto v = some_floats(600, random);
  const wf::emulated_devices two(2);
  const wf::sharded<float> x(two, v);
  const auto gpus = wf::across(two);
  std::vector<float> out(200, 3), expected(200, 3);
  wf::reduce_segments(gpus, x, wf::segments_of_size(3), wf::plus{}, wf::accumulate(out));
  wf::reduce_segments(wf::seq, v, wf::segments_of_size(3), wf::plus{}, wf::accumulate(expected));
  CHECK(out == expected);
  const std::vector<int> begins{0, 100, 250, 590, 7}, ends{300, 100, 500, 600, 9};
  std::vector<float> five(5, 1), expected_five(5, 1);
  const auto segments = wf::segments_between(begins, ends);
  wf::reduce_segments(gpus, x, segments, wf::plus{}, wf::accumulate(five));
  wf::reduce_segments(wf::seq, v, segments, wf::plus{}, wf::accumulate(expected_five));
  CHECK(five == expected_five);
  std::vector<int> places(200), expected_places(200);
  const auto indexed = wf::with_range_index(wf::segments_of_size(3));
  wf::reduce_segments(gpus, x, indexed, wf::arg(wf::maximum{}), places);
  wf::reduce_segments(wf::seq, v, indexed, wf::arg(wf::maximum{}), expected_places);
  CHECK(places == expected_places);
  std::vector<wf::indexed<float>> best(5, {0, 3}), expected_best(5, {0, 3});
  wf::reduce_segments(gpus, x, wf::with_range_index(segments), wf::arg(wf::maximum{}),
                      wf::accumulate(best));
  wf::reduce_segments(wf::seq, v, wf::with_range_index(segments), wf::arg(wf::maximum{}),
                      wf::accumulate(expected_best));
  CHECK(best == expected_best);
}

TEST_CASE("no results, and no elements") {
  const auto gpus = wf::across(wf::emulated_devices(2));
  std::vector<float> none, out(3, 5);
  wf::reduce_axis<0>(gpus, wf::shards(matrix(nullptr, 1, 0), matrix(nullptr, 2, 0)), wf::plus{},
                     none);
  const auto no_rows = wf::shards(matrix(nullptr, 0, 3), matrix(nullptr, 0, 3));
  wf::reduce_axis<0>(gpus, no_rows, wf::plus{}, wf::accumulate(out));
  CHECK(out == std::vector<float>{5, 5, 5});
  wf::reduce_axis<0>(gpus, no_rows, wf::plus{}, out);
  CHECK(out == std::vector<float>{0, 0, 0});
  CHECK_THROWS_AS(wf::reduce_axis<0>(gpus, no_rows, mean_of{}, out), wf::empty_range);
  const std::vector<int> offsets{0, 0, 0, 0};
  const auto empty = wf::shards(none, none);
  wf::reduce_segments(gpus, empty, offsets, wf::plus{}, 2.0f, out);
  CHECK(out == std::vector<float>{2, 2, 2});
  CHECK_THROWS_AS(wf::reduce_segments(gpus, empty, offsets, mean_of{}, out), wf::empty_range);
}

TEST_CASE("bad arguments are named, and nothing is written") {
  const std::vector<float> v(12, 1);
  const auto gpus = wf::across(wf::emulated_devices(2));
  std::vector<float> out(3, 7);
  const auto text = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const wf::invalid_range& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  const auto has = [](const std::string& all, const char* part) {
    CAPTURE(all);
    CHECK(all.find(part) != std::string::npos);
  };
  has(text([&] { wf::reduce_axis<0>(gpus, wf::shards(matrix(v.data(), 4, 3)), wf::plus{}, out); }),
      "1 shards for 2 GPUs");
  has(text([&] {
        std::vector<float> six(6);
        wf::reduce_axis<0>(gpus, wf::shards(cube(v.data(), 1, 2, 3), cube(v.data(), 1, 3, 2)),
                           wf::plus{}, six);
      }),
      "shard 1 keeps an extent of 3, and shard 0 one of 2; pass parts of the folded axis");
  const auto all = std::span<const float>(v);
  const std::vector<int> beyond{0, 5, 9, 13};
  has(text([&] {
        wf::reduce_segments(gpus, wf::shards(all.first(4), all.last(8)), beyond, wf::plus{}, out);
      }),
      "segment 2 begins at 9 and ends at 13, but the range has 12 elements");
  const wf::emulated_devices two(2);
  const wf::sharded<float> blocks(two, v, wf::block_cyclic(2));
  const std::vector<int> offsets{0, 5, 9, 12};
  has(text([&] { wf::reduce_segments(gpus, blocks, offsets, wf::plus{}, out); }),
      "segments need contiguous ones");
  CHECK(out == std::vector<float>{7, 7, 7});
}

TEST_CASE("explain tells what the GPUs run and what travels") {
  const std::vector<float> v(70);
  const auto part = [&](std::size_t first, std::size_t last) {
    return matrix(v.data() + first * 10, last - first, 10);
  };
  const auto gpus = wf::across(wf::emulated_devices(3));
  const auto parts = wf::shards(part(0, 2), part(2, 2), part(2, 7));
  const auto axis = wf::explain_axis<0>(gpus, parts, wf::arg(wf::maximum{}));
  const auto largest = wf::explain_axis<0>(wf::emulated, part(2, 7), wf::arg(wf::maximum{}));
  CHECK(axis.ranks == 3);
  CHECK(axis.local == "emulated");
  CHECK(axis.exchange == "copies to the GPU that writes");
  CHECK(axis.bytes_sent == 10 * sizeof(wf::indexed<float>));
  CHECK(axis.elements == 70);
  CHECK(axis.bytes == 280);
  CHECK(axis.shard_bytes == 200);
  CHECK(axis.bytes_written == 10 * sizeof(wf::indexed<float>));
  CHECK(axis.kernel == largest.kernel);
  CHECK(axis.grid == largest.grid);
  CHECK(axis.launches == largest.launches + 1);  // and the one that combines
  const auto kept = wf::shards(part(0, 2), part(2, 2), matrix(v.data(), 5, 9));
  CHECK_THROWS_AS((void)wf::explain_axis<0>(gpus, kept, wf::plus{}), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::explain_axis<0>(gpus, wf::shards(part(0, 7)), wf::plus{}),
                  wf::invalid_range);
  const auto none =
      wf::shards(matrix(v.data(), 2, 0), matrix(v.data(), 2, 0), matrix(v.data(), 2, 0));
  CHECK(wf::explain_axis<0>(gpus, none, wf::plus{}).kernel == "none");
  const auto empty = wf::shards(part(0, 0), part(0, 0), part(0, 0));
  CHECK(wf::explain_axis<0>(gpus, empty, wf::plus{}).bytes_sent == 0);

  const std::span<const float> all(v);
  const std::vector<int> offsets{0, 10, 70};
  const auto ranges = wf::shards(all.first(20), all.subspan(20, 0), all.subspan(20));
  const auto segments = wf::explain_segments(gpus, ranges, offsets, wf::plus{});
  CHECK(segments.ranks == 3);
  CHECK(segments.local == "emulated");
  CHECK(segments.exchange == "copies to the GPU that writes");
  CHECK(segments.bytes_sent == 2 * sizeof(float));
  CHECK(segments.elements == 70);
  CHECK(segments.bytes == 280 + 12);
  CHECK(segments.shard_bytes == 200);
  CHECK(segments.bytes_written == 8);
  CHECK(segments.launches == 2);
  CHECK_FALSE(segments.kernel.empty());
  CHECK_THROWS_AS((void)wf::explain_segments(gpus, wf::shards(v), offsets, wf::plus{}),
                  wf::invalid_range);
}
