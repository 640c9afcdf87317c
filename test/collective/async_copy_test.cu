// async_copies on a GPU; see contract/staged_words.hpp.
#include <warpfold/collective/async_copy.hpp>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/staged_words.hpp"

namespace wf = warpfold;

TEST_CASE("the next tile is on its way while one is read") {
  const std::vector<unsigned> numbers = test::staged_words::numbers();
  const wf::device_buffer<unsigned> from(numbers);
  for (int run = 0; run < 20; ++run) {
    wf::device_buffer<unsigned> to(std::vector<unsigned>(numbers.size()));
    wf::runtime::launch({"async_copy", test::staged_words::shape()},
                        test::async_copy_body{from.data(), {to.data(), to.size()}}, nullptr);
    CHECK(test::device_memory::values(to.data(), to.size()) == numbers);
  }
}
