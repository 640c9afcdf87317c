// kernel::ordered_row_tiles in the emulation: the declared order of rows that go through shared
// memory.
// needs: boost_context
#include <warpfold/kernel/axis/in_order/row_tiles.hpp>

#include "kernel/axis/in_order/ordered.hpp"

TEST_CASE("one lane and several, of rows shorter and longer than four elements") {
  constexpr wf::kernel::ordered_row_tiles tiles;
  for (const std::size_t length : {2u, 3u, 5u, 7u, 9u, 17u, 33u, 63u}) {
    for (const std::size_t rows : {1u, 5u, 1400u}) {
      test::check_order<float>(tiles, wf::plus{}, length, 1, test::shape({rows}, {length}));
    }
  }
  for (const std::size_t length : {1u, 3u, 17u, 31u}) {
    test::check_order<std::uint64_t>(tiles, test::ordered_hash{}, length, 1,
                                     test::shape({300}, {length}));
  }
}

TEST_CASE("which rows suit it") {
  std::vector<wf::word> memory(64);
  const auto* const in = reinterpret_cast<const float*>(memory.data());
  const auto suits = [](const float* from, std::size_t rows, std::size_t length,
                        std::size_t pitch) {
    const auto kept = test::shape({rows}, {pitch});
    return wf::kernel::ordered_row_tiles::suit(wf::axis_reduction<float, wf::plus, float>{
        from, nullptr, wf::detail::layout_of(length, 1, kept, kept.row_major()), 1, 1, {}});
  };
  CHECK(suits(in, 10, 7, 7));
  CHECK_FALSE(suits(in, 10, 8, 8));      // whole words
  CHECK_FALSE(suits(in, 10, 7, 8));      // gaps
  CHECK_FALSE(suits(in + 1, 10, 7, 7));  // not at a word
  CHECK_FALSE(suits(in, 10, 65, 65));    // long
  CHECK(suits(in, 1, 63, 1));
}
