// Which wrong calls are the library's to report. Calls of other libraries must not be taken.
#include <warpfold/policy/call_check.hpp>

#include <doctest/doctest.h>

#include <deque>
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

using wf::detail::lacks_output;
static_assert(lacks_output<wf::plus, int> && lacks_output<int, wf::plus, list>);
static_assert(lacks_output<wf::plus, list::iterator> && lacks_output<wf::plus, void*>);
static_assert(!lacks_output<wf::plus, int*> && !lacks_output<int, wf::plus, float*>);
static_assert(!lacks_output<wf::plus, numbers::iterator> && !lacks_output<wf::plus, numbers>);
static_assert(!lacks_output<wf::accumulating<int*>> && !lacks_output<>);

// Two iterators of one type, or a pointer and an integer, and enough arguments after them.
using wf::detail::is_form;
static_assert(is_form<0, int*, int*> && is_form<0, const int*, unsigned char>);
static_assert(is_form<0, int[8], long> && is_form<1, int[8], int*, float>);
static_assert(is_form<0, std::deque<int>::iterator, std::deque<int>::iterator>);
static_assert(!is_form<1, int*, int*> && is_form<1, int*, int*, float>);
static_assert(!is_form<0, int*, const int*> && !is_form<0, int*, bool>);
static_assert(!is_form<0, int*, float> && !is_form<0, void*, int> && !is_form<0, void*, void*>);
static_assert(!is_form<0, list::iterator, list::iterator>);
// An iterator that is not a pointer takes no count: the init of reduce would stand there.
static_assert(!is_form<0, std::deque<int>::iterator, int> && !is_form<0, numbers, int>);

}  // namespace

TEST_CASE("kernels load elements that are trivially copyable") {
  CHECK(wf::detail::check_kernel_loads<wf::contiguous_view<float>>());
  CHECK(wf::detail::check_kernel_loads<wf::iterator_view<std::vector<int>::iterator>>());
}
