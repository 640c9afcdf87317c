// How kernel::staged is launched: tiles, warps, blocks, and what it leaves to single_pass. Nothing
// is launched, and no memory is read; view/staged_test.cpp runs it in the emulation.
#include <warpfold/kernel/staged.hpp>

#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

#include "kernel/launches.hpp"

namespace k = wf::kernel;

namespace {

struct one {
  template <class T>
  WARPFOLD_HD long long operator()(const T&) const {
    return 1;
  }
};
template <std::size_t Bytes>
struct bytes {
  unsigned char b[Bytes];
};

/// Whether the words of every element change places among themselves.
template <std::size_t ElementBytes>
bool stays_inside() {
  std::vector<bool> taken(512 * ElementBytes / 16);
  for (unsigned i = 0; i < 512 * ElementBytes; i += 16) {
    const unsigned place = wf::collective::place_in_copy<ElementBytes>(i);
    if (place % 16 != 0 || place / ElementBytes != i / ElementBytes || taken[place / 16]) {
      return false;
    }
    taken[place / 16] = true;
  }
  return true;
}

}  // namespace

TEST_CASE("tiles, warps and blocks") {
  using three = test::float_array<3>;  // tiles of 256, 3072 bytes
  const test::recorded_launch l =
      test::launch_of(k::staged<>{}, test::elements<three>(256 * 100 + 6, 4));
  CHECK(l.kernel == "staged");
  CHECK(l.parts.head == 1);
  CHECK(l.parts.chunks == 100);
  CHECK(l.parts.tail == 5);
  CHECK(l.in == std::vector<test::copied_array>{{test::base + 16, 3072, 0}});
  CHECK(l.shape.grid.x == 13u);  // of eight warps
  CHECK(l.shape.block.x == 256u);
  CHECK(l.shape.shared_bytes == 8 * 3 * 3072);

  const auto blocks = [](std::size_t n, unsigned grid = 0) {
    return test::launch_of(k::staged<>{.grid = grid}, test::elements<three>(n)).shape.grid.x;
  };
  CHECK(blocks(1) == 1u);
  CHECK(blocks(256) == 1u);
  CHECK(blocks(256 * 8) == 1u);
  CHECK(blocks(256 * 9) == 2u);
  CHECK(blocks(256 * 16) == 2u);
  CHECK(blocks(256 * 8 * 1000) == 132u);
  CHECK(blocks(256 * 8 * 1000, 7) == 7u);
  CHECK(blocks(std::size_t{256} * 8 * 100'000, 100'000) ==
        wf::collective::max_blocks<test::state_of<wf::contiguous_view<three>>>());
}

TEST_CASE("fewer warps where there is little shared memory, and then single_pass") {
  using view = wf::contiguous_view<test::float_array<3>>;
  const view v = test::elements<test::float_array<3>>(100'000);
  const std::size_t fixed = sizeof(wf::collective::block_storage<test::state_of<view>>);
  const auto threads = [&](std::size_t bytes, unsigned block = 256) {
    const test::recorded_launch l =
        test::launch_of(k::staged<>{.block = block}, v, test::some_gpu(132, bytes));
    return l.kernel == "staged" ? l.shape.block.x : 0;
  };
  const std::size_t warp = 3 * 3072;
  CHECK(threads(8 * warp + fixed) == 256u);
  CHECK(threads(8 * warp + fixed - 1) == 128u);
  CHECK(threads(4 * warp + fixed) == 128u);
  CHECK(threads(2 * warp + fixed) == 64u);
  CHECK(threads(2 * warp + fixed - 1) == 32u);
  CHECK(threads(warp + fixed) == 32u);
  CHECK(threads(warp + fixed - 1) == 0u);
  CHECK(threads(8 * warp + fixed, 1024) == 256u);
  CHECK(threads(warp + fixed, 96) == 32u);
  // A block that no kernel takes is refused all the same.
  for (const unsigned block : {0u, 16u, 33u, 100u, 1056u, 2048u}) {
    INFO("blocks of ", block);
    const auto small = test::some_gpu(132, warp + fixed);
    CHECK(test::refusal_of(k::staged<>{.block = block}, v, small).find("multiple of 32") !=
          std::string::npos);
  }
}

TEST_CASE("elements outside the staged tiles are read directly") {
  const auto kernel = [](const auto& view) {
    return test::launch_of(k::staged<>{.block = 128}, wf::project(view, one{}));
  };
  CHECK(kernel(test::elements<test::float_array<3>>(1000)).kernel == "staged");
  const test::recorded_launch unaligned = kernel(test::elements<test::float_array<8>>(1000, 4));
  CHECK(unaligned.kernel == "single_pass");
  CHECK(unaligned.shape.block.x == 128u);
  CHECK(kernel(test::elements<test::float_array<8>>(0)).kernel == "single_pass");
  // The only aligned element would be the one behind the end.
  CHECK(kernel(test::elements<test::float_array<3>>(1, 4)).kernel == "single_pass");
  CHECK(kernel(test::elements<test::float_array<3>>(2, 4)).kernel == "staged");
  CHECK(kernel(wf::zip(test::elements<test::float_array<3>>(1000),
                       test::elements<test::float_array<5>>(1001)))
            .kernel == "single_pass");
  CHECK(kernel(test::elements<bytes<256>>(1000)).kernel == "staged");
  CHECK(kernel(test::elements<bytes<257>>(1000)).kernel == "single_pass");
  CHECK(kernel(wf::counting(0, 1000)).kernel == "single_pass");
  // Two arrays, of which both, or one, are aligned at the first's element.
  const auto three = test::elements<test::float_array<3>>(1000);
  const auto five = test::elements<test::float_array<5>>(1000, 1 << 20);
  const test::recorded_launch both = kernel(wf::zip(three, five));
  CHECK(both.in == std::vector<test::copied_array>{{test::base, 128 * 12, 0},
                                                   {test::base + (1 << 20), 128 * 20, 1536}});
  CHECK(kernel(wf::zip(three, test::elements<test::float_array<5>>(1000, 4))).in ==
        std::vector<test::copied_array>{{test::base, 128 * 12, 0}});
}

TEST_CASE("words that change places stay inside their element") {
  CHECK(stays_inside<32>());
  CHECK(stays_inside<64>());
  CHECK(stays_inside<96>());
  CHECK(stays_inside<128>());
  CHECK(stays_inside<160>());
  CHECK(stays_inside<192>());
  CHECK(stays_inside<224>());
  CHECK(stays_inside<256>());
}
