// The view of lifted elements: the values that the op folds, and the elements themselves.
// needs: boost_context cccl tbb
#include <warpfold/op/lift.hpp>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/contiguous.hpp>

namespace wf = warpfold;

namespace {

struct squares {
  double lift(float x) const { return double{x} * x; }
  double finish(double a) const { return a / 2; }
  double operator()(double a, double b) const { return a + b; }
};

struct weighted {
  double lift(double x, std::size_t i) const { return x * static_cast<double>(i); }
  double operator()(double a, double b) const { return a + b; }
};

template <class T>
wf::contiguous_view<T> view_of(const std::vector<T>& v) {
  return {v.data(), v.size()};
}

struct sum_of_any {
  int lift(int x) const { return x; }
  template <class T, class U>
  auto operator()(T a, U b) const {
    return a + b;
  }
};

struct batch {
  int folded;
  template <class Op>
  int fold(const Op&) const {
    return folded;
  }
};
struct own_fold {
  int operator()(int a, int b) const { return a + b; }
  int fold_batch(int seen, const batch& run) const { return seen + 100 * run.folded; }
};

using floats = wf::contiguous_view<float>;
using doubles = wf::contiguous_view<double>;
static_assert(wf::lifts_element<squares, float> && !wf::lifts_indexed<squares, float>);
static_assert(wf::lifts_indexed<weighted, double> && !wf::lifts_element<weighted, double>);
static_assert(wf::lifted_by<wf::lifted_view<floats, squares>, squares>);
static_assert(!wf::lifted_by<wf::lifted_view<floats, squares>, wf::plus>);
static_assert(!wf::lifted_by<floats, squares>);
static_assert(wf::view<wf::lifted_view<floats, squares>> &&
              wf::view<wf::lifted_view<doubles, weighted>>);

}  // namespace

TEST_CASE("an op without lift folds the view itself") {
  const std::vector<float> v{1, 2, 3};
  static_assert(std::is_same_v<decltype(wf::lifted(view_of(v), wf::plus{})), floats>);
}

TEST_CASE("a lifted view has the lifted values and the elements, with the loads of the elements") {
  const std::vector<float> v{1, 2, 3, 4, 5, 6, 7, 8};
  const auto lifted = wf::lifted(view_of(v), squares{});
  static_assert(decltype(lifted)::chunk_size == floats::chunk_size);
  REQUIRE(lifted.size() == 8);
  CHECK(lifted[2] == 9.0);
  CHECK(lifted.elements().data() == v.data());
  decltype(lifted)::chunk_type c;
  lifted.load(c, 4, wf::global_loads(wf::caching::keep));
  for (int k = 0; k < floats::chunk_size; ++k) {
    const float x = v[4 + static_cast<std::size_t>(k)];
    CHECK(lifted.get_element(c, k) == x);
    CHECK(lifted.get(c, k) == double{x} * x);
  }
}

TEST_CASE("an op that lifts with the index gets the index in the range, in every chunk") {
  std::vector<double> v;
  for (int i = 0; i < 16; ++i) v.push_back(10 + i);
  const auto lifted = wf::lifted(view_of(v), weighted{});
  CHECK(lifted[5] == 15.0 * 5);
  CHECK(lifted.elements().data() == v.data());
  constexpr std::size_t size = decltype(lifted)::chunk_size;
  static_assert(size >= doubles::chunk_size);
  for (std::size_t from = 0; from + size <= v.size(); from += size) {
    decltype(lifted)::chunk_type c;
    lifted.load(c, from, wf::global_loads(wf::caching::keep));
    for (std::size_t k = 0; k < size; ++k) {
      CHECK(lifted.get_element(c, static_cast<int>(k)) == v[from + k]);
      CHECK(lifted.get(c, static_cast<int>(k)) == v[from + k] * static_cast<double>(from + k));
    }
  }
}

TEST_CASE("the lifted view of other elements has their size, and the same op") {
  const std::vector<double> v{1, 2, 3}, w{10, 20, 30, 40};
  const auto other = wf::lifted_like(wf::lifted(view_of(v), weighted{}), view_of(w));
  REQUIRE(other.size() == 4);
  CHECK(other[3] == 120);
  CHECK(other.elements().data() == w.data());
  const std::vector<float> x{1, 2, 3}, y{7};
  const auto square = wf::lifted_like(wf::lifted(view_of(x), squares{}), view_of(y));
  REQUIRE(square.size() == 1);
  CHECK(square[0] == 49);
  static_assert(std::is_same_v<decltype(wf::lifted_like(view_of(x), view_of(y))), floats>);
  CHECK(wf::lifted_like(view_of(x), view_of(y)).data() == y.data());
}

TEST_CASE("finish maps the accumulator to the result") {
  CHECK(wf::finished(squares{}, 9.0) == 4.5);
  CHECK(wf::finished(wf::plus{}, 9.0) == 9.0);
}

TEST_CASE("a batch is folded by the op's fold_batch, or combined with what was seen") {
  CHECK(wf::fold_batch(wf::plus{}, 5, batch{3}) == 8);
  CHECK(wf::fold_batch(own_fold{}, 5, batch{3}) == 305);
}

TEST_CASE("an init may be wider than what the op lifts to") {
  const std::vector<int> v(20000, 1'000'000'000);
  CHECK(wf::reduce(wf::seq, v, 0.0, sum_of_any{}) == 2e13);
  CHECK(wf::reduce(wf::par, v, 0.0, sum_of_any{}) == 2e13);
  CHECK(wf::reduce(wf::emulated, v, 0.0, sum_of_any{}) == 2e13);
}

TEST_CASE("reduce of iterators finishes, too, if the init's type can hold the result") {
  const std::vector<float> v{3, 4};
  CHECK(wf::reduce(wf::seq, v.begin(), v.end(), 0.0, squares{}) == 12.5);
}

namespace {

// Counts its calls.
struct sum_in_place {
  struct state {
    double sum;
  };
  static inline std::size_t merges = 0, elements = 0;

  template <class T>
  T identity() const {
    return {0};
  }
  state lift(float x) const { return {double{x}}; }
  state operator()(state a, state b) const {
    ++merges;
    return {a.sum + b.sum};
  }
  void fold_element(state& seen, float x) const {
    ++elements;
    seen.sum += double{x};
  }
  double finish(state s) const { return s.sum; }
};

}  // namespace

template <class A>
inline constexpr bool wf::same_in_any_order<sum_in_place, A> = true;

TEST_CASE("seq folds elements in place where the op can in any order, in every call") {
  const auto count = [](std::size_t elements, const auto& call) {
    sum_in_place::merges = sum_in_place::elements = 0;
    call();
    CHECK(sum_in_place::merges == 0);
    CHECK(sum_in_place::elements == elements);
  };
  const std::vector<float> v(60, 0.5f);
  count(59, [&] { CHECK(wf::reduce(wf::seq, v, sum_in_place{}) == 30); });
  count(0, [&] { CHECK(wf::reduce(wf::seq, std::vector<float>{}, sum_in_place{}) == 0); });
  count(58, [&] {
    std::vector<double> out(2);
    wf::reduce_segments(wf::seq, v, wf::segments_of_size(30), sum_in_place{}, out);
    CHECK(out[0] == 15);
    CHECK(out[1] == 15);
  });
  const std::vector<int> keys{1, 1, 1, 2, 2, 3};
  std::vector<int> found(6);
  count(3, [&] {
    std::vector<double> out(6);
    CHECK(wf::reduce_by_key(wf::seq, keys, std::vector<float>(6, 1.0f), sum_in_place{}, found,
                            out) == 3);
    CHECK(out[0] == 3);
    CHECK(out[2] == 1);
  });
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> matrix(v.data(), 6, 10);
  count(54, [&] {
    std::vector<double> out(6);
    wf::reduce_axis<1>(wf::seq, matrix, sum_in_place{}, out);
    CHECK(out[5] == 5);
  });
  count(50, [&] {
    std::vector<double> out(10);
    wf::reduce_axis<0>(wf::seq, matrix, sum_in_place{}, out);
    CHECK(out[9] == 3);
  });
}
