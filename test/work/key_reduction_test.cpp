// The work object of reduce_by_key: where runs begin, and what it refuses.
#include <warpfold/work/key_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/unsized.hpp>

namespace wf = warpfold;

namespace {

using ints = wf::contiguous_view<const int>;
using to = wf::contiguous_output<int>;
using work = wf::key_reduction<ints, ints, wf::plus, wf::equal_keys, to, to>;
using lengths =
    wf::key_reduction<ints, wf::detail::no_values, wf::detail::no_values, wf::equal_keys, to, to>;
static_assert(wf::key_reduction_work<work> && wf::key_reduction_work<lengths>);
static_assert(!wf::segmented_reduction_work<work> && !wf::reduction_work<work>);
static_assert(work::has_values && !lengths::has_values);

}  // namespace

TEST_CASE("a run begins at the first key, and at each key that differs from the one before") {
  const std::vector<int> keys{4, 4, 5, 4};
  std::vector<int> out(4);
  const lengths k{wf::as_view(keys), {}, {}, {}, to(out.data(), 2), to(out.data() + 2, 2)};
  CHECK(k.begins_run(0));
  CHECK(!k.begins_run(1));
  CHECK(k.begins_run(2));
  CHECK(k.begins_run(3));
  k.write_key(1, 2, wf::host_stores{});
  k.write_length(0, 7, wf::host_stores{});
  CHECK(out == std::vector<int>{0, 5, 7, 0});
  CHECK(!k.has_room_for_all());
  CHECK_NOTHROW(k.require_room(2));
  CHECK_THROWS_AS(k.require_room(3), wf::invalid_range);
}

TEST_CASE("an equality without symmetry compares the key before with the key after") {
  struct descends {
    bool operator()(int a, int b) const { return b <= a; }
  };
  const std::vector<int> keys{4, 3, 5, 1};
  std::vector<int> out(8);
  const wf::key_reduction<ints, ints, wf::plus, descends, to, to> k{
      wf::as_view(keys), wf::as_view(keys), {}, {}, to(out.data(), 4), to(out.data() + 4, 4)};
  CHECK(k.continues_run(1));
  CHECK(!k.continues_run(2));
  CHECK(k.continues_run(3));
  CHECK(k.has_room_for_all());
}

TEST_CASE("keys and values of different sizes, and outputs that overlap, are refused") {
  std::vector<int> memory(12);
  int* const p = memory.data();
  const auto check = [&](std::size_t values, int* keys_out, int* values_out) {
    const work k{ints(p, 3), ints(p + 3, values), {}, {}, to(keys_out, 3), to(values_out, 3)};
    k.require_valid();
    k.require_room(3);
  };
  CHECK_NOTHROW(check(3, p + 6, p + 9));
  CHECK_THROWS_WITH_AS(check(2, p + 6, p + 9), doctest::Contains("3 keys and 2 values"),
                       wf::invalid_range);
  CHECK_THROWS_AS(check(3, p + 5, p + 9), wf::invalid_range);
  CHECK_THROWS_AS(check(3, p + 6, p + 2), wf::invalid_range);
  CHECK_THROWS_AS(check(3, p + 6, p + 8), wf::invalid_range);
}

TEST_CASE("memory beyond the elements of the runs may be that of other arrays") {
  // Two runs: keys in elements 2 to 5, values in 8 to 11, and outputs before each of them.
  std::vector<int> memory(16);
  int* const p = memory.data();
  const work k{ints(p + 2, 4), ints(p + 8, 4), {}, {}, to(p, 4), to(p + 6, 4)};
  CHECK_NOTHROW(k.require_valid());
  CHECK(!k.has_room_for_all());
  CHECK_NOTHROW(k.require_room(2));
  CHECK_THROWS_WITH_AS(k.require_room(3), doctest::Contains("overlaps the input"),
                       wf::invalid_range);
  const work beside{ints(p + 2, 4), ints(p + 8, 4), {}, {}, to(p + 12, 4), to(p + 13, 3)};
  CHECK_NOTHROW(beside.require_room(1));
  CHECK_THROWS_WITH_AS(beside.require_room(2), doctest::Contains("outputs at"), wf::invalid_range);
}

TEST_CASE("outputs of unknown size have room, and only their starts must be apart") {
  // Two runs: outputs of two elements each, one after the other, before the keys and values.
  std::vector<int> memory(12);
  int* const p = memory.data();
  using some = wf::detail::unsized<to>;
  const auto work_on = [&](int* keys_out, int* values_out) {
    return wf::key_reduction<ints, ints, wf::plus, wf::equal_keys, some, some>{
        ints(p + 4, 4), ints(p + 8, 4), {}, {}, some({keys_out, 4}), some({values_out, 4})};
  };
  const auto k = work_on(p, p + 2);
  CHECK_NOTHROW(k.require_valid());
  CHECK(k.has_room_for_all());
  CHECK(k.room() == 4);
  CHECK_NOTHROW(k.require_room([]() -> std::size_t { throw "not called"; }));
  const auto check = [](const auto& wrong, const char* message) {
    CHECK(!wrong.has_room_for_all());
    CHECK_THROWS_WITH_AS(wrong.require_room(4), doctest::Contains(message), wf::invalid_range);
  };
  check(work_on(p, p), "outputs at");
  check(work_on(p + 5, p), "overlaps the input");
  check(work_on(p, p + 8), "overlaps the input");
}
