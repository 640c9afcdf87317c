// kernel::ordered_columns in the emulation: the declared order of columns in words, of single
// elements and through shared memory, of one block and of several.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/kernel/axis/in_order/columns.hpp>

#include "kernel/axis/in_order/ordered.hpp"

namespace {
constexpr wf::kernel::ordered_columns columns;

/// A state of which few fit the shared memory of a block.
struct hashes_of_512_bytes {
  std::uint64_t of[64];
};
struct hash_parts {
  WARPFOLD_HD hashes_of_512_bytes operator()(const hashes_of_512_bytes& a,
                                             const hashes_of_512_bytes& b) const {
    hashes_of_512_bytes c{};
    for (int k = 0; k < 64; ++k) c.of[k] = test::ordered_hash{}(a.of[k], b.of[(k + 1) % 64]);
    return c;
  }
};

}  // namespace

TEST_CASE("words: threads beside and below each other, several matrices, and pieces") {
  for (const std::size_t length : {1u, 2u, 7u, 8u, 9u, 64u, 65u, 100u, 1000u, 3000u}) {
    test::check_ordered_columns(columns, 1, length, 4);
    test::check_ordered_columns(columns, 3, length, 16);
    test::check_ordered_columns<float, wf::plus>(columns, 1, length, 40);
  }
  test::check_ordered_columns(columns, 700, 5, 2);
  test::check_ordered_columns(columns, 1, 3, 5000);
  test::check_ordered_columns<float, wf::plus>(columns, 1, 20, 2052);
}

TEST_CASE("rows that are no words: through shared memory, in chunks, and one by one") {
  for (const std::size_t length : {1u, 15u, 16u, 17u, 300u, 5000u}) {
    for (const std::size_t across : {3u, 7u, 33u}) {
      test::check_ordered_columns(columns, 1, length, across);
      test::check_ordered_columns<float, wf::plus>(columns, 1, length, across);
    }
    test::check_ordered_columns<float, wf::plus>(columns, 5, length, 7);
  }
  test::check_ordered_columns<float, wf::plus>(columns, 1, 100, 101);
  test::check_ordered_columns<float, wf::plus>(columns, 1, 100, 8, 1);
  test::check_ordered_columns(columns, 2, 260, 99, 1);
}

TEST_CASE("columns of many small matrices: a thread takes all rows") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  for (const std::size_t length : {2u, 16u, 33u, 100u, 259u}) {
    const auto check = [&]<class T>(T, const auto& op, std::size_t across) {
      const std::size_t matrices = 4200 / across;
      const auto all =
          test::check_order<T>(columns, op, length, across,
                               test::shape({matrices, across}, {length * across, 1}), 0, gpu);
      CHECK(all.launches[0].barriers == 0);
    };
    check(float{}, wf::plus{}, 7);
    check(float{}, wf::plus{}, 8);  // words
    check(std::uint64_t{}, test::ordered_hash{}, 3);
  }
  // Too few columns, and too large matrices: threads share the rows.
  const auto few = test::check_order<float>(columns, wf::plus{}, 100, 7,
                                            test::shape({100, 7}, {700, 1}), 0, gpu);
  CHECK(few.launches[0].barriers != 0);
  const auto large = test::check_order<float>(columns, wf::plus{}, 1500, 7,
                                              test::shape({150, 7}, {10500, 1}), 0, gpu);
  CHECK(large.launches[0].barriers != 0);
}

TEST_CASE("columns a warp apart: lines that end anywhere, and pieces") {
  // Data of more than 32 KB for each multiprocessor; others take narrower blocks.
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  for (const std::size_t across : {64u, 65u, 95u, 96u, 97u, 127u, 128u, 129u, 257u, 1021u}) {
    const auto kept = test::shape({across}, {1});
    for (const std::size_t length : {1u, 9u, 70u, 129u, 300u}) {
      test::check_order<float>(columns, wf::plus{}, length, across, kept, 1, gpu);
    }
    const auto outers = test::shape({7, across}, {40 * across, 1});
    test::check_order<std::uint64_t>(columns, test::ordered_hash{}, 40, across, outers, 1, gpu);
    test::check_order<float>(columns, wf::plus{}, 40, across, outers, 3, gpu);
  }
  using three = test::byte_hash<12, std::uint32_t>;
  test::check_order<three>(columns, test::hash_bytes{}, 40, 131, test::shape({131}, {1}), 1, gpu);
  // Results in another order.
  test::check_order<float>(columns, wf::plus{}, 30, 2000, test::shape({650, 3}, {1, 660}), 1, gpu);
  // So many columns that a thread takes all rows.
  for (const std::size_t length : {9u, 17u, 64u}) {
    const auto all = test::check_order<float>(columns, wf::plus{}, length, 4201,
                                              test::shape({4201}, {1}), 1, gpu);
    CHECK(all.launches[0].barriers == 0);
  }
  gpu.l2_bytes = 4096;
  const auto two =
      test::check_order<float>(columns, wf::plus{}, 3000, 101, test::shape({101}, {1}), 0, gpu);
  CHECK(two.launches.size() == 2);
}

TEST_CASE("columns a warp apart: the lanes of a load are neighbors") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  const auto report =
      test::check_order<float>(columns, wf::plus{}, 64, 1025, test::shape({1025}, {1}), 0, gpu);
  std::size_t requests = 0, sectors = 0;
  for (const auto& site : report.launches[0].sites) {
    if (site.what != wf::emulation::traffic::global_load) continue;
    requests += site.requests;
    sectors += site.sectors;
  }
  // Four sectors, or five where a row does not start at one.
  CHECK(sectors <= 5 * requests);
  CHECK(sectors > 3 * requests);
}

TEST_CASE("one launch for small data; a second one beyond the cache") {
  CHECK(test::check_ordered_columns<float, wf::plus>(columns, 1, 3000, 8).launches.size() == 1);
  // The emulated GPU has an L2 cache of some size; this matrix is larger.
  const std::size_t rows = wf::emulation::default_gpu.l2_bytes / sizeof(float) / 8 + 100;
  const auto report = test::check_ordered_columns<float, wf::plus>(columns, 1, rows, 8);
  REQUIRE(report.launches.size() == 2);
  CHECK(report.launches[1].launch.kernel == std::string("ordered_pieces"));
  // So many pieces that their values are folded in two steps.
  CHECK(report.launches[1].launch.shape.grid.count() > 1);
}

TEST_CASE("one launch whose pieces are folded in two steps") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 132;
  const auto report =
      test::check_order<float>(columns, wf::plus{}, 150'000, 12, test::shape({12}, {1}), 0, gpu);
  CHECK(report.launches.size() == 1);
  CHECK(report.launches[0].launch.shape.grid.count() > wf::kernel::ordered_columns::piece_group);
}

TEST_CASE("small folds: many blocks of whole columns, as narrow as a sector") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 132;
  const auto blocks = [&](std::size_t length, std::size_t across) {
    const auto r = test::check_order<float>(columns, wf::plus{}, length, across,
                                            test::shape({across}, {1}), 0, gpu);
    CHECK(r.launches.size() == 1);
    CHECK(r.launches[0].total(wf::emulation::traffic::global_store).requests != 0);
    return r.launches[0].launch.shape;
  };
  CHECK(blocks(128, 128).grid.count() == 16);
  CHECK(blocks(128, 128).block.count() == 32);
  CHECK(blocks(1000, 1000).grid.count() == 125);
  CHECK(blocks(1000, 8).grid.count() == 1);
  // Single elements.
  CHECK(blocks(1000, 1001).grid.count() == 126);
  CHECK(blocks(100, 101).grid.count() > 10);
}

TEST_CASE("few pieces of small folds, so that the last block folds them in one step") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 132;
  const auto report =
      test::check_order<float>(columns, wf::plus{}, 10'000, 17, test::shape({17}, {1}), 0, gpu);
  const auto& shape = report.launches[0].launch.shape;
  CHECK(report.launches.size() == 1);
  CHECK(shape.grid.count() > 1);
  CHECK(shape.grid.count() <= 8 * (shape.block.count() / 17));
}

TEST_CASE("states that are larger than a word, and columns without elements") {
  test::check_order<test::wide_hash>(columns, test::hash_each{}, 70, 3, test::shape({3}, {1}));
  test::check_order<hashes_of_512_bytes>(columns, hash_parts{}, 300, 3, test::shape({3}, {1}));
  std::vector<float> out(5, 1.0f);
  const auto kept = test::shape({5}, {1});
  const wf::axis_reduction<float, wf::plus, float> none{
      out.data(), out.data(), wf::detail::layout_of(0, 5, kept, kept.row_major()), 0, 5, {}};
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  on.allow(out.data(), out.size() * sizeof(float), true);
  columns.enqueue(none, on);
  CHECK(out == std::vector<float>(5, 0.0f));
}
