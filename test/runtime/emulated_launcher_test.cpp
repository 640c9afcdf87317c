// The emulation's launcher: every thread of every block runs once, launches share scratch memory,
// and what a launch needs is checked before it starts.
// needs: boost_context
#include <warpfold/runtime/emulated_launcher.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

namespace wf = warpfold;

namespace {

namespace emulation = wf::emulation;

/// Each thread writes its number to its place.
struct number_threads {
  static constexpr int max_block = 128;
  static constexpr bool calls_user_functions = false;
  wf::collective::global_array<int> to;

  void operator()() const {
    const unsigned block = wf::blockIdx.x + wf::gridDim.x * (wf::blockIdx.y);
    const unsigned thread = wf::threadIdx.x + wf::blockDim.x * wf::threadIdx.y;
    const std::size_t i = block * wf::blockDim.x * wf::blockDim.y + thread;
    to.store(i, static_cast<int>(i) + 1 + to.load(i));
  }
};

void check_refused(const wf::launch_shape& shape, const char* why) {
  emulation::launcher on(emulation::default_gpu, nullptr);
  CHECK_THROWS_WITH_AS(on.launch("number_threads", number_threads{}, shape), doctest::Contains(why),
                       wf::unsupported_kernel);
}

}  // namespace

TEST_CASE("each thread of each block runs once, also of many blocks and two dimensions") {
  for (const wf::launch_shape& shape :
       {wf::launch_shape{.grid = 1, .block = 32}, wf::launch_shape{.grid = 300, .block = 64},
        wf::launch_shape{.grid = {5, 4}, .block = {16, 4}}}) {
    std::vector<int> to(shape.threads(), 0);
    emulation::launcher on(emulation::default_gpu, nullptr);
    on.allow(to.data(), to.size() * sizeof(int), true);
    on.launch("number_threads", number_threads{{to.data(), to.size()}}, shape);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < to.size(); ++i) wrong += to[i] != static_cast<int>(i) + 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("launches are reported one after the other, with their shapes") {
  std::vector<int> to(96, 0);
  emulation::report counts;
  emulation::launcher on(emulation::default_gpu, &counts);
  on.allow(to.data(), to.size() * sizeof(int), true);
  const number_threads body{{to.data(), to.size()}};
  on.launch("first", body, {.grid = 3, .block = 32});
  on.launch("second", body, {.grid = 1, .block = 96});
  REQUIRE(counts.launches.size() == 2);
  CHECK(std::string(counts.launches[0].launch.text().c_str()) == "first<<<3, 32>>>");
  CHECK(std::string(counts.launches[1].launch.text().c_str()) == "second<<<1, 96>>>");
  CHECK(counts.launches[0].total(emulation::traffic::global_store).lanes == 96);
  CHECK(to[95] == 2 * 96);  // the second launch saw what the first had stored
}

TEST_CASE("a shape that the kernel or the GPU does not take is refused before it starts") {
  check_refused({.grid = 1, .block = 160}, "it takes a multiple of 32, up to 128");
  check_refused(
      {.grid = 1, .block = 32, .shared_bytes = 227 * 1024 + 1},
      "asks for 232449 bytes of dynamic shared memory, and a block of this GPU has 232448");
  check_refused({.grid = 2, .block = 32, .cluster = 2}, "launches clusters");
}

TEST_CASE("memory that was not allowed is not accessed") {
  std::vector<int> to(32, 0);
  emulation::launcher on(emulation::default_gpu, nullptr);
  const number_threads body{{to.data(), to.size()}};
  CHECK_THROWS_AS(on.launch("n", body, {.grid = 1, .block = 32}), wf::emulation_error);
  on.allow(to.data(), 31 * sizeof(int), true);
  CHECK_THROWS_AS(on.launch("n", body, {.grid = 1, .block = 32}), wf::emulation_error);
}

TEST_CASE("scratch is uninitialized, and the grid's posts and ticket are zero, as on a GPU") {
  emulation::launcher on(emulation::default_gpu, nullptr);
  const auto scratch = on.scratch<unsigned>(100);
  REQUIRE(scratch.size == 100);
  CHECK(scratch.data[0] == 0xa5a5a5a5u);
  CHECK(scratch.data[99] == 0xa5a5a5a5u);
  CHECK(reinterpret_cast<std::uintptr_t>(scratch.data) % 256 == 0);

  emulation::launcher other(emulation::default_gpu, nullptr);
  other.finish();  // no grid was asked for
  const auto grid = other.grid();
  CHECK(*grid.ticket == 0);
  CHECK(grid.posts[wf::collective::post_bytes / sizeof(wf::collective::post) - 1].high == 0);
  CHECK(other.grid().posts == grid.posts);  // one grid for all launches of a call
  other.finish();
  grid.posts[7].low = 1;
  CHECK_THROWS_WITH_AS(other.finish(), doctest::Contains("left posts or the ticket"), wf::error);
}

TEST_CASE("scratch is called once, with the grid or without") {
  emulation::launcher on(emulation::default_gpu, nullptr);
  (void)on.scratch<int>(4);
  (void)on.grid();
  CHECK_THROWS_WITH_AS((void)on.scratch<int>(4), doctest::Contains("called scratch twice"),
                       wf::error);
}

TEST_CASE("the GPU is the one that was given") {
  const emulation::launcher on({.multiprocessors = 3, .shared_bytes_per_block = 1024}, nullptr);
  CHECK(on.gpu().multiprocessors == 3);
  std::vector<int> to(32, 0);
  emulation::launcher small({.shared_bytes_per_block = 1024}, nullptr);
  small.allow(to.data(), to.size() * sizeof(int), true);
  const number_threads body{{to.data(), to.size()}};
  CHECK_THROWS_AS(small.launch("n", body, {.grid = 1, .block = 32, .shared_bytes = 1025}),
                  wf::unsupported_kernel);
  CHECK(to[31] == 0);
  small.launch("n", body, {.grid = 1, .block = 32, .shared_bytes = 1024});
  CHECK(to[31] == 32);
}
