// copy_tile: words and what is left of one, by asynchronous copies and through registers; nothing
// beyond the elements is read.
// needs: boost_context
#include <warpfold/collective/tile_copy.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

template <unsigned Held, class T>
void check_copy(unsigned count) {
  INFO(count, " elements of ", sizeof(T), " bytes");
  std::vector<T> elements(count), copied(count);
  std::iota(elements.begin(), elements.end(), T{1});
  test::emulated_launch on;
  const auto out = on.array(copied);
  const T* const in = on.read_only(elements);
  const unsigned bytes = 2 * count * static_cast<unsigned>(sizeof(T)) + 32;
  on.run({1, 64, bytes / 16 * 16}, [=] {
    const auto to = wf::collective::dynamic_shared_bytes(bytes / 16 * 16);
    // A gap after each word.
    wf::collective::copy_tile<Held>(to, in, count, wf::caching::keep,
                                    [](unsigned w) { return 2 * w * 16; });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += 64) {
      const auto at = i * static_cast<unsigned>(sizeof(T));
      out.store(i, to.template load<T>(0, at / 16 * 32 + at % 16, call_site::here()));
    }
  });
  CHECK(elements == copied);
}

}  // namespace

TEST_CASE_TEMPLATE("any number of elements", T, unsigned char, short, int, double) {
  for (const unsigned count : {1u, 3u, 4u, 7u, 16u, 33u, 100u, 255u}) {
    check_copy<0, T>(count);
    check_copy<4, T>(count);
  }
}
