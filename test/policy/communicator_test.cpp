// The communicator concept: what an engine of a user's needs, and no more.
#include <warpfold/policy/communicator.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

// The smallest engine.
struct alone {
  int rank() const { return 0; }
  int size() const { return 1; }
  void all_gather(const void* mine, std::size_t bytes, void* all) const {
    std::memcpy(all, mine, bytes);
  }
  void all_reduce(std::int64_t*, std::size_t) const {}
};
struct without_all_reduce {
  int rank() const { return 0; }
  int size() const { return 1; }
  void all_gather(const void*, std::size_t, void*) const {}
};
struct not_copied : alone {
  not_copied(const not_copied&) = delete;
};

static_assert(wf::communicator<alone>);
static_assert(!wf::communicator<without_all_reduce> && !wf::communicator<not_copied>);
static_assert(!wf::communicator<wf::seq_policy>);
static_assert(wf::policy<wf::across_policy<alone>>);

}  // namespace

TEST_CASE("an engine of a user's") {
  const std::vector<double> v{1e300, 1, -1e300};
  CHECK(wf::reduce(wf::across(alone{}), v, wf::plus{}.exact()) == 1);
  CHECK(wf::reduce(wf::across(alone{}), v, wf::arg(wf::maximum{})).index == 0);
}
