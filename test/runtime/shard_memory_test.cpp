// The memory of a shard on the host: aligned as a GPU's, and copies of blocks.
#include <warpfold/runtime/shard_memory.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace wf = warpfold;

TEST_CASE("the host's memory is aligned as a GPU's, and copies keep the steps") {
  const auto place = wf::runtime::host_place();
  void* const p = place.functions->allocate(place, 7);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 256 == 0);
  const unsigned char from[] = {1, 2, 3, 4, 5, 6, 7, 8};
  place.functions->require_ready(place);
  place.functions->copy(place, {p, 2, from, 3, 2, 3}, true);
  std::vector<unsigned char> to(9);
  place.functions->copy(place, {to.data(), 3, p, 2, 2, 3}, false);
  place.functions->wait(place);
  CHECK(to == std::vector<unsigned char>{1, 2, 0, 4, 5, 0, 7, 8, 0});
  place.functions->free(p);
}

TEST_CASE("more memory than there is throws") {
  const auto place = wf::runtime::host_place();
  CHECK_THROWS_AS((void)place.functions->allocate(place, static_cast<std::size_t>(-1) / 4),
                  wf::out_of_memory);
}
