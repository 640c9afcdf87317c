// wf::strided: every step-th element of contiguous ranges and of other views, on host threads and
// in the emulation.
// needs: boost_context
#include <warpfold/view/strided.hpp>

#include <warpfold/extrema.hpp>
#include <warpfold/policy/emulated.hpp>

#include "contract/view_contract.hpp"

namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 7, 64, 1000};
constexpr std::size_t steps[] = {1, 2, 3, 33, 2000};
constexpr std::size_t offsets[] = {0, 1, 6, 999, 1000};

template <class T>
std::vector<T> every(const std::vector<T>& v, std::size_t n, std::size_t step, std::size_t offset) {
  std::vector<T> some;
  for (std::size_t i = offset; i < n; i += step) some.push_back(v[i]);
  return some;
}

template <class View, class T>
void check_elements(const View& view, const std::vector<T>& want) {
  REQUIRE(view.size() == want.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) wrong += !(view[i] == want[i]);
  CHECK(wrong == 0);
  test::check_chunks(view);
}

}  // namespace

TEST_CASE_TEMPLATE("every step of contiguous ranges", T, signed char, float, double) {
  const auto values = test::any_values<T>(1000);
  const test::host_memory::array<T> placed(values, sizeof(T));
  for (const std::size_t n : sizes) {
    const std::span<const T> range(placed.data(), n);
    for (const std::size_t step : steps) {
      for (const std::size_t offset : offsets) {
        INFO(n, " elements, step ", step, ", offset ", offset);
        const auto view = wf::strided(range, step, offset);
        static_assert(std::is_same_v<decltype(view), const wf::strided_view<const T>>);
        const auto want = every(values, n, step, offset);
        check_elements(view, want);
        CHECK(wf::bytes_of(view) ==
              (want.empty() ? 0 : ((want.size() - 1) * step + 1) * sizeof(T)));
      }
    }
  }
}

TEST_CASE("reductions: the sum, and an index among the elements of the view") {
  std::vector<int> v(30000);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i % 1000);
  v[2 + 5 * 700] = -9;
  v[2 + 5 * 700 + 1] = -99;  // is not one of them
  const test::host_memory::array<int> placed(v, 0);
  const auto view = wf::strided(std::span<const int>(placed.data(), v.size()), 5, 2);
  long long sum = 0;
  for (std::size_t i = 2; i < v.size(); i += 5) sum += v[i];
  CHECK(wf::reduce(wf::seq, view) == sum);
  test::check_kernels(wf::emulated, view, wf::plus{}, sum);
  CHECK(wf::argmin(wf::emulated, view) == wf::indexed<int>{-9, 700});
}

TEST_CASE("steps of other views: projected, zipped, counted, and of strided ones") {
  const std::vector<int> v = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
  const auto twice = [](int x) { return 2 * x; };
  check_elements(wf::strided(wf::project(v, twice), 4, 1), std::vector<int>{22, 30, 38});
  check_elements(wf::strided(wf::counting(5, 10), 3), std::vector<int>{5, 8, 11, 14});
  check_elements(wf::strided(wf::strided(v, 2, 1), 2), std::vector<int>{11, 15, 19});
  const auto pairs = wf::strided(wf::zip(v, wf::counting(0, 10)), 3);
  REQUIRE(pairs.size() == 4);
  CHECK(wf::get<0>(pairs[3]) == 19);
  CHECK(wf::get<1>(pairs[3]) == 9);
  const auto threes = wf::strided(wf::project(v, twice), 3);
  CHECK(wf::bytes_of(threes) == 10 * sizeof(int));
  test::check_kernels(wf::emulated, threes, wf::plus{}, 2ll * (10 + 13 + 16 + 19));
}

TEST_CASE("a negative step or offset is invalid_range") {
  const std::vector<int> v = {1, 2, 3};
  test::check_throws<wf::invalid_range>([&] { (void)wf::strided(v, static_cast<std::size_t>(-1)); },
                                        "strided was given a negative step or offset, -1 and 0");
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::strided(v, 2, static_cast<std::size_t>(-3)); },
      "strided was given a negative step or offset, 2 and -3");
}

TEST_CASE("a step of 0 is invalid_range") {
  const std::vector<int> v = {1};
  test::check_throws<wf::invalid_range>([&] { (void)wf::strided(v, 0); },
                                        "strided was given a step of 0");
}
