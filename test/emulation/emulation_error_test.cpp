// emulation_error: it is one of the library's errors, and says the block, the thread and the line.
// needs: boost_context
#include <warpfold/emulation/emulation_error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include <warpfold/collective/shared_array.hpp>

#include "contract/emulated_launch.hpp"

using namespace warpfold;

TEST_CASE("an error has what it was made of") {
  static_assert(std::is_base_of_v<error, emulation_error>);
  const emulation_error e(message("warpfold: thread ", 7, " is wrong"), 3, 7, {"some.cu", 12});
  CHECK(std::string(e.what()) == "warpfold: thread 7 is wrong");
  CHECK(e.block() == 3);
  CHECK(e.thread() == 7);
  CHECK(std::string(e.file()) == "some.cu");
  CHECK(e.line() == 12);
}

TEST_CASE("a launch throws it with the place in grid, block and source") {
  int line = 0;
  test::emulated_launch on;
  try {
    // x is the fastest: block (1, 1) of (3, 2) is the fifth, thread (5, 2) of (8, 8) has number 21.
    on.run({{3, 2}, {8, 8}}, [&line] {
      WARPFOLD_SHARED collective::shared_array<int, 64> values;
      if (blockIdx.x != 1 || blockIdx.y != 1 || threadIdx.x != 5 || threadIdx.y != 2) return;
      line = __LINE__ + 1;
      values.store(64, 1);
    });
    FAIL_CHECK("nothing was thrown");
  } catch (const error& caught) {
    const auto* const e = dynamic_cast<const emulation_error*>(&caught);
    REQUIRE(e != nullptr);
    CHECK(e->block() == 4);
    CHECK(e->thread() == 21);
    CHECK(std::string(e->file()) == __FILE__);
    CHECK(e->line() == line);
    CHECK(std::string(e->what()) ==
          "warpfold: kernel tested<<<(3, 2), (8, 8)>>>, block 4, thread 21 writes element 64 of a "
          "shared array that has 64 (emulation_error_test.cpp:" +
              std::to_string(line) + ")");
  }
}

TEST_CASE("the next launch is unaffected") {
  test::emulated_launch on;
  const auto store = [](unsigned i) {
    return [=] {
      WARPFOLD_SHARED collective::shared_array<int, 32> values;
      values.store(threadIdx.x + i, 1);
    };
  };
  CHECK_THROWS_AS(on.run({4, 32}, store(1)), emulation_error);
  CHECK_NOTHROW(on.run({4, 32}, store(0)));
}
