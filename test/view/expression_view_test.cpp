// The elements of expressions one after the other: chunks at every position, and their loads.
#include <warpfold/view/expression_view.hpp>

#include <vector>

#include "contract/view_contract.hpp"

namespace {

using pair_value = wf::detail::zipped_value<wf::detail::array_value, wf::detail::array_value>;
template <class A, class B>
using pairs = wf::expression_view<wf::array_source<pair_value, A, B>>;

static_assert(wf::view<pairs<float, short>>);
static_assert(pairs<float, short>::chunk_size == 8);
static_assert(!pairs<float, short>::computes_elements);

// Lines of `length` elements: `a` is contiguous, `b` has the strides.
template <class A, class B>
void check(std::size_t lines, std::size_t length, std::size_t b_step, std::size_t b_line) {
  INFO(lines, " lines of ", length, ", strides of ", b_step, " and ", b_line);
  const auto a = test::any_values<A>(lines * length);
  const std::size_t reach = (lines - 1) * b_line + (length - 1) * b_step + 1;
  const auto b = test::any_values<B>(reach);
  wf::array_dimensions<2> dims;
  dims.append({length, {1, b_step}});
  dims.append({lines, {length, b_line}});
  for (const std::size_t offset : {std::size_t{0}, sizeof(A)}) {
    const test::host_memory::array<A> placed(a, offset);
    const test::host_memory::array<B> other(b, 0);
    const pairs<A, B> view({{placed.data(), {other.data()}}, {}}, dims);
    REQUIRE(view.size() == lines * length);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
      wrong += wf::get<0>(view[i]) != a[i] ||
               wf::get<1>(view[i]) != b[i / length * b_line + i % length * b_step];
    }
    for (const std::size_t begin : {std::size_t{0}, length - 1, length + 1}) {
      std::size_t next = begin < view.size() ? begin : view.size();
      view.visit_values(next, view.size(), [&](std::size_t i, const wf::tuple<A, B>& x) {
        wrong += i != next++ || !(x == view[i]);
      });
      wrong += next != view.size();
    }
    CHECK(wrong == 0);
    test::check_chunks(view);
  }
}

}  // namespace

TEST_CASE("an array beside one that repeats, has gaps, or is turned") {
  check<float, float>(9, 12, 0, 1);
  check<float, float>(9, 12, 1, 0);
  check<float, short>(7, 13, 0, 1);
  check<short, double>(7, 13, 1, 0);
  check<float, float>(5, 16, 1, 20);
  check<float, int>(6, 11, 6, 1);
  check<unsigned char, int>(40, 3, 1, 4);
  check<float, float>(1, 30, 1, 30);
}

TEST_CASE("arrays tell their memory, and whether element i is the i-th in it") {
  const float x[12] = {}, y[3] = {};
  wf::array_dimensions<2> dims;
  dims.append({4, {1, 0}});
  dims.append({3, {4, 1}});
  const pairs<float, float> view({{x, {y}}, {}}, dims);
  std::vector<std::size_t> seen;
  view.visit_arrays([&](const void* p, std::size_t bytes, std::size_t step) {
    CHECK(p == (seen.empty() ? x : y));
    seen.push_back(bytes);
    seen.push_back(step);
  });
  CHECK(seen == std::vector<std::size_t>{48, 4, 12, 0});
}
