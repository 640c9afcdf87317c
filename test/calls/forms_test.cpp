// Every function with two iterators, and with a pointer and a count, gives what it gives for the
// range; which types results have, and what counts and outputs are refused.
#include <warpfold/warpfold.hpp>

#include <deque>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

bool is_odd(int x) { return x % 2 != 0; }
double half(int x) { return x * 0.5; }

/// A class for a pointer, such as thrust::device_ptr.
template <class T>
class pointer_to {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using iterator_category = std::random_access_iterator_tag;

  explicit pointer_to(T* p) : p_(p) {}
  T* get() const { return p_; }
  T& operator[](std::ptrdiff_t i) const { return p_[i]; }
  T& operator*() const { return *p_; }
  pointer_to operator+(std::ptrdiff_t n) const { return pointer_to(p_ + n); }
  friend std::ptrdiff_t operator-(const pointer_to& a, const pointer_to& b) { return a.p_ - b.p_; }

 private:
  T* p_;
};

const std::vector<int> values = {5, -3, 8, 8, 1, 7, -3, 2};

/// Calls `f(delimiters...)` with each pair that delimits the first five elements, and compares what
/// it returns with what `f` returns for the range.
template <class F, class Same>
void for_each_form(const F& f, const Same& same) {
  const auto want = f(std::span(values).first(5));
  const std::deque<int> pieces(values.begin(), values.end());
  CHECK(same(f(values.begin(), values.begin() + 5), want));
  CHECK(same(f(pieces.begin(), pieces.begin() + 5), want));
  CHECK(same(f(values.data(), values.data() + 5), want));
  CHECK(same(f(values.data(), 5), want));
  CHECK(same(f(values.data(), std::size_t{5}), want));
  CHECK(same(f(pointer_to(values.data()), static_cast<short>(5)), want));
  const int array[] = {5, -3, 8, 8, 1, 7};
  CHECK(same(f(&array[0], 5u), want));
}
template <class F>
void for_each_form(const F& f) {
  for_each_form(f, [](auto a, auto b) {
    static_assert(std::is_same_v<decltype(a), decltype(b)>);
    return a == b;
  });
}

}  // namespace

TEST_CASE("named functions of two iterators, and of a pointer and a count") {
  for_each_form([](auto... v) { return wf::sum(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::product(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::min(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::max(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::minmax(wf::seq, v...).max; });
  for_each_form([](auto... v) { return wf::argmin(wf::seq, v...).index; });
  for_each_form([](auto... v) { return wf::argmax(wf::seq, v...).index; });
  for_each_form([](auto... v) { return wf::argminmax(wf::seq, v...).min.index; });
  for_each_form([](auto... v) { return wf::count(wf::seq, v..., 8); });
  for_each_form([](auto... v) { return wf::count_if(wf::seq, v..., is_odd); });
  for_each_form([](auto... v) { return wf::all_of(wf::seq, v..., is_odd); });
  for_each_form([](auto... v) { return wf::any_of(wf::seq, v..., is_odd); });
  for_each_form([](auto... v) { return wf::none_of(wf::seq, v..., is_odd); });
  for_each_form([](auto... v) { return wf::mean(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::variance(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::variance(wf::seq, v..., wf::variance_of::sample); });
  for_each_form([](auto... v) { return wf::stddev(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::norm_1(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::norm_2(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::norm_infinity(wf::seq, v...); });
  for_each_form([](auto... v) { return wf::norm_p(wf::seq, v..., 3); });
  for_each_form([](auto... v) { return wf::transform_reduce(wf::seq, v..., wf::plus{}, half); });
  for_each_form([](auto... v) { return wf::explain(wf::seq, v..., wf::maximum{}).bytes; },
                [](std::size_t a, std::size_t b) { return a == b || a == 0; });  // of a deque: 0
}

TEST_CASE("keys, classes and segments of two iterators, and of a pointer and a count") {
  const std::vector<int> labels{1, 0, 2, 2, 1};
  for_each_form([](auto... v) {
    std::vector<int> keys(5), lengths(5);
    CHECK(wf::run_lengths(wf::seq, v..., keys, lengths) == 4);
    return std::pair(keys, lengths);
  });
  for_each_form([](auto... v) {
    std::vector<int> out(5);
    const std::vector<int> offsets{0, 2, 5}, add{100, 200};
    wf::transform_segments(wf::seq, v..., offsets, add, out, [](int x, int y) { return x + y; });
    return out;
  });

  // Keys or labels, and values.
  const int* const p = labels.data();
  const int* const q = values.data();
  std::vector<int> sums(3), counts(3), keys(5), folds(5), more(5);
  wf::reduce_by_class(wf::seq, p, 5, q, 3, wf::plus{}, sums);
  CHECK(sums == std::vector<int>{-3, 6, 16});
  wf::reduce_by_class(wf::seq, p, p + 5, q, 3, wf::maximum{}, sums);
  CHECK(sums == std::vector<int>{-3, 5, 8});
  wf::count_by_class(wf::seq, p, 5, 3, counts);
  CHECK(counts == std::vector<int>{1, 2, 2});
  wf::count_by_class_async(wf::seq, p, p + 5, 3, counts);
  CHECK(counts == std::vector<int>{1, 2, 2});
  CHECK(wf::reduce_by_key(wf::seq, p, p + 5, q, wf::plus{}, keys, folds) == 4);
  CHECK(folds == std::vector<int>{5, -3, 16, 1, 0});
  const auto same = [](int a, int b) { return a / 2 == b / 2; };
  CHECK(wf::reduce_by_key(wf::seq, p, 5, q, wf::plus{}, same, keys, more) == 3);
  CHECK(more == std::vector<int>{2, 16, 1, 0, 0});
}

TEST_CASE(
    "an array is a range, and a pointer where a count follows that makes no call of a range") {
  const int a[] = {5, 6, 7, 8};
  CHECK(wf::sum(wf::seq, a) == 26);
  CHECK(wf::sum(wf::seq, a, 3) == 18);
  CHECK(wf::sum(wf::seq, a, a + 3) == 18);
  CHECK(wf::count(wf::seq, a, 3) == 0);     // elements that are 3
  CHECK(wf::count(wf::seq, a, 3, 8) == 0);  // elements that are 8, of the first three
  CHECK(wf::count(wf::seq, a, 4, 8) == 1);
  CHECK(wf::reduce(wf::seq, a, 3, wf::plus{}) == 29);  // from 3 on
  CHECK(wf::reduce(wf::seq, &a[0], 3, wf::plus{}) == 18);
  CHECK(wf::norm_p(wf::seq, a, 1) == 26);
  CHECK(wf::norm_p(wf::seq, a, 2, 1) == 11);
}

TEST_CASE(
    "reduce of a pointer and a count gives what it gives for a range, of iterators std's type") {
  const int* p = values.data();
  static_assert(std::is_same_v<decltype(wf::reduce(wf::seq, p, 5)), long long>);
  static_assert(std::is_same_v<decltype(wf::reduce(wf::seq, p, p)), int>);
  CHECK(wf::reduce(wf::seq, p, 5) == 19);
  CHECK(wf::reduce(wf::seq, p, 5, wf::minimum{}) == -3);
  const auto from_init = wf::reduce(wf::seq, p, 5, 0.5, wf::plus{});
  static_assert(std::is_same_v<decltype(from_init), const double>);
  CHECK(from_init == 19.5);
  CHECK(wf::reduce(wf::seq, p, 0, 0.5, wf::plus{}) == 0.5);
  CHECK(wf::reduce(wf::seq, static_cast<const int*>(nullptr), 0) == 0);

  const auto of_range = wf::transform_reduce(wf::seq, p, 5, 1, wf::plus{}, half);
  const auto as_in_std = wf::transform_reduce(wf::seq, p, p + 5, 1, wf::plus{}, half);
  static_assert(std::is_same_v<decltype(of_range), const double>);
  static_assert(std::is_same_v<decltype(as_in_std), const int>);
  CHECK(of_range == 10.5);
  CHECK(as_in_std == 10);  // rounded once, at the end
}

TEST_CASE("products of two ranges: as in the standard library, and two pointers with a count") {
  const std::vector<int> v(values.begin(), values.begin() + 5);
  const std::deque<double> w = {1, 2, 3, 4, 5, 6};
  const std::vector<double> flat(w.begin(), w.end());
  const int* p = v.data();
  const double* q = flat.data();
  CHECK(wf::dot(wf::seq, v.begin(), v.end(), w.begin()) == 60);
  CHECK(wf::dot(wf::seq, p, p + 5, q) == 60);
  CHECK(wf::dot(wf::seq, p, q, 5) == 60);
  CHECK(wf::dot(wf::seq, p, 5, q) == 60);
  CHECK(wf::dot(wf::seq, p, p, 2) == 34);  // pointers of one type
  CHECK(wf::dot(wf::seq, p, p + 2, p) == 34);
  CHECK(wf::dot(wf::seq, q, q, 3, wf::plus{}.compensated()) == 14);
  CHECK(wf::inner_product(wf::seq, p, q, 5, 0.5) == 60.5);
  CHECK(wf::inner_product(wf::seq, p, 5, q, 0, wf::maximum{}, wf::plus{}) == 12.0);
  const auto as_in_std = wf::inner_product(wf::seq, v.begin(), v.end(), w.begin(), 0);
  static_assert(std::is_same_v<decltype(as_in_std), const int>);
  CHECK(as_in_std == 60);
  CHECK(wf::transform_reduce(wf::seq, v.begin(), v.end(), w.begin(), 1) == 61);
  CHECK(wf::transform_reduce(wf::seq, p, p + 5, q, 0, wf::maximum{}, wf::plus{}) == 12);
}

TEST_CASE("copy and transform") {
  std::vector<double> out(6, -1);
  const std::deque<int> pieces(values.begin(), values.end());
  wf::transform(wf::seq, pieces.begin(), pieces.begin() + 2, out, half);
  wf::transform_async(wf::seq, values.data() + 2, 2, out.begin() + 2, half);
  wf::copy(wf::seq, values.begin() + 4, values.begin() + 5, out.data() + 4);
  CHECK(out == std::vector<double>{2.5, -1.5, 4, 4, 1, -1});
  const auto end = wf::copy(wf::seq, values.data() + 3, values.data() + 5, out.begin() + 3);
  CHECK(end == out.begin() + 5);  // as std::copy
  CHECK(out == std::vector<double>{2.5, -1.5, 4, 8, 1, -1});
  wf::copy_async(wf::seq, values.data(), 1, std::span(out).last(1));
  CHECK(out.back() == 5);
  CHECK_THROWS_AS(wf::copy(wf::seq, values.data(), 7, out), wf::invalid_range);

  // Functions of two ranges: as in the standard library, and two pointers with a count.
  const int* p = values.data();
  const std::deque<int> steps = {1, 2, 3};
  const auto product = [](int a, int b) { return a * b; };
  double* const to = out.data();
  CHECK(wf::transform(wf::seq, p, p + 3, to, half) == to + 3);
  CHECK(wf::transform(wf::seq, p, p, 2, to, product) == to + 2);
  CHECK(wf::transform(wf::seq, p, p, p, to, product) == to);
  wf::transform(wf::seq, p, p + 3, steps.begin(), out, product);
  wf::transform_async(wf::seq, p, p + 1, 3, out.begin() + 3, product);
  CHECK(out == std::vector<double>{5, -6, 24, -15, -24, 64});
}

TEST_CASE("results go to a pointer, an iterator, a span, a container") {
  std::vector<long long> out(3);
  const int* p = values.data();
  wf::reduce_async(wf::seq, p, 2, wf::plus{}, out.begin() + 1);
  CHECK(out == std::vector<long long>{0, 2, 0});
  wf::reduce_async(wf::seq, p, p + 3, wf::plus{}, out);
  CHECK(out == std::vector<long long>{10, 2, 0});
  wf::reduce_async(wf::seq, p, 3, 100, wf::plus{}, std::span(out).last(1));
  CHECK(out == std::vector<long long>{10, 2, 110});
  long long array[2] = {-1, -1};
  wf::transform_reduce_async(wf::seq, p, 3, wf::maximum{}, half, array);
  wf::transform_reduce_async(wf::seq, values, 0.5, wf::plus{}, half, pointer_to(array + 1));
  CHECK(array[0] == 4);
  CHECK(array[1] == 13);
  const std::vector<int> nothing;
  wf::transform_reduce_async(wf::seq, nothing, 7, wf::plus{}, half, array);
  CHECK(array[0] == 7);
  CHECK_THROWS_WITH_AS(wf::reduce_async(wf::seq, p, 3, wf::plus{}, std::span(out).first(0)),
                       doctest::Contains("the output has no elements"), wf::invalid_range);
}

TEST_CASE("counts that no memory has, and iterators in the wrong order") {
  const int* p = values.data();
  CHECK_THROWS_WITH_AS(wf::sum(wf::seq, p, -3), doctest::Contains("after the pointer is -3; pass"),
                       wf::invalid_range);
  CHECK_THROWS_AS(wf::dot(wf::seq, p, p, std::numeric_limits<long>::min()), wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::sum(wf::seq, p, ~0ull), doctest::Contains("address space"),
                       wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::max(wf::seq, values.end(), values.begin()),
                       doctest::Contains("8 elements before its first"), wf::invalid_range);
  CHECK_THROWS_AS(wf::sum(wf::seq, static_cast<const int*>(nullptr), 1), wf::invalid_range);
  CHECK_THROWS_AS(wf::min(wf::seq, p, 0), wf::empty_range);
}
