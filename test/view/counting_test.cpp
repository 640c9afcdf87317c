// counting: consecutive numbers, by index and by chunk, that wrap and read no memory.
#include <warpfold/view/counting.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "contract/view_contract.hpp"

static_assert(wf::counting(7, 10)[3] == 10);
static_assert(wf::counting(-2ll, 5).size() == 5);
static_assert(std::is_same_v<decltype(wf::counting(0.5f, 2))::value_type, float>);
// In a constant expression, undefined behavior is an error: these wrap.
static_assert(wf::counting(std::numeric_limits<int>::max(), 10)[1] ==
              std::numeric_limits<int>::min());
static_assert(wf::counting(static_cast<signed char>(100), 200)[100] == -56);
static_assert(wf::counting(5u, 10)[(std::size_t{1} << 32) + 2] == 7);

TEST_CASE("chunks are the elements") {
  for (const std::size_t n : test::chunk_lengths) {
    INFO(n);
    test::check_chunks(wf::counting(7, n));
    test::check_chunks(wf::counting(std::numeric_limits<long long>::max() - 5, n));
    test::check_chunks(wf::counting(0.5, n));
  }
}

TEST_CASE("counting reads no memory, so kernels neither stage nor copy") {
  const auto view = wf::counting(0, 1000);
  CHECK(wf::bytes_of(view) == 0);
  CHECK(view.head() == wf::any_head);
  static_assert(wf::detail::arrays_of<wf::counting_view<int>>() == 0);
  static_assert(wf::tells_memory_v<wf::counting_view<int>>);
  view.visit_columns([](const void*, std::size_t) { FAIL_CHECK("a column of no memory"); });
}

TEST_CASE("the sum of the first hundred") {
  CHECK(wf::reduce(wf::seq, wf::counting(1, 100)) == 5050);
  CHECK(wf::reduce(wf::seq, wf::counting(1, 0)) == 0);
}
