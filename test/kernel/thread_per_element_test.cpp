// kernel::thread_per_element: threads and blocks for a number of elements, its sums in the
// emulation, and their order.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/kernel/thread_per_element.hpp>

#include <warpfold/op/arg.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>

#include "contract/order_certificate.hpp"
#include "kernel/emulated_sums.hpp"

using wf::kernel::thread_per_element;

TEST_CASE("an element per thread until the GPU is full, on as many multiprocessors as possible") {
  const auto shape = [](std::size_t n) {
    return test::launch_of(thread_per_element{}, test::elements<int>(n)).shape;
  };
  const auto blocks = [&](std::size_t n) { return shape(n).grid.x; };
  CHECK(blocks(0) == 1);
  CHECK(blocks(1) == 1);
  CHECK(blocks(129) == 2);
  CHECK(shape(132 * 128).block.x == 128);
  CHECK(blocks(132 * 128) == 132);
  CHECK(shape(132 * 128 + 1).block.x == 256);
  CHECK(blocks(132 * 128 + 1) == 67);
  CHECK(blocks(132 * 256) == 132);
  CHECK(shape(132 * 256 + 1).block.x == 512);
  CHECK(blocks(132 * 256 + 1) == 67);
  // The recorder holds eight blocks per multiprocessor, and the posts are those of 2048.
  constexpr std::size_t full = 132 * 8;
  CHECK(blocks(full * 512 - 1) == full);
  CHECK(blocks(full * 512 + 1) == full);
  CHECK(blocks(std::size_t{1} << 40) == full);
  // Three waves of four blocks.
  const auto waves = [](std::size_t n) {
    const auto range = test::elements<int>(n);
    test::launch_recorder on{test::some_gpu(), {}, {}, 4};
    const test::sum_of_view<wf::contiguous_view<int>> r{range, {}, {}};
    thread_per_element{}.enqueue(r, wf::collective::result_sink<int>{}, on);
    return on.launches.at(0).shape.grid.x / (full / 2);
  };
  CHECK(waves(full / 2 * 512 * 31) == 1);
  CHECK(waves(full / 2 * 512 * 32) == 2);
  CHECK(waves(full / 2 * 512 * 48) == 3);
  CHECK(waves(std::size_t{1} << 40) == 3);
}

TEST_CASE("floats: parts of equal size, a power of two, as even as their number allows") {
  const auto shape = [](std::size_t n, const thread_per_element& kernel = {}) {
    return test::launch_of(kernel, test::elements<float>(n)).shape;
  };
  const auto blocks = [&](std::size_t n, const thread_per_element& kernel = {}) {
    return shape(n, kernel).grid.x;
  };
  CHECK(blocks(0) == 1);
  CHECK(blocks(1) == 1);
  CHECK(blocks(129) == 2);
  CHECK(shape(132 * 128).block.x == 128);
  CHECK(blocks(132 * 128) == 132);
  CHECK(shape(132 * 128 + 1).block.x == 256);
  CHECK(blocks(132 * 128 + 1) == 67);
  // Two blocks of 512 threads per multiprocessor, and one or more rows for each warp.
  CHECK(shape(132 * 256 + 1).block.x == 512);
  CHECK(blocks(132 * 256 + 1) == 67);
  CHECK(blocks(132 * 2048) == 132 * 2);
  // Runs of 16 elements, and four blocks of 256 threads.
  CHECK(shape(2'000'000).block.x == 256);
  CHECK(blocks(2'000'000) == 489);
  CHECK(blocks(std::size_t{1} << 40) == 512);  // each the same share

  CHECK(shape(100000, {100, 7}).block.x == 64);
  CHECK(blocks(100000, {100, 7}) == 7);
  CHECK(shape(100000, {1000, 0}).block.x == 512);
}

TEST_CASE("the last part belongs to the last block, which may have others") {
  for (const std::size_t n : {64u, 65u, 1000u, 5000u, 33000u, 70000u}) {
    const auto elements = wf::project(wf::counting(std::uint64_t{1}, n), test::ordered_element{});
    for (const thread_per_element kernel :
         {thread_per_element{}, {64, 1}, {64, 2}, {64, 3}, {32, 100}, {256, 5}}) {
      INFO(n, " elements, ", kernel.block, " threads, ", kernel.grid, " blocks");
      CHECK(wf::reduce(wf::emulated.with_kernel(kernel), elements, test::ordered_hash{}) ==
            test::ordered_fold(test::ordered_elements(n)));
    }
  }
}

TEST_CASE("the library's choice has the bits of wf::seq without memory, too") {
  for (const std::size_t n : {1u, 33u, 1000u, 100000u}) {
    const auto thirds = wf::project(wf::counting(1u, n), [](unsigned i) { return 1.f / i; });
    CHECK(wf::reduce(wf::emulated, thirds) == wf::reduce(wf::seq, thirds));
    CHECK(wf::reduce(wf::emulated, thirds, wf::plus{}.compensated()) ==
          wf::reduce(wf::seq, thirds, wf::plus{}.compensated()));
  }
}

TEST_CASE("sums of ranges with and without memory") {
  for (const std::size_t n : {0, 1, 127, 128, 129, 16896, 16897, 40001, 300000}) {
    (void)test::emulated_sum(thread_per_element{}, n);
    const auto squares =
        wf::project(wf::counting(0ull, n), [](unsigned long long i) { return i * i % 1000; });
    unsigned long long want = 0;
    for (std::size_t i = 0; i < n; ++i) want += i * i % 1000;
    CHECK(wf::reduce(wf::emulated, squares, wf::plus{}) == want);
  }
}

TEST_CASE("the first of equal elements, whichever thread computes it") {
  const auto hills =
      wf::project(wf::counting(0u, 700001u), [](unsigned i) { return (i + 5) % 1000; });
  const auto top = wf::reduce(wf::emulated, hills, wf::arg(wf::maximum{}));
  CHECK(top.value == 999);
  CHECK(top.index == 994);
}
