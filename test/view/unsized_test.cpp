// Views and outputs of unknown size: checks see only their first byte, and parts of them are those
// of the view itself.
#include <warpfold/view/unsized.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <warpfold/view/output.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace wf = warpfold;

namespace {

template <class T>
using unsized_view = wf::detail::unsized<wf::contiguous_view<T>>;
template <class T>
using unsized_output = wf::detail::unsized<wf::contiguous_output<T>>;

static_assert(wf::view<unsized_view<float>> && wf::output_view<unsized_output<float>>);
static_assert(!unsized_view<float>::is_contiguous && !unsized_output<float>::is_contiguous);
static_assert(!wf::tells_memory_v<unsized_view<float>>);
static_assert(!wf::detail::computes_elements<unsized_view<float>>());

struct seen {
  const void* p;
  std::size_t bytes, alignment;
};
std::vector<seen> memory_of(const auto& v) {
  std::vector<seen> all;
  v.visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
    all.push_back({p, bytes, alignment});
  });
  return all;
}

}  // namespace

TEST_CASE("checks see the first byte of each array, and none if there are no elements") {
  std::vector<double> values(3);
  const auto check = [&](const auto& v, std::size_t bytes) {
    const auto all = memory_of(v);
    REQUIRE(all.size() == 1);
    CHECK(all[0].p == values.data());
    CHECK(all[0].bytes == bytes);
    CHECK(all[0].alignment == alignof(double));
  };
  check(unsized_view<double>({values.data(), std::size_t{1} << 60}), 1);
  check(unsized_view<double>({values.data(), 0}), 0);
  check(unsized_output<double>({values.data(), std::size_t{1} << 60}), 1);
  const auto pairs = wf::zip(values, values);
  CHECK(memory_of(wf::detail::unsized(pairs)).size() == 2);
}

TEST_CASE("elements and parts are those of the view itself") {
  const std::vector<float> values{3, 1, 2};
  const unsized_view<float> v({values.data(), 1000});
  CHECK(v.size() == 1000);
  CHECK(v[2] == 2);
  const auto part = wf::part_of(v, 1, 2);
  static_assert(std::is_same_v<decltype(part), const wf::contiguous_view<float>>);
  CHECK(part[0] == 1);
  const auto twice = wf::project(values, [](float x) { return 2 * x; });
  CHECK(wf::part_of(wf::detail::unsized(twice), 1, 2)[1] == 4);
}
