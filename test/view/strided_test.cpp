// wf::strided: every step-th element of contiguous ranges and of other views, on host threads and
// in the emulation. Outputs with strides, written as kernels do: chunk after chunk.
// needs: boost_context
#include <warpfold/view/strided.hpp>

#include <warpfold/extrema.hpp>
#include <warpfold/policy/emulated.hpp>

#include "contract/view_contract.hpp"
#include "view/shapes.hpp"

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

/// Lines of `length` elements. Checks each element, and that the gaps do not change.
template <class T>
void check_lines(std::size_t lines, std::size_t length, std::size_t step, std::size_t line) {
  INFO(lines, " lines of ", length, ", strides of ", step, " and ", line);
  const auto values = test::any_values<T>(lines * length);
  const auto shape = test::shape({lines, length}, {line, step});
  const std::size_t span = (lines - 1) * line + (length - 1) * step + 1;
  for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
    std::vector<T> expected(span);
    for (std::size_t i = 0; i < values.size(); ++i) {
      expected[i / length * line + i % length * step] = values[i];
    }
    const test::host_memory::array<T> memory(std::vector<T>(span), offset);
    const wf::strided_output<T> out(const_cast<T*>(memory.data()), shape);
    const wf::global_access stores;
    constexpr std::size_t size = wf::strided_output<T>::chunk_size;
    const std::size_t head = out.head() == wf::any_head ? 0 : out.head();
    std::size_t i = 0;
    for (; i < head && i < values.size(); ++i) out.store_at(i, values[i], stores);
    for (; i + size <= values.size(); i += size) {
      typename wf::strided_output<T>::chunk_type c;
      for (std::size_t k = 0; k < size; ++k) out.set(c, static_cast<int>(k), values[i + k]);
      out.store(c, i, stores);
    }
    for (; i < values.size(); ++i) out.store_at(i, values[i], stores);
    CHECK(test::host_memory::values(memory.data(), span) == expected);
  }
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

TEST_CASE("lines with and without gaps, short and long") {
  check_lines<float>(5, 12, 1, 12);
  check_lines<float>(5, 12, 1, 16);
  check_lines<float>(7, 3, 1, 5);
  check_lines<unsigned char>(9, 37, 1, 48);
  check_lines<short>(4, 10, 2, 25);
}

TEST_CASE("an output without gaps tells its head and that it can be written in place") {
  alignas(16) float data[40];
  const auto whole = test::shape({4, 8}, {8, 1}), gaps = test::shape({4, 8}, {9, 1});
  CHECK(wf::strided_output<float>(data + 1, whole).head() == 3);
  CHECK(wf::strided_output<float>(data, gaps).head() == wf::any_head);
  const auto step_of = [](const auto& out) {
    std::size_t step = 99;
    out.visit_arrays([&](const void*, std::size_t, std::size_t s) { step = s; });
    return step;
  };
  CHECK(step_of(wf::strided_output<float>(data, whole)) == 4);
  CHECK(step_of(wf::strided_output<float>(data, gaps)) == 0);
}
