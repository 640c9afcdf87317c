// What is a policy, which kinds of work a policy takes, and how another library's policy is
// adopted.
#include <warpfold/policy/concept.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

namespace {

// Another library's policy.
struct foreign {
  int calls;
};

// A kind of work that no policy of the library knows.
struct new_work {
  int* done;
  std::size_t size() const { return 1; }
};

// A policy that takes reductions and the new work.
struct own_policy {
  static constexpr const char* name() { return "own"; }
  template <wf::reduction_work R>
  typename R::result_type run(const R& r) const {
    return wf::seq.run(r);
  }
  template <wf::reduction_work R, class Out>
  void enqueue(const R& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }
  void run(const new_work& work) const { *work.done = 1; }
  void run(const float&) const {}  // a kind of work that it cannot enqueue
  void enqueue(const new_work& work) const { *work.done = 2; }
};

struct nameless {
  template <class R>
  typename R::result_type run(const R& r) const {
    return wf::seq.run(r);
  }
};

using ints = wf::contiguous_view<int>;
using copy_of_ints = wf::transformation<ints, wf::contiguous_output<int>, wf::plus>;

static_assert(wf::policy<own_policy> && wf::policy<wf::seq_policy>);
static_assert(!wf::policy<nameless> && !wf::policy<foreign> && !wf::policy<int>);
static_assert(!wf::runs<own_policy, float>);
static_assert(wf::runs<wf::seq_policy, wf::detail::probe_reduction>);
static_assert(wf::runs<own_policy, new_work> && !wf::runs<wf::seq_policy, new_work>);
static_assert(wf::runs<wf::seq_policy, copy_of_ints> && !wf::runs<own_policy, copy_of_ints>);

}  // namespace

template <>
struct warpfold::adopted_policy<foreign> {
  static own_policy convert(const foreign&) { return {}; }
};
static_assert(wf::policy_like<foreign> && wf::policy_like<own_policy> && !wf::policy_like<int>);

TEST_CASE("a policy is used as it is, another library's as what it converts to") {
  static_assert(std::is_same_v<decltype(wf::as_policy(foreign{})), own_policy>);
  static_assert(std::is_same_v<decltype(wf::as_policy(wf::seq)), wf::seq_policy>);
  CHECK(wf::reduce(foreign{}, std::vector<int>{1, 2, 3}) == 6);
  int done = 0;
  wf::as_policy(foreign{}).run(new_work{&done});
  CHECK(done == 1);
}
