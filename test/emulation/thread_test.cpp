// The interface between an emulated thread and its block: what the arrays and loads of the library
// say of each access, with the caller's line; and that loads of views are plain outside of it.
#include <warpfold/emulation/thread.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <warpfold/collective/bulk_copy.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>

#include "contract/recorded_thread.hpp"

namespace {

using namespace warpfold;
using emulation::access;

/// The only call that `thread` has recorded, in the line `line` of this file.
test::recorded_thread::call only_call(const test::recorded_thread& thread, int line) {
  REQUIRE(thread.calls.size() == 1);
  CHECK(thread.calls[0].at == site{__FILE__, line});
  return thread.calls[0];
}

}  // namespace

TEST_CASE("there is no thread outside the emulation, and views load nevertheless") {
  CHECK(emulation::current_thread == nullptr);
  alignas(16) int values[4] = {1, 2, 3, 4};
  CHECK(global_loads(caching::keep).load(values + 2) == 3);
  CHECK(global_loads(caching::keep).load_word(values).part[3] == 4);
  const global_access plain;
  CHECK(plain.load(values + 1) == 2);
  plain.store(values, 9);
  CHECK(values[0] == 9);
}

TEST_CASE("a thread is that of its host thread until it ends") {
  {
    const test::recorded_thread thread;
    CHECK(emulation::current_thread == &thread);
  }
  CHECK(emulation::current_thread == nullptr);
}

TEST_CASE("arrays in global memory") {
  double values[3] = {1, 2, 3};
  const collective::global_array<double> a{values, 3};
  {
    test::recorded_thread thread;
    CHECK(a.load(1) == 2);
    const auto c = only_call(thread, __LINE__ - 1);
    CHECK(c.member == "touch_global");
    CHECK(c.p == values + 1);
    CHECK(c.bytes == 8);
    CHECK(c.alignment == alignof(double));
    CHECK(c.what == access::load);
  }
  {
    test::recorded_thread thread;
    a.store(2, 7);
    const auto c = only_call(thread, __LINE__ - 1);
    CHECK(c.member == "touch_global");
    CHECK(c.p == values + 2);
    CHECK(c.what == access::store);
    CHECK(values[2] == 7);
  }
}

TEST_CASE("loads of a range have the line where the loads were made") {
  alignas(16) float values[4] = {1, 2, 3, 4};
  test::recorded_thread thread;
  const global_loads loads(caching::stream);
  const int line = __LINE__ - 1;
  (void)loads.load_word(values);
  const auto c = only_call(thread, line);
  CHECK(c.what == access::load_of_range);
  CHECK(c.bytes == 16);
  CHECK(c.alignment == 16);
}

TEST_CASE("arrays in shared memory") {
  collective::shared_array<short, 8> values;
  {
    test::recorded_thread thread;
    values.store(5, 3);
    const auto c = only_call(thread, __LINE__ - 1);
    CHECK(c.member == "touch_shared");
    CHECK(c.place.array == &values);
    CHECK(c.place.size == 8);
    CHECK(c.place.element_bytes == 2);
    CHECK(c.place.alignment == 2);
    CHECK(c.i == 5);
    CHECK(c.count == 1);
    CHECK(c.what == access::store);
  }
  {
    test::recorded_thread thread;
    const collective::shared_span<short> all = values;
    CHECK(all.load_run<2>(4)(1) == 3);
    const auto c = only_call(thread, __LINE__ - 1);
    CHECK(c.i == 4);
    CHECK(c.count == 2);
    CHECK(c.what == access::load);
  }
}

TEST_CASE("the size of dynamic shared memory is in bytes") {
  test::recorded_thread thread;
  const auto values = collective::dynamic_shared<double>(5);
  const auto c = only_call(thread, __LINE__ - 1);
  CHECK(c.member == "dynamic_shared");
  CHECK(c.bytes == 40);
  CHECK(values.size() == 5);
}

TEST_CASE("a bulk copy says both its ends") {
  test::recorded_thread thread;
  alignas(16) unsigned char from[64] = {1, 2, 3}, to[128] = {};
  collective::bulk_copies copies;
  const collective::shared_bytes bytes(to, 128);
  copies.start(bytes, 48, from, 64, global_loads(caching::keep));
  const auto c = only_call(thread, __LINE__ - 1);
  CHECK(c.member == "touch_copy");
  CHECK(c.p == from);
  CHECK(c.bytes == 64);
  CHECK(c.place.array == to);
  CHECK(c.i == 48);
  CHECK(to[50] == 3);
}
