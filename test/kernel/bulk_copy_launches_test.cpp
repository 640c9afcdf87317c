// How kernel::bulk_copy is launched: blocks, tiles, shared memory, and which arrays are copied.
// Nothing is launched, and no memory is read; bulk_copy_test.cpp runs it in the emulation.
#include <warpfold/kernel/bulk_copy.hpp>

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

}  // namespace

TEST_CASE("blocks, tiles, and the even rest") {
  const auto gpu = test::some_gpu(2);
  const k::bulk_copy kernel{.block = 32, .stage_bytes = 1024};
  const auto division_of = [&](std::size_t chunks) {
    const test::recorded_launch l = test::launch_of(kernel, test::elements<float>(4 * chunks), gpu);
    CHECK(l.shape.grid.x == 2u);
    CHECK(l.shape.shared_bytes == 2048);
    CHECK(l.chunks == 64u);
    return l;
  };
  struct {
    std::size_t chunks, rounds;
    unsigned left;
  } const cases[] = {{33, 0, 32},  {64, 0, 32},  {65, 0, 48},  {66, 0, 48},  {127, 0, 64},
                     {128, 1, 0},  {129, 1, 16}, {160, 1, 16}, {161, 1, 32}, {896, 7, 0},
                     {992, 7, 48}, {993, 7, 64}, {1000, 7, 64}};
  for (const auto& c : cases) {
    INFO(c.chunks, " chunks");
    const test::recorded_launch l = division_of(c.chunks);
    CHECK(l.rounds == c.rounds);
    CHECK(l.left == c.left);
  }

  const auto blocks = [&](std::size_t n, unsigned each = 1) {
    return test::launch_of(k::bulk_copy{.block = 32, .blocks_per_multiprocessor = each},
                           test::elements<float>(n), test::some_gpu(10))
        .shape.grid.x;
  };
  CHECK(blocks(0) == 1u);
  CHECK(blocks(1) == 1u);
  CHECK(blocks(128) == 1u);
  CHECK(blocks(4 * 33) == 2u);
  CHECK(blocks(4 * 64) == 2u);
  CHECK(blocks(1 << 20) == 10u);
  CHECK(blocks(1 << 20, 3) == 30u);
  CHECK(blocks(std::size_t{1} << 30, 1u << 20) ==
        wf::collective::max_blocks<test::state_of<wf::contiguous_view<float>>>());
}

TEST_CASE("which arrays are copied") {
  using pair = test::float_array<8>;
  const k::bulk_copy kernel{.stage_bytes = 1024};
  const auto copied = [&](const auto& view) {
    return test::launch_of(kernel, wf::project(view, one{}));
  };
  // From where the first chunk begins.
  CHECK(copied(test::elements<float>(1000)).in ==
        std::vector<test::copied_array>{{test::base, 16, 0}});
  CHECK(copied(test::elements<float>(1000, 4)).in ==
        std::vector<test::copied_array>{{test::base + 16, 16, 0}});
  CHECK(copied(test::elements<float>(1000, 4)).parts.head == 3);
  // 16 chunks must fit a stage.
  const test::recorded_launch just = copied(test::elements<test::float_array<16>>(1000));
  CHECK(just.in == std::vector<test::copied_array>{{test::base, 64, 0}});
  CHECK(just.chunks == 16u);
  CHECK(copied(test::elements<test::float_array<20>>(1000)).in.empty());
  CHECK(copied(test::elements<test::float_array<20>>(1000)).chunks ==
        64u);  // a measure for direct loads
  CHECK(copied(wf::counting(0, 1000)).in.empty());
  CHECK(copied(wf::counting(0, 1000)).chunks == 64u);
  // Of several as many as fit; behind one another.
  const auto a = test::elements<pair>(1000), b = test::elements<pair>(1000, 1 << 20);
  const test::recorded_launch both = copied(wf::zip(a, b));
  CHECK(both.in ==
        std::vector<test::copied_array>{{test::base, 32, 0}, {test::base + (1 << 20), 32, 512}});
  CHECK(both.chunks == 16u);
  CHECK(copied(wf::zip(a, b, a)).in == both.in);
  // Not what lies otherwise, nor what is of another length.
  const test::recorded_launch one_of_two = copied(wf::zip(test::elements<pair>(1000, 4), b));
  CHECK(one_of_two.in == std::vector<test::copied_array>{{test::base + (1 << 20), 32, 0}});
  CHECK(one_of_two.chunks == 32u);
  CHECK(copied(wf::zip(test::elements<pair>(1001), b)).in == one_of_two.in);
  // Nor more than four.
  const auto f = test::elements<float>(1000);
  const test::recorded_launch four =
      test::launch_of(k::bulk_copy{}, wf::project(wf::zip(f, f, f, f, f), one{}));
  CHECK(four.in.size() == 4);
  CHECK(four.chunks == 48u * 1024 / (4 * 256) * 16);
}

TEST_CASE("where the shared memory is just enough, and values of members") {
  using view = wf::contiguous_view<float>;
  const auto of_its_own = sizeof(wf::collective::block_storage<test::state_of<view>>) +
                          8 * sizeof(wf::collective::bulk_copies) + 128;
  const std::size_t needed = 2 * 48 * 1024 + of_its_own;
  const view v = test::elements<float>(1000);
  CHECK(k::bulk_copy{}.fits<test::sum_of_view<view>>(test::some_gpu(132, needed)));
  CHECK(!k::bulk_copy{}.fits<test::sum_of_view<view>>(test::some_gpu(132, needed - 1)));
  auto older = test::some_gpu();
  older.compute_capability = 89;
  CHECK(!k::bulk_copy{}.fits<test::sum_of_view<view>>(older));
  CHECK(test::refusal_of(k::bulk_copy{}, v, test::some_gpu(132, needed)) == "launched bulk_copy");
  CHECK(
      test::refusal_of(k::bulk_copy{}, v, test::some_gpu(132, needed - 1)).find("shared memory") !=
      std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.stages = 8, .stage_bytes = 1024}, v) ==
        "launched bulk_copy");
  CHECK(test::refusal_of(k::bulk_copy{.stages = 0}, v).find("asked for 0 stages") !=
        std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.stages = 9, .stage_bytes = 1024}, v).find("9 stages") !=
        std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.stage_bytes = 1024 - 128}, v).find("from 1024 on") !=
        std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.stage_bytes = 1025}, v).find("multiple of 128") !=
        std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.stage_bytes = 1024 + 64}, v).find("multiple of 128") !=
        std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.stage_bytes = 1152}, v) == "launched bulk_copy");
  CHECK(test::refusal_of(k::bulk_copy{.blocks_per_multiprocessor = 0}, v).find("no block") !=
        std::string::npos);
  CHECK(test::refusal_of(k::bulk_copy{.block = 0}, v).find("blocks of 0") != std::string::npos);
}

TEST_CASE("GPUs without bulk copies, and stages that it does not take, are refused") {
  const auto range = test::elements<float>(1000);
  auto older = test::some_gpu();
  older.compute_capability = 89;
  CHECK_REFUSED("kernel bulk_copy needs bulk copies", k::bulk_copy{}, range, older);
  CHECK_REFUSED("it takes 1 to 8", k::bulk_copy{.stages = 9}, range);
  CHECK_REFUSED("more than the 232448", (k::bulk_copy{.stages = 4, .stage_bytes = 64 * 1024}),
                range);
}
