// device_buffer without a GPU: empty ones need none, and sizes that no memory has are refused
// first.
#include <cstdlib>

#include <warpfold/runtime/buffer.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace wf = warpfold;

namespace {

// Before the first CUDA call, which reads it.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

}  // namespace

static_assert(!std::is_copy_constructible_v<wf::device_buffer<int>>);
static_assert(!std::is_copy_assignable_v<wf::device_buffer<int>>);
static_assert(std::is_nothrow_move_constructible_v<wf::device_buffer<int>>);
static_assert(!std::is_convertible_v<std::size_t, wf::device_buffer<int>>);
static_assert(std::is_constructible_v<wf::device_buffer<int>, const std::vector<int>&>);
static_assert(!std::is_constructible_v<wf::device_buffer<int>, const std::vector<float>&>);

TEST_CASE("a buffer of no elements makes no CUDA call that could fail") {
  REQUIRE(hidden);
  const wf::device_buffer<double> none;
  const wf::device_buffer<double> empty(0);
  const wf::device_buffer<double> of_nothing(std::vector<double>{});
  for (const auto* b : {&none, &empty, &of_nothing}) {
    CHECK(b->data() == nullptr);
    CHECK(b->size() == 0);
    CHECK(b->to_host().empty());
  }
}

TEST_CASE("more elements than there are addresses are out_of_memory, not few of them") {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS_WITH_AS(wf::device_buffer<int>(most / 4 + 1),
                       doctest::Contains("4611686018427387904 elements exceeds the address space"),
                       wf::out_of_memory);
  CHECK_THROWS_AS(wf::device_buffer<int>(10), wf::no_device);
}
