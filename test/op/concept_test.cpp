// reduction_op: which functions fold values of a type.
#include <warpfold/op/concept.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include <warpfold/op/fold.hpp>

namespace wf = warpfold;

namespace {

struct is_mutable {
  int operator()(int a, int b) { return a + b; }
};
struct gives_nothing {
  void operator()(int, int) const {}
};
struct takes_references {
  int operator()(int& a, int b) const { return a += b; }
};
struct converts_explicitly {
  struct result {
    explicit operator int() const { return 5; }
  };
  result operator()(int, int) const { return {}; }
};
struct point {
  int x, y;
};

}  // namespace

// Any callable whose result converts to the type.
static_assert(wf::reduction_op<std::plus<>, int>);
static_assert(wf::reduction_op<std::plus<>, std::string>);
static_assert(wf::reduction_op<int (*)(int, int), short>);
static_assert(wf::reduction_op<converts_explicitly, int>);

static_assert(!wf::reduction_op<std::plus<>, point>);
static_assert(wf::reduction_op<is_mutable, int>);  // each call gets a copy
static_assert(!wf::reduction_op<gives_nothing, int>);
static_assert(!wf::reduction_op<takes_references, int>);  // an element may be read only
static_assert(!wf::reduction_op<std::less<>, std::string>);
static_assert(!wf::reduction_op<int, int>);

TEST_CASE("what the concept accepts, a fold computes") {
  CHECK(wf::fold<converts_explicitly, int>{}.apply(1, 2) == 5);
  CHECK(wf::fold<std::plus<>, std::string>{}.apply("a", "b") == "ab");
}
