// global_array: elements are loaded and stored where they are, each access is one of the counts,
// and an access beyond the size, misaligned or outside the launch's memory is an error.
// needs: boost_context
#include <warpfold/collective/global_array.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

/// Without a default constructor and an assignment.
class number {
 public:
  explicit number(int x) : x_(x) {}
  number(const number&) = default;
  number& operator=(const number&) = delete;
  int get() const { return x_; }

 private:
  int x_;
};

}  // namespace

TEST_CASE("every thread loads an element and stores another") {
  std::vector<number> values;
  for (int i = 0; i < 96; ++i) values.emplace_back(i);
  std::vector<number> results(96, number(0));
  test::emulated_launch on;
  const auto in = on.array(values), out = on.array(results);
  const auto& counts =
      on.run({1, 96}, [=] { out.store(95 - threadIdx.x, number(2 * in.load(threadIdx.x).get())); });
  for (int i = 0; i < 96; ++i) CHECK(results[static_cast<std::size_t>(95 - i)].get() == 2 * i);
  CHECK(counts.total(traffic::global_load).lanes == 96);
  CHECK(counts.total(traffic::global_load).requests == 3);
  CHECK(counts.total(traffic::global_store).lanes == 96);
  CHECK(counts.total(traffic::global_store).bytes_used == 96 * sizeof(number));
}

TEST_CASE("an array ends where it says, not where its memory does") {
  std::vector<int> memory(10);
  test::emulated_launch on;
  on.array(memory);
  const global_array<int> a{memory.data(), 3};
  const auto access = [=](std::size_t i, bool writes) {
    return [=] {
      if (threadIdx.x != 0) return;
      if (writes) {
        a.store(i, 1);
      } else {
        (void)a.load(i);
      }
    };
  };
  CHECK_ERROR(on.error_of({1, 32}, access(3, true)),
              "writes element 3 of an array in global memory that has 3 (global_array_test.cpp:");
  CHECK_ERROR(on.error_of({1, 32}, access(7, false)),
              "reads element 7 of an array in global memory that has 3");
  CHECK(memory[3] == 0);
  CHECK(on.error_of({1, 32}, access(2, true)) == "");
  CHECK(memory[2] == 1);
}

TEST_CASE("an array longer than its memory, or not aligned, is an error where it is used") {
  alignas(8) static std::byte memory[64];
  test::emulated_launch on;
  on.array(memory, 60);
  const auto load = [](const auto& array, std::size_t i) {
    return [=] {
      if (threadIdx.x == 0) (void)array.load(i);
    };
  };
  const global_array<double> aligned{reinterpret_cast<double*>(memory), 8};
  CHECK(on.error_of({1, 32}, load(aligned, 6)) == "");
  CHECK_ERROR(on.error_of({1, 32}, load(aligned, 7)), "outside every array of the launch");
  const global_array<int> misaligned{reinterpret_cast<int*>(memory + 2), 4};
  CHECK_ERROR(on.error_of({1, 32}, load(misaligned, 0)), "which must be a multiple of 4");
}
