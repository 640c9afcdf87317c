// column_reduce: each column's fold, for every height, several states a thread, threads outside of
// columns, the order of combination, and the barriers between two steps.
// needs: boost_context
#include <warpfold/collective/column_reduce.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

/// Folds columns of `height` threads in a block of `threads`: thread t is in column t % width, its
/// k-th state is `value(k, column, y)`. Returns the results, column after column.
template <int Size, class Value>
std::vector<float> columns(unsigned threads, unsigned width, unsigned height, const Value& value) {
  std::vector<float> results(width * static_cast<unsigned>(Size));
  test::emulated_launch on;
  const auto out = on.array(results);
  const unsigned slots = width * (height / 2);
  constexpr auto size = static_cast<unsigned>(Size);
  const auto& counts = on.run({1, threads, slots * size * sizeof(float)}, [=] {
    const auto storage = dynamic_shared<float>(slots * size);
    const unsigned x = threadIdx.x % width, y = threadIdx.x / width;
    const bool inside = y < height;
    float seen[std::size_t{Size}];
    for (int k = 0; k < Size; ++k) seen[k] = inside ? value(k, x, y) : -1000.0f;
    column_reduce<Size>(wf::fold<plus, float>{}, seen, storage, y, height, inside,
                        [=](unsigned i) { return i * width + x; });
    if (y == 0) {
      for (int k = 0; k < Size; ++k) out.store(x * size + static_cast<unsigned>(k), seen[k]);
    }
  });
  unsigned steps = 0;
  for (unsigned n = height; n > 1; n = (n + 1) / 2) ++steps;
  CHECK(counts.barriers == 2 * steps * (threads / 32));
  return results;
}

}  // namespace

TEST_CASE("each column's sum, of every height") {
  for (unsigned height = 1; height <= 19; ++height) {
    for (const unsigned width : {1u, 5u, 8u}) {
      INFO(width, " columns of ", height);
      const unsigned threads = (width * height + 31) / 32 * 32;  // some are outside
      const auto got = columns<3>(threads, width, height, [](int k, unsigned x, unsigned y) {
        return static_cast<float>(100 * k + static_cast<int>(10 * x + y * y));
      });
      for (unsigned x = 0; x < width; ++x) {
        for (int k = 0; k < 3; ++k) {
          float sum = 0;
          for (unsigned y = 0; y < height; ++y) {
            sum += static_cast<float>(100 * k + static_cast<int>(10 * x + y * y));
          }
          CHECK(got[x * 3 + static_cast<unsigned>(k)] == sum);
        }
      }
    }
  }
}

TEST_CASE("the upper half is combined with the lower half, the middle of an odd number waits") {
  constexpr float large = 16777216;  // large + 1 == large
  const auto sum = [](unsigned height, std::vector<float> of) {
    of.resize(32);
    return columns<1>(32, 1, height,
                      [data = of.data()](int, unsigned, unsigned y) { return data[y]; })[0];
  };
  CHECK(sum(4, {large, 1, 0, 1}) == large + 2);     // 1 and 3 meet first
  CHECK(sum(4, {large, 1, 1, 0}) == large);         // 0 and 2 do
  CHECK(sum(5, {large, 1, 0, 0, 1}) == large + 2);  // 3 to 0, 4 to 1; then 1 after 2
  CHECK(sum(5, {large, 0, 1, 1, 0}) == large);
}

TEST_CASE("two uses of one storage need no barrier between") {
  // The last step ends with one.
  test::emulated_launch on;
  const auto twice = [] {
    const auto storage = dynamic_shared<float>(16);
    float seen[1] = {1};
    for (int i = 0; i < 2; ++i) {
      column_reduce<1>(wf::fold<plus, float>{}, seen, storage, threadIdx.x, 32, true,
                       [](unsigned t) { return t; });
    }
  };
  CHECK(on.error_of({1, 32, 64}, twice) == "");
}

TEST_CASE("room for half of the threads is enough, and less is an error") {
  test::emulated_launch on;
  const auto with_room = [](unsigned room) {
    return [=] {
      const auto storage = dynamic_shared<float>(room);
      float seen[1] = {1};
      column_reduce<1>(wf::fold<plus, float>{}, seen, storage, threadIdx.x, 31, threadIdx.x < 31,
                       [](unsigned t) { return t; });
    };
  };
  CHECK(on.error_of({1, 32, 64}, with_room(15)) == "");
  CHECK_ERROR(on.error_of({1, 32, 64}, with_room(14)),
              "writes element 14 of a shared array that has 14");
}
