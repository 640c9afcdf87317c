// kernel::single_pass: threads and blocks for a size, a type and a row of a tuning, and its sums in
// the emulation.
// needs: boost_context
#include <warpfold/kernel/single_pass.hpp>

#include <string>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/moments.hpp>

#include "kernel/emulated_sums.hpp"

using wf::kernel::single_pass;

namespace {

constexpr std::size_t kb = 1024, mb = 1024 * kb;

template <class T>
wf::contiguous_view<T> bytes_of(std::size_t bytes) {
  return test::elements<T>(bytes / sizeof(T));
}

/// The launch, with what `row` says where there is one.
template <class Kernel, class View, class Op>
wf::launch_shape shape_of(const Kernel& kernel, const View& view, const Op& op,
                          const wf::device_info& gpu, const wf::tuning::row* row = nullptr) {
  const auto lifted = wf::lifted(view, op);
  const wf::reduction<std::remove_const_t<decltype(lifted)>, Op> r{lifted, op, {}};
  const wf::collective::result_sink<typename decltype(r)::result_type> sink{};
  test::launch_recorder on{gpu, {}, {}};
  if (row != nullptr) {
    kernel.enqueue_as(*row, r, sink, on);
  } else {
    kernel.enqueue(r, sink, on);
  }
  REQUIRE(on.launches.size() == 1);
  CHECK(on.launches[0].kernel == "single_pass");
  CHECK(on.scratches.empty());
  return on.launches[0].shape;
}

const auto five_ops =
    wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::maximum{}), wf::moments_op{});

}  // namespace

TEST_CASE("a thread a chunk, up to the blocks of the row") {
  const single_pass<> of_warps{.block = 32};
  const auto blocks = [&](std::size_t n) {
    return shape_of(of_warps, bytes_of<float>(4 * n), wf::plus{}, test::some_gpu()).grid.x;
  };
  CHECK(blocks(0) == 1);
  CHECK(blocks(1) == 1);
  CHECK(blocks(128) == 1);
  CHECK(blocks(129) == 2);
  CHECK(blocks(7 * 128) == 7);
  CHECK(blocks(7 * 128 + 1) == 8);
  CHECK(blocks(mb) == 132);

  const auto grid = [&](unsigned asked) {
    return shape_of(single_pass<>{.block = 32, .grid = asked}, bytes_of<float>(64 * mb), wf::plus{},
                    test::some_gpu())
        .grid.x;
  };
  CHECK(grid(3) == 3);
  CHECK(grid(0) == 4 * 132);
  CHECK(grid(1u << 30) == 2048);  // a post each
}

TEST_CASE("no more blocks than there is memory for their states") {
  const auto blocks = [](const auto& view) {
    return shape_of(single_pass<>{.block = 32, .grid = 1u << 30}, view, wf::plus{},
                    test::some_gpu())
        .grid.x;
  };
  CHECK(blocks(bytes_of<double>(64 * mb)) == 2048);
  CHECK(blocks(bytes_of<test::float_array<8>>(64 * mb)) == 2048 / 3);
  CHECK(blocks(bytes_of<test::float_array<28>>(64 * mb)) ==
        64 * kb / sizeof(test::float_array<28>));
}

TEST_CASE("twice the threads for chars, where blocks are small and loads many") {
  const auto block = [](const auto& kernel, std::size_t bytes) {
    return shape_of(kernel, bytes_of<signed char>(bytes), wf::plus{}, test::some_gpu()).block.x;
  };
  CHECK(block(single_pass<>{}, 2 * mb) == 512);
  CHECK(block(single_pass<>{}, 512 * kb) == 512);
  CHECK(block(single_pass<64>{}, 2 * mb) == 256);
  CHECK(shape_of(single_pass<>{}, bytes_of<float>(2 * mb), wf::plus{}, test::some_gpu()).block.x ==
        256);
}

TEST_CASE("large states have one block a multiprocessor, and what is resident") {
  const auto launch = [](const wf::tuning::row& row, const wf::device_info& gpu) {
    return shape_of(single_pass<>{}, bytes_of<float>(16 * mb), five_ops, gpu, &row);
  };
  const auto check = [&](const wf::tuning::row& row, unsigned blocks, unsigned threads,
                         const wf::device_info& gpu = test::some_gpu()) {
    const auto shape = launch(row, gpu);
    CHECK(shape.grid.x == blocks);
    CHECK(shape.block.x == threads);
  };
  check({0, 256, 1}, 132, 256);
  check({0, 256, 2}, 132, 512);
  check({0, 64, 3}, 132, 192);
  check({0, 256, 4}, 2 * 132, 256);
  check({0, 512, 8}, 132, 512);
  wf::device_info one = test::some_gpu();
  one.multiprocessors = 1;
  check({0, 512, 8}, 1, 512, one);

  // A block that is asked for takes no other's place.
  CHECK(shape_of(single_pass<>{.block = 64}, bytes_of<float>(16 * mb), five_ops, test::some_gpu())
            .grid.x == 2 * 132);

  // What does not fit a block is refused for its threads.
  const auto refused = [](const auto& view, unsigned block) -> std::string {
    try {
      shape_of(single_pass<>{.block = block}, view, five_ops, test::some_gpu());
    } catch (const wf::unsupported_kernel& e) {
      return e.what();
    }
    return "";
  };
  CHECK(refused(bytes_of<float>(mb), 1024).find("blocks of 1024 threads; it takes") !=
        std::string::npos);
  one.multiprocessors = 0;
  CHECK_THROWS_AS(shape_of(single_pass<>{}, bytes_of<float>(mb), wf::plus{}, one),
                  wf::unsupported_kernel);
}

TEST_CASE("sums, in blocks and grids of any size") {
  test::check_sums(single_pass<>{}, 256 * 8 * 4);
  test::check_sums(single_pass<>{.block = 32, .grid = 3}, 32 * 8 * 4);
  test::check_sums(single_pass<16>{.block = 96}, 96 * 4);
  test::check_sums(single_pass<64>{.block = 1024, .grid = 1}, 1024 * 4 * 4);
}

TEST_CASE("one launch, which loads every element once, in words of 16 bytes") {
  const auto report = test::emulated_sum(single_pass<>{.block = 256, .grid = 2}, 2 * 256 * 32);
  REQUIRE(report.launches.size() == 1);
  std::uint64_t words = 0, single = 0;
  for (const auto& s : report.launches[0].sites) {
    if (s.what != test::traffic::global_load) continue;
    if (s.access_bytes == 16) words += s.lanes;
    if (s.access_bytes == 4) single += s.lanes;
  }
  CHECK(words >= 2 * 256 * 8);
  CHECK(words <= 2 * 256 * 8 + 32);  // and the other block's post
  CHECK(single == 0);
}

TEST_CASE("blocks that it does not take") {
  const auto range = test::elements<float>(1000);
  CHECK_REFUSED("blocks of 100 threads; it takes a multiple of 32", (single_pass<>{100, 7}), range);
  CHECK_REFUSED("blocks of 1056 threads", single_pass<>{.block = 1056}, range);
}
