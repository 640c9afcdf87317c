// kernel::block_tree: one block for all, from static and from dynamic shared memory, and its sums
// in the emulation.
// needs: boost_context
#include <warpfold/kernel/ladder/block_tree.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using static_tree = wf::kernel::block_tree<>;
using dynamic_tree = wf::kernel::block_tree<wf::kernel::shared_memory::dynamic_size>;

TEST_CASE("one launch of one block, without scratch") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{10'000'000}}) {
    const auto on = test::launches_of(static_tree{.block = 64}, n);
    CHECK(on.blocks() == counts{1});
    CHECK(on.launches[0].shape.block == wf::launch_extent(64));
    CHECK(on.launches[0].shape.shared_bytes == 0);
    CHECK(on.scratches.empty());
  }
  // A state for each thread.
  CHECK(test::launches_of(dynamic_tree{.block = 64}, 100).launches.at(0).shape.shared_bytes ==
        64 * sizeof(float));
}

TEST_CASE("sums, from either shared memory and in every size of block") {
  for (const unsigned block : {32u, 64u, 128u, 256u, 512u, 1024u}) {
    INFO("blocks of ", block);
    test::check_sums(static_tree{.block = block}, block);
    test::check_sums(dynamic_tree{.block = block}, block);
  }
}

TEST_CASE("a tree of whole warps, without bank conflicts") {
  const auto report = test::emulated_sum(static_tree{}, 1000);
  REQUIRE(report.launches.size() == 1);
  CHECK(report.launches[0].barriers == 8 * (8 + 1));
  CHECK(report.launches[0].total(test::traffic::shared_load).bank_conflicts == 0);
  const auto loads = report.launches[0].total(test::traffic::global_load);
  CHECK(loads.sectors == loads.ideal_sectors);
}

TEST_CASE("blocks that it does not take") {
  const auto range = test::elements<float>(1000);
  for (const unsigned block : {0u, 1u, 48u, 96u, 2048u}) {
    INFO("blocks of ", block);
    CHECK_REFUSED("it takes 32, 64, 128, 256, 512 or 1024", static_tree{.block = block}, range);
    CHECK_REFUSED("it takes 32, 64, 128, 256, 512 or 1024", dynamic_tree{.block = block}, range);
  }
}

TEST_CASE("states that fill the static shared memory, and that do not fit it") {
  const auto in_blocks_of = [](unsigned block, const auto& range) {
    return test::refusal_of(static_tree{.block = block}, range);
  };
  CHECK(in_blocks_of(1024, test::elements<test::float_array<12>>(10)) == "launched block_tree");
  CHECK_REFUSED("static shared memory holds 512 states of 52 bytes", static_tree{.block = 1024},
                test::elements<test::float_array<13>>(10));
  CHECK(in_blocks_of(512, test::elements<test::float_array<24>>(10)) == "launched block_tree");
}

TEST_CASE("states that fill the dynamic shared memory, and that do not fit it") {
  // 128 of 1816 bytes are the 227 KB of an H100.
  CHECK(test::refusal_of(dynamic_tree{.block = 128}, test::elements<test::float_array<454>>(10)) ==
        "launched block_tree_dynamic");
  CHECK_REFUSED("whose states are 232960 bytes, but a block of this GPU has 232448",
                dynamic_tree{.block = 128}, test::elements<test::float_array<455>>(10));
  CHECK_REFUSED("but a block of this GPU has 49152", dynamic_tree{.block = 128},
                test::elements<test::float_array<454>>(10), test::some_gpu(132, 48 * 1024));
}
