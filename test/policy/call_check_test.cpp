// Which wrong calls are the library's to report. Calls of other libraries must not be taken.
#include <warpfold/policy/call_check.hpp>

#include <doctest/doctest.h>

#include <list>
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using numbers = std::vector<int>;
using list = std::list<int>;
struct nothing {};

using wf::detail::misused;
// A policy with something that is no range; a range in the policy's place; a range after something
// that is no policy.
static_assert(misused<wf::seq_policy, list> && misused<wf::seq_policy, nothing>);
static_assert(misused<numbers, numbers> && misused<int*, int*>);
static_assert(misused<nothing, numbers>);
// Right calls, and calls that have nothing of the library.
static_assert(!misused<wf::seq_policy, numbers>);
static_assert(!misused<nothing, nothing> && !misused<nothing, int>);

using wf::detail::lacks_pointer;
static_assert(lacks_pointer<wf::plus, int> && lacks_pointer<int, wf::plus, numbers>);
static_assert(!lacks_pointer<wf::plus, int*> && !lacks_pointer<int, wf::plus, float*>);
static_assert(!lacks_pointer<wf::plus>);  // the op is missing, which has its own message

}  // namespace

TEST_CASE("kernels load elements that are trivially copyable") {
  CHECK(wf::detail::check_kernel_loads<wf::contiguous_view<float>>());
  CHECK(wf::detail::check_kernel_loads<wf::iterator_view<std::vector<int>::iterator>>());
}
