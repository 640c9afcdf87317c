// kernel/body.hpp: which classes are the body of a kernel, and which are not.
#include <warpfold/kernel/body.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

struct some_work {
  std::size_t size() const { return 3; }
};

struct with_work {
  static constexpr int max_block = 32;
  some_work work() const { return {}; }
};
struct without_user_functions {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
};
/// It says that it calls functions of the user's, but not which.
struct with_unknown_functions {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = true;
};
struct without_work {
  static constexpr int max_block = 32;
};
struct without_block {
  some_work work() const { return {}; }
};
struct with_work_without_size {
  static constexpr int max_block = 32;
  int work() const { return 3; }
};

}  // namespace

using wf::kernel::body;

TEST_CASE("a body has max_block, and names its work or says that it calls no user function") {
  CHECK(body<with_work>);
  CHECK(body<without_user_functions>);
  CHECK_FALSE(body<with_unknown_functions>);
  CHECK_FALSE(body<without_work>);
  CHECK_FALSE(body<without_block>);
  CHECK_FALSE(body<with_work_without_size>);
  CHECK_FALSE(body<int>);
}
