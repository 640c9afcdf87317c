// What the policies of several GPUs share: the checks of a call, and the work of each GPU.
// needs: boost_context
#include <warpfold/policy/sharded_call.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/shards.hpp>

namespace wf = warpfold;

namespace {

struct weighted {
  long long lift(const float& x, std::size_t i) const {
    return static_cast<long long>(i) * static_cast<long long>(x);
  }
  long long operator()(long long a, long long b) const { return a + b; }
  long long identity() const { return 0; }
};

}  // namespace

TEST_CASE("numbers of GPUs and time limits") {
  CHECK(wf::detail::checked_rank_count(16) == 16);
  CHECK_THROWS_AS((void)wf::detail::checked_rank_count(0), wf::invalid_argument);
  CHECK_THROWS_AS((void)wf::detail::checked_rank_count(17), wf::invalid_argument);
  CHECK(wf::detail::nanoseconds_of(0.5) == 500000000);
  CHECK(wf::detail::nanoseconds_of(1e300) == 1000000000000000000);
}

TEST_CASE("a missing rank throws with both ranks and the limit") {
  wf::detail::throw_if_missing(0, 1, 4, 2);
  try {
    wf::detail::throw_if_missing(3, 1, 4, 2);
    FAIL("nothing was thrown");
  } catch (const wf::communication_error& e) {
    CHECK(std::string(e.what()).find("GPU 2 of 4 did not send its state to GPU 1 within 2000 ms") !=
          std::string::npos);
  }
}

TEST_CASE("each GPU gets its view; indices that cannot move begin at those of the parts before") {
  const std::vector<float> a{1, 2, 3}, b{4, 5};
  const auto check = [&](const auto& op, std::size_t first) {
    wf::detail::with_reduction(wf::shards(a, b), op, wf::no_init{}, [&](const auto& work) {
      CHECK_THROWS_AS(wf::detail::require_one_shard_each(work, 3), wf::invalid_range);
      wf::detail::require_one_shard_each(work, 2);
      CHECK(wf::detail::exchanges(work));
      const auto part = wf::detail::exchanged_part(work, 1, {});
      CHECK(part.view.size() == 2);
      if constexpr (requires { part.view.function().op.first; }) {
        CHECK(part.view.function().op.first == first);
      } else {
        CHECK(first == 0);
      }
      return 0;
    });
  };
  check(wf::plus{}, 0);
  check(wf::arg(wf::minimum{}), 0);  // moved after the fold
  check(weighted{}, 3);
}
