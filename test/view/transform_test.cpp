// project: a function of each element, applied to registers after the loads of the view beneath.
#include <warpfold/view/transform.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>

#include <warpfold/op/in_register.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/zip.hpp>

#include "contract/view_contract.hpp"

namespace {

struct triple {
  float x;
  int y;
  unsigned z;
};
struct doubled {
  template <class T>
  T operator()(const T& x) const {
    return static_cast<T>(2 * x);
  }
};

using ints = wf::contiguous_view<const int>;
template <class F, class View = ints>
using projected = wf::transform_view<View, F>;

}  // namespace

static_assert(wf::view<projected<doubled>>);

// The loads are those of the view beneath.
static_assert(projected<doubled>::chunk_size == ints::chunk_size);
static_assert(std::is_same_v<projected<doubled>::chunk_type, ints::chunk_type>);
static_assert(std::is_same_v<projected<doubled>::array_chunk, ints::array_chunk>);
static_assert(projected<doubled>::arrays == 1 && projected<doubled>::array_bytes == 4);
static_assert(projected<doubled, wf::counting_view<int>>::arrays == 0);
static_assert(wf::tells_memory_v<projected<doubled>>);

// A member is loaded, not computed; a function computes, unless in_register guards its result.
static_assert(projected<doubled>::computes_elements);
static_assert(!projected<int triple::*, wf::contiguous_view<const triple>>::computes_elements);
static_assert(!projected<wf::in_register, projected<doubled>>::computes_elements);

TEST_CASE("functions of the elements of a zip, and functions that are not const") {
  const auto a = test::any_values<int>(33);
  const auto b = test::any_values<short>(33);
  const auto both = wf::zip(a, b);
  const auto differences = wf::project(both, [](int x, short y) { return x - 2ll * y; });
  test::check_chunks(differences);
  CHECK(differences[7] == a[7] - 2ll * b[7]);
  const auto counted = wf::project(a, [calls = 0ll](int x) mutable { return x + ++calls; });
  test::check_chunks(counted);
  CHECK(counted[5] == a[5] + 1ll);
  CHECK(counted[6] == a[6] + 1ll);
}

TEST_CASE("elements, chunks and single loads are the function of those beneath") {
  const auto values = test::any_values<int>(100);
  for (const std::size_t offset : test::offsets<int>()) {
    const test::host_memory::array<int> placed(values, offset);
    for (const std::size_t n : test::chunk_lengths) {
      INFO(n, " elements at offset ", offset);
      const auto view = wf::project(std::span(placed.data(), n),
                                    [](int x) { return static_cast<long long>(x) * x; });
      static_assert(std::is_same_v<decltype(view)::value_type, long long>);
      test::check_chunks(view);
      CHECK(view.size() == n);
      CHECK(view.head() == view.base().head());
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(view[i] == static_cast<long long>(values[i]) * values[i]);
      }
      CHECK(wf::bytes_of(view) == n * sizeof(int));
    }
  }
}

TEST_CASE("the function runs once for each element that is read, and not when the view is made") {
  const std::vector<int> v = {1, 2, 3};
  int calls = 0;
  const auto view = wf::project(v, [&calls](int x) {
    ++calls;
    return x;
  });
  CHECK(calls == 0);
  CHECK(wf::reduce(wf::seq, view) == 6);
  CHECK(calls == 3);
}

TEST_CASE("projections of projections, and of proxy references") {
  const std::vector<int> v = {1, 2, 3};
  const auto twice = wf::project(wf::project(v, doubled{}), doubled{});
  CHECK(twice[2] == 12);
  CHECK(twice.base()[2] == 6);
  CHECK(twice.function()(5) == 10);
  const std::vector<std::string> names = {"a", "bcd"};
  CHECK(wf::reduce(wf::seq, wf::project(names, [](const std::string& s) { return s.size(); })) ==
        4);
}

TEST_CASE("a pointer to a member is a function") {
  const std::vector<triple> v = {{1, 2, 3}, {4, 5, 6}};
  const auto view = wf::project(v, &triple::y);
  static_assert(std::is_same_v<decltype(view)::value_type, int>);
  CHECK(view[1] == 5);
  CHECK(wf::reduce(wf::seq, view) == 7);
}

TEST_CASE("columns are those of the view beneath, if it has some") {
  const std::vector<int> v = {1, 2};
  int columns = 0;
  wf::project(v, doubled{}).visit_columns([&](const void* p, std::size_t bytes) {
    CHECK(p == v.data());
    CHECK(bytes == sizeof(int));
    ++columns;
  });
  CHECK(columns == 1);
  static_assert(
      !wf::has_columns<decltype(wf::project(wf::as_view(v.rbegin(), v.rend()), doubled{}))>);
}

TEST_CASE("a function that returns a reference to a member makes values") {
  const std::vector<triple> v = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  const auto view = wf::project(v, [](const triple& t) -> const int& { return t.y; });
  static_assert(std::is_same_v<decltype(view)::value_type, int>);
  test::check_chunks(view);
  CHECK(wf::reduce(wf::seq, view) == 15);
}
