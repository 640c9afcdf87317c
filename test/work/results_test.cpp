// How work writes its results: what an output holds for a fold, which outputs can hold it, and
// which memory overlaps.
#include <warpfold/work/results.hpp>

#include <doctest/doctest.h>

#include <tuple>
#include <utility>

#include <warpfold/op/arg.hpp>

namespace wf = warpfold;
using namespace wf::detail;

TEST_CASE("an output of integers holds the index of a value with an index") {
  const wf::indexed<float> best{2.5f, 7};
  CHECK(held_result<int>(best) == 7);
  CHECK(held_result<wf::indexed<float>>(best).value == 2.5f);
  static_assert(holds_result<long, wf::indexed<float>>());
  static_assert(!holds_result<float, wf::indexed<float>>());
  static_assert(holds_result<double, float>());
  static_assert(!holds_result<int*, float>());
}

// A mean without weights, whose fold and result have different types.
struct sum_to_average {
  double operator()(double a, double b) const { return a + b; }
  float finish(double a) const { return static_cast<float>(a / 4); }
};

// The same with a class as the fold.
struct state {
  double sum, count;
};
struct sums_to_average {
  state operator()(const state& a, const state& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  double finish(const state& s) const { return s.sum / s.count; }
};

TEST_CASE(
    "an output holds the finished result, unless it has the type of a class that was folded") {
  CHECK(result_as<double>(sum_to_average{}, 10.0) == 2.5);
  CHECK(result_as<float>(sum_to_average{}, 10.0) == 2.5f);
  CHECK(result_as<int>(sum_to_average{}, 10.0) == 2);
  CHECK(result_as<double, true>(sum_to_average{}, 10.0) == 10.0);
  CHECK(result_as<state>(sums_to_average{}, state{10, 4}).sum == 10);
  CHECK(result_as<double>(sums_to_average{}, state{10, 4}) == 2.5);
  CHECK(part_of_result_as<double>(2.5f, 10.0) == 2.5);
  CHECK(part_of_result_as<double, true>(2.5f, 10.0) == 10.0);
  CHECK(part_of_result_as<state>(2.5, state{10, 4}).count == 4);
}

TEST_CASE("outputs whose elements can hold the results") {
  CHECK(check_result<double, double, float>());
  CHECK(check_result<int, double, float>());
  using results = wf::tuple<float, wf::indexed<float>>;
  CHECK(check_results<results, results, float, int>());
}

namespace {

struct add_both {
  wf::tuple<int, double> operator()(const wf::tuple<int, double>& a,
                                    const wf::tuple<int, double>& b) const {
    return {a.head + b.head, get<1>(a) + get<1>(b)};
  }
};

// Work with outputs of `long` and `float`.
template <class Op>
struct two_outputs {
  mutable std::tuple<long, float> out;
  Op op;

  template <std::size_t At, class T>
  void store(int, const T& x, int) const {
    std::get<At>(out) = x;
  }
  template <std::size_t At>
  auto held(int) const {
    return std::get<At>(out);
  }
};

}  // namespace

TEST_CASE("each output gets its part, and accumulate(out) holds the parts of an accumulator") {
  using both = wf::tuple<int, double>;
  constexpr std::index_sequence<0> one;
  constexpr std::index_sequence<0, 1> two;
  const two_outputs<add_both> adds{};
  write_results<false, long, float>(adds, 0, both{3, {2.5}}, 0, two);
  CHECK(adds.out == std::tuple(3, 2.5f));
  CHECK(accumulator_of_held<both>(adds, 0, two) == both{3, {2.5}});
  CHECK(accumulator_of_held<double>(adds, 0, one) == 3);

  const two_outputs<sum_to_average> averages{};
  write_results<false, long>(averages, 0, 10.0, 0, one);
  CHECK(std::get<0>(averages.out) == 2);
  write_results<true, double>(averages, 0, 10.0, 0, one);
  CHECK(std::get<0>(averages.out) == 10);

  static_assert(converts_held<both, long, float>() && !converts_held<both, long, int*>());
  static_assert(converts_held<double, int>() && !converts_held<double, int*>());
}

TEST_CASE("pieces overlap if they have a byte in common") {
  const char bytes[16] = {};
  CHECK(overlap(bytes, 4, bytes, 4));
  CHECK(overlap(bytes, 4, bytes + 3, 4));
  CHECK(overlap(bytes + 3, 4, bytes, 4));
  CHECK(overlap(bytes, 16, bytes + 5, 1));
  CHECK_FALSE(overlap(bytes, 4, bytes + 4, 4));
  CHECK_FALSE(overlap(bytes + 4, 4, bytes, 4));
}

TEST_CASE("nothing overlaps no bytes") {
  const char bytes[4] = {};
  CHECK_FALSE(overlap(bytes, 4, bytes + 1, 0));
  CHECK_FALSE(overlap(bytes + 1, 0, bytes, 4));
  CHECK_FALSE(overlap(nullptr, 0, nullptr, 0));
}

namespace {

// Writes four bytes to each of three outputs.
struct three_outputs {
  const char* to[3];
  template <class Visit>
  void visit_written(const Visit& visit) const {
    for (const char* p : to) visit(p, 4, 1);
  }
};

// Writes four bytes and reads others.
struct four_bytes {
  const char* to;
  const char* from;
  template <class Visit>
  void visit_written(const Visit& visit) const {
    visit(to, 4, 1);
  }
  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit(from, 4, 1);
  }
};

}  // namespace

TEST_CASE("outputs must lie outside the input and outside each other") {
  const char bytes[16] = {};
  require_outside_input(four_bytes{bytes, bytes + 4});
  CHECK_THROWS_WITH_AS(require_outside_input(four_bytes{bytes, bytes + 3}),
                       doctest::Contains("(4 bytes) overlaps the input at"), wf::invalid_range);
  require_own_memory(bytes, 4, bytes + 4, 4);
  CHECK_THROWS_WITH_AS(require_own_memory(bytes, 4, bytes + 3, 4),
                       doctest::Contains("overlap; pass outputs with memory of their own"),
                       wf::invalid_range);
  require_own_memory(three_outputs{{bytes + 8, bytes, bytes + 4}});
  CHECK_THROWS_AS(require_own_memory(three_outputs{{bytes + 8, bytes, bytes + 5}}),
                  wf::invalid_range);
  CHECK_THROWS_AS(require_own_memory(three_outputs{{bytes, bytes + 4, bytes}}), wf::invalid_range);
}
