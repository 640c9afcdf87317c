// warp_elements: every element in its place.
// needs: boost_context
#include <warpfold/collective/warp_elements.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

// Loads `there` elements from `first` on. Element i of the result is that of place i.
template <class View>
void check_loads(const View& view, std::size_t first, unsigned there, bool are_aligned) {
  using T = typename View::value_type;
  using elements = wf::collective::warp_elements<View, 16>;
  INFO(there, " of ", view.size(), " elements, ", elements::width, " in a row of a lane");
  std::vector<T> places(elements::of_warp);
  test::emulated_launch on;
  on.launcher().allow_all_loads();
  const auto out = on.array(places);
  on.run({1, 32}, [=] {
    const elements own(view, first, there, are_aligned, wf::global_loads(wf::caching::keep));
    for (unsigned r = 0; r < elements::rows; ++r) {
      for (unsigned k = 0; k < elements::width; ++k) {
        out.store(elements::place(r) + k, own.own.elements[r * elements::width + k]);
      }
    }
  });
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t last = view.size() - 1;
    wrong += places[i] != view[first + i < last ? first + i : last];
  }
  CHECK(wrong == 0);
}

template <class T>
void check_type(unsigned width) {
  CHECK(wf::collective::warp_elements<wf::contiguous_view<T>, 16>::width == width);
  std::vector<T> v(3 * 512);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(i * 31 + i / 256);
  for (const unsigned there : {1u, 31u, 300u, 511u, 512u}) {
    check_loads(wf::contiguous_view<T>(v.data(), 512 + there), 512, there, true);
    check_loads(wf::contiguous_view<T>(v.data() + 1, 512 + there), 512, there, false);
  }
  check_loads(wf::strided(v, 3), 0, 512, true);
}

}  // namespace

TEST_CASE("elements of each size, whole and cut, aligned and not") {
  check_type<std::uint8_t>(16);
  check_type<std::uint16_t>(8);
  check_type<std::uint32_t>(4);
  check_type<std::uint64_t>(2);
}
