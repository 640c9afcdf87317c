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

TEST_CASE("columns of small matrices: lanes of a result, matrices of a tile, and the last tile") {
  constexpr wf::kernel::ordered_row_tiles tiles;
  for (const std::size_t across : {2u, 3u, 7u, 17u, 33u}) {
    for (const std::size_t length : {2u, 5u, 16u, 31u, 100u, 120u}) {
      for (const std::size_t outers : {1u, 2u, 5u, 41u}) {
        test::check_ordered_columns<float, wf::plus>(tiles, outers, length, across);
      }
      if (length > 60) continue;  // one matrix of some fills a tile
      test::check_ordered_columns(tiles, 9, length, across);
    }
  }
  // One matrix for each tile, and 32 lanes for each result.
  test::check_ordered_columns<float, wf::plus>(tiles, 3, 2048, 2);
  test::check_ordered_columns<float, wf::plus>(tiles, 3, 1364, 3);
  test::check_ordered_columns<float, wf::plus>(tiles, 3, 584, 7);
  test::check_ordered_columns<double, wf::plus>(tiles, 3, 1024, 2);
  test::check_ordered_columns<double, wf::plus>(tiles, 7, 290, 7);
}

TEST_CASE("columns of matrices: small elements, and results in another order") {
  constexpr wf::kernel::ordered_row_tiles tiles;
  using bytes = test::byte_hash<1, std::uint8_t>;
  using shorts = test::byte_hash<2, std::uint16_t>;
  using three = test::byte_hash<12, std::uint32_t>;
  for (const std::size_t length : {3u, 64u, 1000u}) {
    test::check_order<bytes>(tiles, test::hash_bytes{}, length, 2,
                             test::shape({33, 2}, {2 * length, 1}));
    test::check_order<shorts>(tiles, test::hash_bytes{}, length, 5,
                              test::shape({17, 5}, {5 * length, 1}));
  }
  for (const std::size_t length : {3u, 64u, 100u}) {
    test::check_order<three>(tiles, test::hash_bytes{}, length, 7,
                             test::shape({17, 7}, {7 * length, 1}));
    // Transposed results.
    test::check_order<float>(tiles, wf::plus{}, length, 7, test::shape({7, 17}, {1, 7 * length}));
  }
}

TEST_CASE("lanes of a result do not share a bank") {
  constexpr wf::kernel::ordered_row_tiles tiles;
  for (const auto& shape : {std::pair{2048u, 2u}, {1364u, 3u}, {584u, 7u}, {100u, 7u}}) {
    const unsigned length = shape.first, across = shape.second;
    INFO(length, " x ", across);
    const auto report = test::check_ordered_columns<float, wf::plus>(tiles, 4, length, across);
    for (const auto& site : report.launches[0].sites) {
      if (site.what != wf::emulation::traffic::shared_load) continue;
      CHECK(site.wavefronts <= 4 * site.requests);
    }
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

TEST_CASE("which matrices suit it") {
  std::vector<wf::word> memory(64);
  const auto* const in = reinterpret_cast<const float*>(memory.data());
  const auto suits = [](const float* from, std::size_t matrices, std::size_t length,
                        std::size_t across, std::size_t gap = 0) {
    const auto kept = test::shape({matrices, across}, {length * across + gap, 1});
    return wf::kernel::ordered_row_tiles::suit(wf::axis_reduction<float, wf::plus, float>{
        from, nullptr, wf::detail::layout_of(length, across, kept, kept.row_major()), 1, 1, {}});
  };
  CHECK(suits(in, 10, 3, 3));
  CHECK(suits(in, 10, 9, 7));
  CHECK_FALSE(suits(in, 10, 10, 7));     // above 256 bytes
  CHECK_FALSE(suits(in, 10, 5, 8));      // whole words
  CHECK_FALSE(suits(in, 10, 5, 7, 4));   // gaps
  CHECK_FALSE(suits(in + 1, 10, 5, 7));  // not at a word
  CHECK_FALSE(suits(in, 1, 5, 7));       // one matrix
  CHECK_FALSE(suits(in, 10, 1, 7));
}
