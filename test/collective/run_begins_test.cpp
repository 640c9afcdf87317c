// run_begins: the places where runs begin among the keys of a warp, for each width of loads.
// needs: boost_context
#include <warpfold/collective/run_begins.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

// What a warp finds among the first `there` keys of `view`, which follow the key `before`.
template <class View>
void check_begins(const View& view, unsigned there, bool is_first,
                  typename View::value_type before) {
  using elements = wf::collective::warp_elements<View, 16>;
  INFO(there, " keys, ", elements::width, " in a row of a lane, ", is_first);
  constexpr unsigned from = 3, first = 100;
  std::vector<std::uint16_t> places(elements::of_warp + from, 0xffff);
  std::vector<unsigned> found(3 * 32);
  test::emulated_launch on;
  on.launcher().allow_all_loads();
  const auto out = on.array(places);
  const auto out_found = on.array(found);
  on.run({1, 32}, [=] {
    WARPFOLD_SHARED wf::collective::shared_array<std::uint16_t, elements::of_warp + 3> begins;
    const elements keys(view, 0, there, true, wf::global_loads(wf::caching::keep));
    const wf::collective::run_begins<elements> own(
        keys, there, is_first, before, [](const auto& a, const auto& b) { return a == b; });
    own.store(begins, from, first);
    const unsigned all[3] = {own.count(), own.last(), own.remainders()};
    for (unsigned k = 0; k < 3; ++k) out_found.store(3 * threadIdx.x + k, all[k]);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < own.count(); k += 32) {
      out.store(from + k, begins.load(from + k));
    }
  });
  std::vector<std::uint16_t> want(from, 0xffff);
  unsigned last = 0, remainders = 0;
  for (unsigned i = 0; i < there; ++i) {
    const bool begins_run = i == 0 ? is_first || !(before == view[0]) : !(view[i - 1] == view[i]);
    if (!begins_run) continue;
    want.push_back(static_cast<std::uint16_t>(first + i));
    last = i + 1;
    remainders |= 1u << (i % 8);
  }
  const auto count = static_cast<unsigned>(want.size() - from);
  want.resize(places.size(), 0xffff);
  CHECK(places == want);
  if ((remainders & (remainders - 1)) != 0) remainders = 0xff;
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(found[3 * lane] == count);
    CHECK(found[3 * lane + 1] == last);
    const unsigned own = found[3 * lane + 2];
    CHECK(((own & (own - 1)) != 0 ? 0xff : own) == remainders);
  }
}

template <class Key>
void check_keys(std::size_t run) {
  std::vector<Key> keys(2 * 512);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>((i + 5) / run % 3);
  for (const unsigned there : {0u, 1u, 2u, 31u, 33u, 130u, 511u, 512u}) {
    const wf::contiguous_view<Key> view(keys.data(), there == 0 ? 1 : there);
    check_begins(view, there, false, static_cast<Key>(7));
    check_begins(view, there, false, keys[0]);
    check_begins(view, there, true, keys[0]);
  }
  const auto every_second = wf::strided(keys, 2);
  check_begins(every_second, 512, false, keys[0]);
  check_begins(every_second, 512, true, keys[0]);
}

}  // namespace

TEST_CASE("count, places, last one and remainders, for runs of each length and keys of each size") {
  for (const std::size_t run : {1, 2, 3, 4, 8, 10, 16, 40, 600}) {
    INFO("runs of ", run);
    check_keys<std::uint8_t>(run);
    check_keys<std::uint16_t>(run);
    check_keys<int>(run);
    check_keys<std::uint64_t>(run);
  }
}
