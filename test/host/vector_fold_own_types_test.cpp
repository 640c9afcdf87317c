// Host folds in vectors and in long runs take what is exactly the library's: views, projections,
// ops and traits of the user's that look like it are folded as they say themselves.
// needs: tbb
#include <warpfold/policy/par.hpp>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/all.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

/// What the user makes of the library's sums of floats.
template <>
struct warpfold::op_traits<warpfold::plus, float> {
  using accumulator = double;
  static constexpr bool has_identity = true;
  static constexpr float identity(const plus&) { return 0; }
};

namespace {

/// Part of an array that is side by side as well, and is not where its base is.
class part_of : public wf::element_loads<part_of, double> {
 public:
  static constexpr bool is_contiguous = true;

  part_of(const std::vector<double>& all, std::size_t first, std::size_t size)
      : all_(all.data(), all.size()), first_(first), size_(size) {}

  const wf::contiguous_view<double>& base() const { return all_; }
  const double* data() const { return all_.data() + first_; }
  std::size_t size() const { return size_; }
  const double& operator[](std::size_t i) const { return data()[i]; }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    visit(data(), size_ * sizeof(double), alignof(double));
  }

 private:
  wf::contiguous_view<double> all_;
  std::size_t first_, size_;
};

/// Says something else of doubles than of elements.
struct floor_of {
  template <class D>
  D in_double(const D& x) const {
    return x * 2;
  }
  double operator()(double x) const { return std::floor(x); }
};

struct twice_the_squares : wf::squares_op {
  double lift(float x) const { return 2.0 * x * x; }
};
struct moments_of_twice : wf::moments_op {
  wf::moments lift(double x) const { return {1, 2 * x, 0}; }
};

}  // namespace

TEST_CASE("a view that has a base begins where it says") {
  std::vector<double> v(10000, 0.0);
  for (std::size_t i = 5000; i < v.size(); ++i) v[i] = 1;
  const part_of ones(v, 5000, 5000);
  CHECK(wf::reduce(wf::par, ones) == 5000);
  const auto both = wf::reduce(wf::par, ones, wf::all(wf::minimum{}, wf::maximum{}));
  CHECK(wf::get<0>(both) == 1);
  CHECK(wf::get<1>(both) == 1);
  CHECK(wf::reduce(wf::par, ones, wf::moments_op{}) == wf::moments{5000, 1, 0});
}

TEST_CASE("a projection that has a member of the library's name is called as it is") {
  const std::vector<double> v(10000, 1.5);
  const auto floors = wf::project(v, floor_of{});
  CHECK(wf::reduce(wf::par, floors) == 10000);
  CHECK(wf::reduce(wf::par, floors, wf::maximum{}) == 1);
  CHECK(wf::reduce(wf::par, floors, wf::moments_op{}) == wf::moments{10000, 1, 0});
}

TEST_CASE("an op derived from one that folds runs folds what it lifts itself") {
  CHECK(wf::reduce(wf::par, std::vector<float>(10000, 1), twice_the_squares{}) == 20000);
  CHECK(wf::reduce(wf::par, std::vector<double>(10000, 1), moments_of_twice{}).mean == 2);
}

TEST_CASE("traits of an op are obeyed alone and among others") {
  std::vector<float> v(50000, 0.1f);
  v[5] = 1e8f;
  const double sum = wf::reduce(wf::par, v);
  CHECK(sum == doctest::Approx(1e8 + 0.1f * 49999.0).epsilon(1e-12));
  const auto both = wf::reduce(wf::par, v, wf::all(wf::plus{}, wf::minimum{}));
  CHECK(wf::get<0>(both) == doctest::Approx(sum).epsilon(1e-12));
  CHECK(wf::get<1>(both) == 0.1f);
}
