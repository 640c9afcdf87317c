// The types that follow from a view, an op and an init, and the results of a reduction's states.
#include <warpfold/work/reduction.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>

namespace wf = warpfold;

namespace {

struct larger {
  int operator()(int a, int b) const { return a < b ? b : a; }
};

template <class T, class Op, class Init = wf::no_init>
using of = wf::reduction<wf::contiguous_view<T>, Op, Init>;

// A sum of chars is as wide as plus requires. With an init the result has the type of op(init, x),
// but the fold stays wide.
static_assert(std::is_same_v<of<signed char, wf::plus>::result_type, long long>);
static_assert(std::is_same_v<of<signed char, wf::plus, int>::result_type, int>);
static_assert(std::is_same_v<of<signed char, wf::plus, int>::accumulator, long long>);
static_assert(std::is_same_v<of<float, wf::plus, double>::result_type, double>);
static_assert(std::is_same_v<of<int, larger>::accumulator, int>);
static_assert(of<int, wf::plus>::has_identity && !of<int, larger>::has_identity);

static_assert(wf::reduction_work<of<int, wf::plus>> && wf::reduction_work<of<int, larger, int>>);
// An init in memory makes the types that its value would.
static_assert(std::is_same_v<of<float, wf::plus, wf::stored_value<double>>::result_type, double>);
static_assert(of<int, larger, wf::stored_value<int>>::has_init);
static_assert(of<int, larger, wf::stored_value<int>>::is_init_stored &&
              !of<int, larger, int>::is_init_stored);

/// An average as an op: the result is not the accumulator.
struct half_of_sum {
  int operator()(int a, int b) const { return a + b; }
  double finish(int a) const { return a * 0.5; }
};
struct negative {
  double operator()(double x) const { return -x; }
};
using finished = wf::finished_reduction<of<int, half_of_sum, int>, negative>;
static_assert(wf::reduction_work<finished> && wf::has_finish<finished>);
static_assert(!wf::has_finish<of<int, half_of_sum>>);
static_assert(std::is_same_v<finished::result_type, double>);
static_assert(std::is_same_v<finished::accumulator, int>);

static_assert(!wf::reduction_work<wf::contiguous_view<int>> && !wf::reduction_work<int>);

template <class Op, class Init = wf::no_init>
of<int, Op, Init> reduction_of(const std::vector<int>& values, Init init = {}) {
  return {wf::contiguous_view<int>(values.data(), values.size()), Op{}, init};
}

}  // namespace

TEST_CASE("the result of an empty range is the init, or the identity, or an error") {
  CHECK(reduction_of<larger>({}, 7).empty_result() == 7);
  CHECK(reduction_of<wf::plus>({}, 7).empty_result() == 7);
  CHECK(reduction_of<wf::plus>({}).empty_result() == 0);
  CHECK_THROWS_AS(reduction_of<larger>({}).require_valid(), wf::empty_range);
  CHECK_THROWS_WITH_AS((void)reduction_of<larger>({}).empty_result(),
                       doctest::Contains("no identity and no init"), wf::empty_range);
  CHECK_NOTHROW(reduction_of<larger>({1}).require_valid());
}

TEST_CASE("the init is combined once, before the elements") {
  struct keep_left {
    int operator()(int a, int) const { return a; }
  };
  const auto r = reduction_of<keep_left>({1, 2}, 9);
  CHECK(r.result(r.fold().state_of(4)) == 9);
  // A state without elements contributes nothing.
  CHECK(r.result(r.fold().start()) == 9);
  const auto largest = reduction_of<larger>({1, 2}, -5);
  CHECK(largest.result(largest.fold().start()) == -5);
  CHECK(largest.result(largest.fold().state_of(-7)) == -5);
  const auto sum = reduction_of<wf::plus>({1, 2}, 9);
  CHECK(sum.result(sum.fold().state_of(4)) == 13);
  CHECK(sum.result(sum.fold().start()) == 9);
  CHECK(reduction_of<wf::plus>({1, 2, 3}).size() == 3);
}

TEST_CASE("a result that is narrower than the accumulator is converted once") {
  const std::vector<signed char> none;
  const of<signed char, wf::plus, signed char> r{{none.data(), 0}, {}, 100};
  static_assert(std::is_same_v<decltype(r.result(r.fold().start())), int>);
  CHECK(r.result(r.fold().state_of(100)) == 200);
}

TEST_CASE("an init in memory is read when the result is made") {
  int held = 1;
  const auto r = reduction_of<larger>({}, wf::value_at(&held));
  held = 5;
  CHECK(r.result(r.fold().state_of(4)) == 5);
  CHECK(r.result(r.fold().state_of(9)) == 9);
  CHECK(r.result(r.fold().start()) == 5);
  CHECK(r.empty_result() == 5);
  int visits = 0;
  r.visit_init([&](const void* p, std::size_t bytes, std::size_t alignment) {
    ++visits;
    CHECK(p == &held);
    CHECK(bytes == sizeof(int));
    CHECK(alignment == alignof(int));
  });
  reduction_of<larger>({}, 3).visit_init([&](const void*, std::size_t, std::size_t) { ++visits; });
  CHECK(visits == 1);
}

TEST_CASE("a finished reduction calls the op's finish and then its own function, also of nothing") {
  const finished r(reduction_of<half_of_sum>({1, 2}, 4), negative{});
  CHECK(r.result(r.fold().state_of(3)) == -3.5);
  CHECK(r.empty_result() == -2);
  CHECK(r.unfinished().result(r.fold().state_of(3)) == 7);
  CHECK(r.result_for(9) == -4.5);
  // The function never lies in the padding of the reduction.
  CHECK(reinterpret_cast<const char*>(&r.finish) - reinterpret_cast<const char*>(&r) ==
        sizeof(finished::unfinished_type));
}
