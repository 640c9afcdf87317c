// Folds along axes and of segments across ranks: any split gives what the whole gives, and faults
// reach every rank.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include <warpfold/policy/across_groups.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cuda/std/mdspan>
#include <numeric>
#include <span>
#include <stdexcept>

#include <warpfold/explain_axis.hpp>
#include <warpfold/explain_segments.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>

#include "contract/ranks.hpp"

namespace wf = warpfold;
namespace cs = cuda::std;
using test::dealt;
using test::on_ranks;
using test::part_of;

namespace {

using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
using matrix = cs::mdspan<const float, cs::dextents<std::size_t, 2>>;

std::vector<float> some_floats(std::size_t n, std::mt19937& random) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
  return v;
}

// Associative, but not commutative, and without an identity: the first and the last digit, and
// whether all pairs of neighbors ascend.
struct ascending {
  struct state {
    long long first, last;
    bool is;
    bool operator==(const state&) const = default;
  };
  template <class>
  using accumulator = state;
  WARPFOLD_HD state lift(const float& x) const {
    return {static_cast<int>(x), static_cast<int>(x), true};
  }
  // Not inlined, and returned in memory: it sees its operands change if its result overwrites them.
  [[gnu::noinline]] WARPFOLD_HD state operator()(const state& a, const state& b) const {
    return {a.first, b.last, a.is && b.is && a.last <= b.first};
  }
};

// An op whose accumulator is not its result.
struct mean_of {
  struct state {
    double sum, count;
  };
  static WARPFOLD_HD state lift(float x) { return {static_cast<double>(x), 1}; }
  WARPFOLD_HD state operator()(const state& a, const state& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  WARPFOLD_HD double finish(const state& a) const { return a.sum / a.count; }
};

// The elements of a row-major cube whose index in dimension `axis` is `first` to `last - 1`.
std::vector<float> slab(const std::vector<float>& whole, const std::array<std::size_t, 3>& extents,
                        std::size_t axis, std::size_t first, std::size_t last) {
  std::vector<float> part;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::size_t index[] = {i / extents[2] / extents[1], i / extents[2] % extents[1],
                                 i % extents[2]};
    if (index[axis] >= first && index[axis] < last) part.push_back(whole[i]);
  }
  return part;
}

struct cubes {
  std::mt19937 random{7};
  std::array<std::size_t, 3> extents{};
  std::vector<float> values;
  int ranks = 0;

  void draw(std::size_t most) {
    ranks = 1 + static_cast<int>(random() % 6);
    for (auto& e : extents) e = 1 + random() % most;
    values = some_floats(extents[0] * extents[1] * extents[2], random);
  }
  cube whole() const { return cube(values.data(), extents[0], extents[1], extents[2]); }

  // Whether all ranks get the bits that `seq` gives for the whole.
  template <std::size_t Axis, class Out, class Local, class Op>
  bool agrees(const Local& local, const Op& op) {
    const std::size_t results = extents[Axis] == 0 ? 0 : values.size() / extents[Axis];
    const auto bounds = dealt(extents[Axis], ranks, random);
    std::vector<Out> expected(results);
    wf::reduce_axis<static_cast<int>(Axis)>(wf::seq, whole(), op, expected);
    return on_ranks(ranks,
                    [&](auto rank) {
                      const auto r = static_cast<std::size_t>(rank.rank());
                      const auto part = slab(values, extents, Axis, bounds[r], bounds[r + 1]);
                      auto own = extents;
                      own[Axis] = bounds[r + 1] - bounds[r];
                      std::vector<Out> out(results);
                      wf::reduce_axis<static_cast<int>(Axis)>(
                          wf::across(rank, local), cube(part.data(), own[0], own[1], own[2]), op,
                          out);
                      return out;
                    })
        .all_are(expected);
  }
};

struct segments {
  std::mt19937 random{11};
  std::vector<float> values;
  std::vector<unsigned> offsets;
  std::vector<std::size_t> bounds;
  int ranks = 0;

  void draw(std::size_t longest, std::size_t count, bool has_empty_ones) {
    ranks = 1 + static_cast<int>(random() % 6);
    offsets = {static_cast<unsigned>(random() % 3)};
    for (std::size_t s = 0; s < count; ++s) {
      const auto length = random() % 8 == 0 ? random() % longest : random() % 4;
      offsets.push_back(offsets.back() +
                        static_cast<unsigned>(has_empty_ones || length != 0 ? length : 1));
    }
    values = some_floats(offsets.back() + random() % 3, random);
    bounds = dealt(values.size(), ranks, random);
  }
  template <class Out, class Local, class... Args>
  bool agrees(const Local& local, const Args&... op_and_init) {
    std::vector<Out> expected(offsets.size() - 1);
    wf::reduce_segments(wf::seq, values, offsets, op_and_init..., expected);
    return on_ranks(ranks,
                    [&](auto rank) {
                      std::vector<Out> out(expected.size());
                      wf::reduce_segments(wf::across(rank, local),
                                          part_of(values, bounds, rank.rank()), offsets,
                                          op_and_init..., out);
                      return out;
                    })
        .all_are(expected);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("any split of the folded axis gives the results of the whole", Local,
                   wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  constexpr bool is_slow = std::is_same_v<Local, wf::emulated_policy<>>;
  cubes c;
  for (int i = 0; i < (is_slow ? 3 : 20); ++i) {
    c.draw(is_slow ? 5 : i % 5 == 0 ? 60 : 9);
    CAPTURE(i);
    CAPTURE(c.ranks);
    // Eighths of small integers: sums are exact in any order.
    CHECK(c.agrees<0, float>(Local{}, wf::plus{}));
    CHECK(c.agrees<1, std::size_t>(Local{}, wf::arg(wf::maximum{})));
    CHECK(c.agrees<2, wf::indexed<float>>(Local{}, wf::arg(wf::minimum{})));
    if constexpr (!is_slow) {  // to compile, too
      CHECK(c.agrees<1, double>(Local{}, wf::plus{}));
      CHECK(c.agrees<2, float>(Local{}, wf::maximum{}));
      CHECK(c.agrees<0, double>(Local{}, mean_of{}));
      CHECK(c.agrees<2, double>(Local{}, wf::plus{}.exact()));
    }
    if constexpr (std::is_same_v<Local, wf::seq_policy>) {
      CHECK(c.agrees<0, ascending::state>(Local{}, ascending{}));
      CHECK(c.agrees<2, ascending::state>(Local{}, ascending{}));
    }
  }
}

TEST_CASE("rounded sums along an axis are near those of the whole, with the same bits everywhere") {
  std::mt19937 random(4);
  std::vector<float> values(200 * 30);
  for (auto& x : values) x = static_cast<float>(random()) / 3e9f;
  std::vector<double> expected(30);
  wf::reduce_axis<0>(wf::seq, matrix(values.data(), 200, 30), wf::plus{}, expected);
  const auto bounds = dealt(200, 4, random);
  const auto all = on_ranks(4, [&](auto rank) {
    const auto r = static_cast<std::size_t>(rank.rank());
    std::vector<float> out(30);
    wf::reduce_axis<0>(wf::across(rank, wf::par),
                       matrix(values.data() + bounds[r] * 30, bounds[r + 1] - bounds[r], 30),
                       wf::plus{}, out);
    return out;
  });
  REQUIRE(all.all_are(all.values[0]));
  for (std::size_t i = 0; i < 30; ++i) {
    CHECK(all.values[0][i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("ranks may have other strides, and outputs of their own strides") {
  cubes c;
  c.extents = {4, 3, 5};
  c.values = some_floats(60, c.random);
  std::vector<float> expected(12);
  wf::reduce_axis<2>(wf::seq, c.whole(), wf::plus{}, expected);
  const auto all = on_ranks(2, [&](auto rank) {
    const std::size_t first = rank.rank() == 0 ? 0 : 2, last = rank.rank() == 0 ? 2 : 5;
    const auto part = slab(c.values, c.extents, 2, first, last);
    std::vector<float> out(12);
    using extents = cs::dextents<std::size_t, 2>;
    const extents kept(4, 3);
    if (rank.rank() == 0) {
      const cube in(part.data(), 4, 3, 2);
      wf::reduce_axis<2>(wf::across(rank), in, wf::plus{},
                         cs::mdspan<float, extents, cs::layout_right>(out.data(), kept));
      return out;
    }
    std::vector<float> turned(36), other(12);
    for (std::size_t i = 0; i < 36; ++i) turned[i / 9 + i / 3 % 3 * 4 + i % 3 * 12] = part[i];
    const cs::mdspan<const float, cs::dextents<std::size_t, 3>, cs::layout_left> in(turned.data(),
                                                                                    4, 3, 3);
    wf::reduce_axis<2>(wf::across(rank), in, wf::plus{},
                       cs::mdspan<float, extents, cs::layout_left>(other.data(), kept));
    for (std::size_t i = 0; i < 12; ++i) out[i] = other[i / 3 + i % 3 * 4];
    return out;
  });
  CHECK(all.all_are(expected));
}

TEST_CASE("expressions, several axes and several outputs") {
  cubes c;
  c.extents = {7, 3, 4};
  c.values = some_floats(84, c.random);
  const auto bounds = dealt(7, 3, c.random);
  const auto with_part = [&](auto rank, const auto& f) {
    const auto r = static_cast<std::size_t>(rank.rank());
    const float* const first = c.values.data() + bounds[r] * 12;
    return f(wf::across(rank, wf::par), cube(first, bounds[r + 1] - bounds[r], 3, 4));
  };
  const auto check = [&](const auto& f) {
    const auto expected = f(wf::seq, c.whole());
    CHECK(on_ranks(3, [&](auto rank) { return with_part(rank, f); }).all_are(expected));
  };
  check([](const auto& policy, const cube& m) {  // one array, projected
    std::vector<wf::indexed<float>> out(12);
    const auto negative = wf::project(m, [](float x) { return -x; });
    wf::reduce_axis<0>(policy, negative, wf::arg(wf::maximum{}), out);
    return out;
  });
  check([](const auto& policy, const cube& m) {  // of two arrays
    std::vector<float> out(12);
    const auto squares = wf::project(wf::zip(m, m), [](float x, float y) { return x * y; });
    wf::reduce_axis_async<0>(policy, squares, wf::plus{}, out);
    return out;
  });
  check([](const auto& policy, const cube& m) {  // the index counts the elements of both axes
    std::vector<std::size_t> out(3);
    wf::reduce_axes<0, 2>(policy, m, wf::arg(wf::minimum{}), out);
    return out;
  });
  check([](const auto& policy, const cube& m) {
    std::vector<float> sums(12);
    std::vector<std::size_t> places(12);
    const cs::mdspan<float, cs::dextents<std::size_t, 2>> to(sums.data(), 3, 4);
    const cs::mdspan<std::size_t, cs::dextents<std::size_t, 2>> at(places.data(), 3, 4);
    wf::reduce_axis<0>(policy, m, wf::all(wf::plus{}, wf::arg(wf::maximum{})), wf::zip(to, at));
    return std::pair(sums, places);
  });
}

TEST_CASE("accumulate combines once with what each rank's output holds") {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const auto all = on_ranks(3, [&](auto rank) {
    const std::size_t rows = rank.rank() == 1 ? 0 : rank.rank() == 0 ? 1 : 2;
    const matrix part(values.data() + (rank.rank() == 0 ? 0 : 2), rows, 2);
    std::vector<float> out{100, 200}, sums{10, 20, 30};
    wf::reduce_axis<0>(wf::across(rank), part, wf::plus{}, wf::accumulate(out));
    wf::reduce_axis<0>(wf::across(rank), matrix(nullptr, 0, 2), wf::plus{}, wf::accumulate(out));
    const std::vector<int> offsets{0, 1, 1, 3};
    wf::reduce_segments(wf::across(rank), std::vector<float>{1}, offsets, wf::plus{},
                        wf::accumulate(sums));
    out.insert(out.end(), sums.begin(), sums.end());
    return out;
  });
  CHECK(all.all_are({109, 212, 11, 20, 32}));
}

TEST_CASE("results larger than one exchange") {
  const std::size_t columns = 150000;  // 1.2 MB of doubles
  std::vector<double> values(columns * 2);
  std::iota(values.begin(), values.end(), 0.0);
  const auto all = on_ranks(3, [&](auto rank) {
    const std::size_t rows = rank.rank() == 1 ? 0 : 1;
    const cs::mdspan<const double, cs::dextents<std::size_t, 2>> part(
        values.data() + (rank.rank() == 2 ? columns : 0), rows, columns);
    std::vector<double> out(columns);
    wf::reduce_axis<0>(wf::across(rank), part, [](double a, double b) { return a - b; }, out);
    return out;
  });
  std::vector<double> expected(columns, -static_cast<double>(columns));
  CHECK(all.all_are(expected));
}

TEST_CASE_TEMPLATE("any split of segments gives the results of the whole", Local, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  constexpr bool is_slow = std::is_same_v<Local, wf::emulated_policy<>>;
  segments s;
  for (int i = 0; i < (is_slow ? 3 : 40); ++i) {
    s.draw(is_slow ? 100 : i % 10 == 0 ? 60000 : 200, s.random() % (is_slow ? 20 : 90), true);
    CAPTURE(i);
    CAPTURE(s.ranks);
    CHECK(s.agrees<float>(Local{}, wf::plus{}));
    CHECK(s.agrees<wf::indexed<float>>(Local{}, wf::arg(wf::minimum{})));
    if constexpr (!is_slow) {  // to compile, too
      CHECK(s.agrees<double>(Local{}, wf::plus{}, 0.5));
      CHECK(s.agrees<double>(Local{}, [](double a, double b) { return a + b; }, 7.0));
      CHECK(s.agrees<double>(Local{}, wf::plus{}.exact()));
    }
    s.draw(50, 20, false);
    CHECK(s.agrees<std::size_t>(Local{}, wf::arg(wf::maximum{}).last()));
    if constexpr (std::is_same_v<Local, wf::seq_policy>) {
      CHECK(s.agrees<ascending::state>(Local{}, ascending{}));
      CHECK(s.agrees<double>(Local{}, mean_of{}));
    }
  }
}

TEST_CASE("a segment may lie on many ranks") {
  const std::vector<int> offsets{0, 1, 6, 6};
  const auto all = on_ranks(6, [&](auto rank) {
    const std::vector<float> part(rank.rank() == 3   ? 0
                                  : rank.rank() == 5 ? 2
                                                     : 1,
                                  static_cast<float>(10 - rank.rank()));
    std::vector<std::size_t> out(3, 77);
    wf::reduce_segments(wf::across(rank), part, offsets, wf::arg(wf::minimum{}), out);
    std::vector<std::size_t> in_whole(3, 77);
    wf::reduce_segments(wf::across(rank), part, wf::with_range_index(offsets),
                        wf::arg(wf::minimum{}), in_whole);
    out.insert(out.end(), in_whole.begin(), in_whole.end());
    return out;
  });
  CHECK(all.values[4][0] == 0);
  CHECK(all.values[4][1] == 3);
  CHECK(all.values[4][3] == 0);
  CHECK(all.values[4][4] == 4);
  CHECK(all.values[4][5] == wf::indexed<float>::nowhere);
  CHECK(all.all_are(all.values[0]));
}

TEST_CASE("more segments than fit one exchange are combined in rank order") {
  // The segment at the ends of the ranks is the last one of a long list and the first one of
  // others.
  std::vector<float> values(450000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
  std::vector<int> offsets(150001);
  for (std::size_t s = 0; s < offsets.size(); ++s) offsets[s] = static_cast<int>(3 * s);
  const std::vector<std::size_t> bounds{0, 300001, 300001, 300002, values.size()};
  std::vector<ascending::state> expected(150000);
  wf::reduce_segments(wf::seq, values, offsets, ascending{}, expected);
  const auto all = on_ranks(4, [&](auto rank) {
    std::vector<ascending::state> out(150000);
    wf::reduce_segments(wf::across(rank), part_of(values, bounds, rank.rank()), offsets,
                        ascending{}, out);
    return out;
  });
  CHECK(all.all_are(expected));
}

TEST_CASE("no results, and no elements") {
  const std::vector<float> none;
  CHECK(on_ranks(3, [&](auto rank) {
          std::vector<float> out;
          wf::reduce_axis<0>(wf::across(rank), matrix(nullptr, 2, 0), wf::plus{}, out);
          wf::reduce_segments(wf::across(rank), none, std::vector<int>{}, wf::plus{}, out);
          wf::reduce_segments(wf::across(rank), none, std::vector<int>{0}, wf::plus{}, out);
          return out.size();
        }).all_are(0));
  CHECK(on_ranks(3, [&](auto rank) {
          std::vector<float> out(2, 5), sums(2, 5);
          wf::reduce_axis<0>(wf::across(rank), matrix(nullptr, 0, 2), wf::plus{}, out);
          const std::vector<int> offsets{0, 0, 0};
          wf::reduce_segments(wf::across(rank), none, offsets, wf::plus{}, sums);
          return out == std::vector<float>(2) && sums == out;
        }).all_are(true));
  const auto axis = on_ranks(3, [&](auto rank) {
    std::vector<ascending::state> out(2);
    wf::reduce_axis<0>(wf::across(rank), matrix(nullptr, 0, 2), ascending{}, out);
    return 0;
  });
  const auto empty_segment = on_ranks(3, [&](auto rank) {
    std::vector<ascending::state> out(2);
    const std::vector<int> offsets{0, 3, 3};
    wf::reduce_segments(wf::across(rank), std::vector<float>{1}, offsets, ascending{}, out);
    return 0;
  });
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(axis.thrown_by<wf::empty_range>(r).starts_with(
        "warpfold: cannot fold along an axis of extent 0"));
    CHECK(empty_segment.thrown_by<wf::empty_range>(r).starts_with("warpfold: segment 1 is empty"));
  }
}

TEST_CASE("a rank that throws makes the call throw on every rank, and nothing is written") {
  const std::vector<float> values{1, 2, 3, 4};
  wf::thread_ranks group(3, 20);
  const auto expect = [&](const auto& f, auto own_error, const char* own) {
    using own_type = decltype(own_error);
    std::atomic<int> written{0};
    const auto all = on_ranks(group, [&](auto rank) {
      std::vector<float> out(2, -7);
      try {
        f(rank, out);
      } catch (...) {
        for (const float x : out) written += x != -7;
        throw;
      }
      return 0;
    });
    CHECK(written == 0);
    CHECK(all.template thrown_by<own_type>(1).find(own) != std::string::npos);
    for (const std::size_t r : {0, 2}) {
      const std::string text = all.template thrown_by<wf::rank_error>(r);
      CHECK(text.starts_with("warpfold: rank 1 of 3 threw: "));
      CHECK(text.find(own) != std::string::npos);
    }
  };
  const std::vector<int> offsets{0, 5, 12};
  const auto add = [](bool throws) {
    return [throws](float a, float b) {
      if (throws) throw std::runtime_error("out of ink");
      return a + b;
    };
  };
  expect(
      [&](auto rank, auto& out) {
        wf::reduce_axis<0>(wf::across(rank), matrix(values.data(), 2, 2), add(rank.rank() == 1),
                           out);
      },
      std::runtime_error(""), "out of ink");
  expect(  // where the ranks' accumulators are combined
      [&](auto rank, auto& out) {
        wf::reduce_axis<0>(wf::across(rank), matrix(values.data(), 1, 2), add(rank.rank() == 1),
                           out);
      },
      std::runtime_error(""), "out of ink");
  expect(
      [&](auto rank, auto& out) {
        wf::reduce_segments(wf::across(rank), values, offsets, add(rank.rank() == 1), out);
      },
      std::runtime_error(""), "out of ink");
  expect(
      [&](auto rank, auto& out) {
        wf::reduce_axis<0>(wf::across(rank),
                           matrix(rank.rank() == 1 ? nullptr : values.data(), 2, 2), wf::plus{},
                           out);
      },
      wf::invalid_range(""), "the input is a null pointer");
  expect(
      [&](auto rank, auto& out) {
        wf::reduce_segments(wf::across(rank),
                            std::span(rank.rank() == 1 ? nullptr : values.data(), 4), offsets,
                            wf::plus{}, out);
      },
      wf::invalid_range(""), "the range is a null pointer");
  expect(  // before the policy has the work
      [&](auto rank, auto& out) {
        std::vector<float> large(5);
        wf::reduce_axis<0>(wf::across(rank), matrix(values.data(), 2, 2), wf::plus{},
                           rank.rank() == 1 ? large : out);
      },
      wf::invalid_range(""), "the output has 5 elements");
  expect(
      [&](auto rank, auto& out) {
        std::vector<float> large(5);
        wf::reduce_segments(wf::across(rank), values, offsets, wf::plus{},
                            rank.rank() == 1 ? large : out);
      },
      wf::invalid_range(""), "5");
  expect(
      [&](auto rank, auto& out) {
        const auto policy = wf::across(rank);
        wf::reduce_axis<0>(rank.rank() == 1 ? policy.starting_at(4) : policy,
                           matrix(values.data(), 2, 2), wf::plus{}, out);
      },
      wf::invalid_argument(""), "starting_at");
  // The group stays usable.
  CHECK(on_ranks(group, [&](auto rank) {
          std::vector<float> out(2);
          wf::reduce_segments(wf::across(rank), values, offsets, wf::plus{}, out);
          return out;
        }).all_are({11, 19}));
}

TEST_CASE("ranks that make different calls are told so") {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<int> offsets{0, 9, 18};
  wf::thread_ranks group(3, 20);
  const auto expect = [&](const auto& f, const char* text) {
    const auto all = on_ranks(group, [&](auto rank) {
      f(wf::across(rank), rank.rank() == 1);
      return 0;
    });
    for (std::size_t r = 0; r < 3; ++r) {
      const std::string thrown = all.template thrown_by<wf::rank_error>(r);
      CAPTURE(thrown);
      CHECK(thrown.starts_with("warpfold: rank 1 of 3 "));
      CHECK(thrown.find(text) != std::string::npos);
    }
  };
  const matrix m(values.data(), 3, 2);
  expect(
      [&](const auto& policy, bool other) {
        std::vector<float> out(2);
        if (other) {
          wf::reduce_axis<0>(policy, m, wf::maximum{}, out);
        } else {
          wf::reduce_axis<0>(policy, m, wf::plus{}, out);
        }
      },
      "makes another call than rank 0");
  expect(
      [&](const auto& policy, bool other) {
        std::vector<float> out(2);
        if (other) {
          wf::reduce_segments(policy, values, offsets, wf::plus{}, out);
        } else {
          wf::reduce_axis<0>(policy, m, wf::plus{}, out);
        }
      },
      "makes another call than rank 0");
  expect(
      [&](const auto& policy, bool other) {
        if (other) {
          (void)wf::reduce(policy, values);
        } else {
          std::vector<float> out(2);
          wf::reduce_segments(policy, values, offsets, wf::plus{}, out);
        }
      },
      "makes another call than rank 0");
  expect(
      [&](const auto& policy, bool other) {
        std::vector<float> out(other ? 3 : 2);
        wf::reduce_axis<0>(policy, other ? matrix(values.data(), 2, 3) : m, wf::plus{}, out);
      },
      "keeps other extents than rank 0");
  expect(
      [&](const auto& policy, bool other) {
        std::vector<float> out(2);
        wf::reduce_segments(policy, values, other ? std::vector{0, 8, 18} : offsets, wf::plus{},
                            out);
      },
      "passes other offsets than rank 0");
  expect(
      [&](const auto& policy, bool other) {
        std::vector<float> out(other ? 3 : 2);
        wf::reduce_segments(policy, values, other ? std::vector{0, 8, 9, 18} : offsets, wf::plus{},
                            out);
      },
      "passes other offsets than rank 0");
  expect(
      [&](const auto& policy, bool other) {
        std::vector<float> out(2);
        wf::reduce_segments(policy, values, offsets, wf::plus{}, other ? 1.0f : 2.0f, out);
      },
      "passes another init than rank 0");
}

TEST_CASE("offsets beyond the ranks' elements are an error on every rank") {
  const auto all = on_ranks(2, [](auto rank) {
    std::vector<float> out(2);
    const std::vector<int> offsets{0, 2, 5};
    wf::reduce_segments(wf::across(rank), std::vector<float>{1, 2}, offsets, wf::plus{}, out);
    return 0;
  });
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(all.thrown_by<wf::invalid_range>(r).starts_with(
        "warpfold: segment 1 begins at 2 and ends at 5, but the range has 4 elements"));
  }
}

TEST_CASE("the plan says what travels") {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  wf::thread_ranks group(4);  // nobody else calls: explain exchanges nothing
  const auto policy = wf::across(group[0], wf::par);
  const auto axis = wf::explain_axis<0>(policy, matrix(values.data(), 3, 2), wf::plus{});
  CHECK(axis.ranks == 4);
  CHECK(axis.local == "par");
  CHECK(axis.bytes_sent == 3 * 128 + 2 * sizeof(float));
  CHECK(axis.exchange == "all-gathers");
  const std::vector<int> offsets{0, 9, 18};
  const auto folds = wf::explain_segments(policy, values, offsets, wf::plus{});
  CHECK(folds.ranks == 4);
  CHECK(folds.bytes_sent == 3 * 128 + 2 * sizeof(float));
  CHECK(folds.exchange == "all-gathers");
}
