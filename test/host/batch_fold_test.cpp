// batch_fold: ops with `lift`, batch by batch: where batches begin and end, what a batch gives, and
// the search for the one batch with the result.
#include <warpfold/host/batch_fold.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/as_view.hpp>

namespace wf = warpfold;

namespace {

using wf::host::batch_length;
using wf::host::host_batch;
using wf::host::long_batch_length;
using wf::host::searched_length;

/// Folds a batch one element after the other.
struct one_by_one {
  template <class View, class Op>
  static constexpr bool in_vectors = false;
  template <class View, class Op>
  static constexpr bool folds_together = std::is_same_v<Op, wf::minimum>;

  template <class Op, class View>
  auto operator()(const Op& op, const View& view, std::size_t first, std::size_t last) const {
    using A = typename wf::op_traits<Op, typename View::value_type>::accumulator;
    A total = static_cast<A>(view[first]);
    for (std::size_t i = first + 1; i < last; ++i) total = op(total, static_cast<A>(view[i]));
    return total;
  }
  template <class Ops, class View>
  static auto together(const Ops&, const View& view, std::size_t first, std::size_t last) {
    return std::pair(static_cast<double>(view[first]), last - first);
  }
};

template <class T>
auto run_of(const std::vector<T>& values, std::size_t first, std::size_t last) {
  return host_batch(wf::as_view(values), first, last, one_by_one{});
}

template <class T, class Op>
auto reduction_of(const std::vector<T>& values, const Op& op) {
  const auto view = wf::lifted(wf::as_view(values), op);
  return wf::reduction<std::remove_const_t<decltype(view)>, Op>{view, op, {}};
}
template <class T, class Op>
using reduction_type = decltype(reduction_of(std::declval<std::vector<T>>(), std::declval<Op>()));

/// The batches of the last fold.
std::vector<std::pair<std::size_t, float>> batches;  // size and first element

/// Sums elements as doubles, and notes each batch.
template <bool Once>
struct noting_sum {
  using exactly = noting_sum;
  template <class Batch>
  static constexpr bool reads_batch_once = Once;

  double lift(float x) const { return x; }
  double operator()(double a, double b) const { return a + b; }
  template <class Batch>
  double fold_batch(double seen, const Batch& batch) const {
    batches.emplace_back(batch.size(), batch.first());
    return seen + batch.fold(*this);
  }
};
/// Its base's `fold_batch` is for its base's elements.
struct twice_the_sum : noting_sum<false> {
  double lift(float x) const { return 2 * x; }
};

struct sum_of_places {
  std::size_t lift(float, std::size_t i) const { return i; }
  std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
};

std::vector<float> counted(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  return values;
}

struct money {
  int cents;
  bool operator<(const money& other) const { return cents < other.cents; }
};

}  // namespace

TEST_CASE("a batch has the elements from first to last") {
  const auto values = counted(200);
  const auto batch = run_of(values, 50, 150);
  CHECK(batch.size() == 100);
  CHECK(batch.first() == 50);
  CHECK(batch.fold(wf::plus{}) == 100 * 99.5f);
  CHECK(batch.fold(wf::maximum{}) == 149);
  CHECK(batch.fold(sum_of_places{}) == 9950);  // indexes are those of the range
  const auto squares = batch.projected([](float x) { return static_cast<double>(x) * x; });
  CHECK(squares.size() == 100);
  CHECK(squares.first() == 2500);
  CHECK(squares.fold(wf::maximum{}) == 149.0 * 149);
}

TEST_CASE("several ops are folded together by the fold, where it says that it can") {
  const auto values = counted(200);
  const auto run = run_of(values, 50, 150);
  using run_type = std::remove_const_t<decltype(run)>;
  static_assert(run_type::folds_together<wf::minimum>);
  static_assert(!run_type::folds_together<wf::plus>);
  const auto together = run.fold_together(wf::detail::tuple_of(wf::minimum{}));
  CHECK(together.first == 50);
  CHECK(together.second == 100);
}

TEST_CASE("the index of the first matching element") {
  for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 100u}) {
    for (const std::size_t first : {0u, 5u}) {
      std::vector<float> values(first + n + 40, 0.0f);
      for (std::size_t at = first; at < first + n; ++at) {
        INFO(n, " elements from ", first, ", at ", at);
        values[at] = 1;
        const auto is_one = [](float x) { return x == 1; };
        CHECK(run_of(values, first, first + n).index_of(is_one) == at);
        // Later ones and those outside of the batch do not matter.
        if (at + 1 < first + n) values[first + n - 1] = 1;
        values[first + n] = 1;
        if (first > 0) values[first - 1] = 1;
        CHECK(run_of(values, first, first + n).index_of(is_one) == at);
        values.assign(values.size(), 0.0f);
      }
    }
  }
}

TEST_CASE("batches: the first element, then 4096 each, or 65536 of those that are read once") {
  const auto values = counted(140'000);
  const auto fold = [&](const auto& op, std::size_t first, std::size_t last) {
    batches.clear();
    return wf::host::batch_fold(reduction_of(values, op), first, last, one_by_one{});
  };
  using list = std::vector<std::pair<std::size_t, float>>;
  CHECK(fold(noting_sum<false>{}, 7, 8) == 7);
  CHECK(batches.empty());
  CHECK(fold(noting_sum<false>{}, 7, 9) == 15);
  CHECK(batches == list{{1, 8}});
  CHECK(fold(noting_sum<false>{}, 0, batch_length + 1) == 4096.0 * 4097 / 2);
  CHECK(batches == list{{4096, 1}});
  CHECK(fold(noting_sum<false>{}, 10, 10 + batch_length + 2) == 4098.0 * (10 + 4107) / 2);
  CHECK(batches == list{{4096, 11}, {1, 4107}});
  CHECK(fold(noting_sum<true>{}, 0, 140'000) == 70'000.0 * 139'999);
  CHECK(batches == list{{65536, 1}, {65536, 65537}, {8927, 131073}});
  static_assert(long_batch_length == 65536);
}

TEST_CASE("moments of ranges of a batch, one less, and one more") {
  for (const std::size_t length : {batch_length, long_batch_length}) {
    for (std::size_t n = length - 1; n <= length + 2; ++n) {
      INFO(n, " elements");
      const auto values = counted(n);
      const auto m =
          wf::host::batch_fold(reduction_of(values, wf::moments_op{}), 0, n, one_by_one{});
      const double count = static_cast<double>(n);
      CHECK(m.count == static_cast<double>(n));
      CHECK(m.mean == doctest::Approx((count - 1) / 2).epsilon(1e-12));
      CHECK(m.m2 == doctest::Approx(count * (count * count - 1) / 12).epsilon(1e-9));
    }
  }
}

TEST_CASE("a search is for ops whose result is in one batch") {
  using arg = decltype(wf::arg(wf::minimum{}));
  static_assert(wf::host::folds_batches<reduction_type<float, arg>>);
  static_assert(wf::host::folds_batches<reduction_type<float, wf::moments_op>>);
  static_assert(!wf::host::folds_batches<reduction_type<float, wf::plus>>);
  static_assert(wf::host::has_search<reduction_type<float, arg>>);
  static_assert(!wf::host::has_search<reduction_type<float, wf::moments_op>>);
  static_assert(!wf::host::has_search<reduction_type<float, wf::plus>>);
  static_assert(!wf::host::has_search<reduction_type<money, arg>>);  // compared with <
}

TEST_CASE("the extremum and its first place, in each batch and at their borders") {
  const auto places = {std::size_t{0},      std::size_t{1},          searched_length - 1,
                       searched_length,     searched_length + 1,     2 * searched_length - 1,
                       2 * searched_length, 2 * searched_length + 9, 3 * searched_length - 1};
  for (const std::size_t at : places) {
    INFO("at ", at);
    std::vector<float> values(3 * searched_length, 1.0f);
    values[at] = -5;
    const auto find = [&](std::size_t first) {
      return wf::host::batch_fold(reduction_of(values, wf::arg(wf::minimum{})), first,
                                  values.size(), one_by_one{});
    };
    CHECK(find(0) == wf::indexed<float>{-5, at});
    if (at > 0) CHECK(find(at) == wf::indexed<float>{-5, at});
    // One more behind it is not the first.
    values.back() = -5;
    CHECK(find(0) == wf::indexed<float>{-5, at});
    values[at] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(find(0).value));
    CHECK(find(0).index == at);
  }
}

/// Says that everything is at index 7.
struct finds_seven : one_by_one {
  template <class View>
  static std::size_t find(const View&, std::size_t, std::size_t, const float&) {
    return 7;
  }
};
template <class Batch>
concept finds_same = requires(const Batch& batch) { batch.index_of_same(1.0f); };

TEST_CASE("a fold that searches is asked for the index of an extremum") {
  const std::vector<float> values(10, 1.0f);
  using view = decltype(wf::as_view(values));
  static_assert(finds_same<host_batch<view, finds_seven>>);
  static_assert(!finds_same<host_batch<view, one_by_one>>);
  const auto search =
      wf::host::search_of(reduction_of(values, wf::arg(wf::minimum{})), finds_seven{});
  CHECK(search.place(search.look_at(0, 10)) == wf::indexed<float>{1, 7});
}

TEST_CASE("the better of two batches is the first if both are as good") {
  const std::vector<int> values = {4, 2, 7, 2, 9, 2, 1, 8};
  const auto search =
      wf::host::search_of(reduction_of(values, wf::arg(wf::minimum{})), one_by_one{});
  const auto a = search.look_at(0, 3), b = search.look_at(3, 6), c = search.look_at(6, 8);
  CHECK(a.best == 2);
  CHECK(a.first == 0);
  CHECK(a.last == 3);
  CHECK(search.better(a, b).first == 0);
  CHECK(search.better(a, c).first == 6);
  CHECK(search.better(c, b).first == 6);
  CHECK(search.place(a) == wf::indexed<int>{2, 1});
  CHECK(search.place(b) == wf::indexed<int>{2, 3});
  CHECK(search.place(c) == wf::indexed<int>{1, 6});
}

TEST_CASE("an op derived from one that folds batches folds what it lifts itself") {
  const auto values = counted(10);
  batches.clear();
  const auto twice = reduction_of(values, twice_the_sum{});
  CHECK(wf::host::batch_fold(twice, 0, 10, one_by_one{}) == 90);
  CHECK(batches.empty());
}
