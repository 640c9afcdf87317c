// counted: the first elements of a range, whose number lies in memory.
#include <warpfold/view/counted.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

#include "contract/policy_contract.hpp"

namespace wf = warpfold;

namespace {

struct plain_loads {
  template <class T>
  T load(const T* from) const {
    return *from;
  }
};

using ints = wf::counted_view<wf::contiguous_view<const int>, unsigned>;
const std::vector<int> values = {1, 2, 3, 4, 5};

template <class Count>
std::size_t size_for(Count count) {
  auto view = wf::counted(values, &count);
  view.read_size(plain_loads{});
  return view.size();
}
template <class Count>
std::size_t size_on_host(Count count) {
  auto view = wf::counted(values, &count);
  view.read_size_on_host();
  return view.size();
}

}  // namespace

// Views over it also have a size in memory; others have none.
static_assert(wf::detail::has_size_in_memory<ints>);
static_assert(wf::detail::has_size_in_memory<wf::zip_view<wf::contiguous_view<float>, ints>>);
static_assert(!wf::detail::has_size_in_memory<wf::zip_view<wf::contiguous_view<float>>>);
// Its memory is more than its elements.
static_assert(!ints::is_contiguous && wf::has_columns<ints>);
static_assert(std::is_void_v<ints::array_chunk> && ints::arrays == 2);

TEST_CASE("the size is the limit until it is read") {
  unsigned count = 3;
  auto view = wf::counted(values, &count);
  CHECK(view.size() == 5);
  count = 2;
  view.read_size(plain_loads{});
  CHECK(view.size() == 2);
  CHECK(view[1] == 2);
}

TEST_CASE("a kernel reads at most the whole range, and nothing for a negative count") {
  CHECK(size_for(std::size_t{4}) == 4);
  CHECK(size_for(std::size_t{6}) == 5);
  CHECK(size_for(0) == 0);
  CHECK(size_for(-1) == 0);
  CHECK(size_for(-1ll) == 0);
  CHECK(size_for(~0ull) == 5);
}

TEST_CASE("the host reports a count that is negative or too large") {
  CHECK(size_on_host(short{5}) == 5);
  test::check_throws<wf::invalid_range>([] { (void)size_on_host(6u); },
                                        "the count of a counted range is 6, but the range has 5");
  test::check_throws<wf::invalid_range>([] { (void)size_on_host(-2); },
                                        "the count of a counted range is -2");
}

TEST_CASE("projections and zips read the size of the views beneath") {
  int count = 2;
  auto view = wf::zip(values, wf::project(wf::counted(values, &count), [](int x) { return -x; }));
  CHECK(view.size() == 5);
  view.read_size_on_host();
  CHECK(view.size() == 2);
  CHECK(wf::get<1>(view[1]) == -2);
}

TEST_CASE("the count is memory that is read") {
  const std::size_t count = 2;
  std::vector<std::size_t> bytes;
  const auto view = wf::counted(values, &count);
  view.visit_memory([&](const void* p, std::size_t n, std::size_t alignment) {
    bytes.push_back(n);
    if (n == sizeof count) CHECK(p == &count);
    CHECK(alignment <= alignof(std::size_t));
  });
  CHECK(bytes == std::vector<std::size_t>{5 * sizeof(int), sizeof count});
}

TEST_CASE("views over it tell where the size is") {
  const std::size_t count = 2;
  const auto sizes_of = [](const auto& view) {
    std::vector<const void*> sizes;
    wf::detail::visit_sizes(view, [&](const void* p, std::size_t n, std::size_t alignment) {
      sizes.push_back(p);
      CHECK(n == sizeof count);
      CHECK(alignment == alignof(std::size_t));
    });
    return sizes;
  };
  const std::vector<const void*> one{&count};
  const auto some = wf::counted(values, &count);
  CHECK(sizes_of(some) == one);
  CHECK(sizes_of(wf::project(some, [](int x) { return -x; })) == one);
  CHECK(sizes_of(wf::zip(values, some)) == one);
  CHECK(sizes_of(wf::as_view(values)).empty());
  std::size_t columns = 0;
  some.visit_columns([&](const void* p, std::size_t) { columns += p == values.data(); });
  CHECK(columns == 1);
}
