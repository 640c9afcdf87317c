// What the policies of host threads have in common: one run for all work, by its kind.
#include <warpfold/policy/host_policy.hpp>

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/seq.hpp>

namespace wf = warpfold;

namespace {

struct own_kind : wf::kinds::any_kind {
  using returned = int;
};
struct own_work {
  using kind = own_kind;
  int value;
  void require_valid() const {
    if (value < 0) throw wf::invalid_range("negative");
  }
  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit(static_cast<const void*>(&value), sizeof value, alignof(int));
  }
};
struct own_loop {
  template <class Threads>
  static int run(const own_work& w, const Threads&) {
    return w.value + 1;
  }
  template <class Threads, class Plan>
  static void describe(const own_work&, const Threads& threads, Plan& plan) {
    plan.threads = threads.count();
  }
};
struct unknown_kind : wf::kinds::any_kind {};
struct unknown_work {
  using kind = unknown_kind;
};
struct threads_of_plan {
  int threads = 0;
};

}  // namespace

template <>
struct warpfold::host::loop_of<own_kind> {
  using type = own_loop;
};

static_assert(wf::runs<wf::seq_policy, own_work> && !wf::runs<wf::seq_policy, unknown_work>);

TEST_CASE("a kind of work with a loop runs, after its checks, and may return a value") {
  CHECK(wf::seq.run(own_work{2}) == 3);
  int out = 0;
  wf::seq.enqueue(own_work{4}, &out);
  CHECK(out == 5);
  CHECK_THROWS_AS(wf::seq.run(own_work{-1}), wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::seq.enqueue(own_work{4}, static_cast<int*>(nullptr)),
                       doctest::Contains("the output is a null pointer"), wf::invalid_range);
  threads_of_plan plan;
  wf::seq.describe(own_work{1}, plan);
  CHECK(plan.threads == 1);
}

TEST_CASE("a reduction is folded by the threads, and returns its result") {
  const int data[] = {1, 2, 3};
  using view = wf::contiguous_view<int>;
  const wf::reduction<view, wf::plus> r{view(data, 3), {}, {}};
  static_assert(std::is_same_v<decltype(wf::seq.run(r)), long long>);
  CHECK(wf::seq.run(r) == 6);
}
