// The checks behind the errors about ops: what an op needs, and when a call gives a value. The
// errors themselves: test/compile/.
#include <warpfold/op/operand_check.hpp>

#include <doctest/doctest.h>

#include <string>

#include <warpfold/op/compensated.hpp>
#include <warpfold/op/ignoring_nan.hpp>

#include "contract/oracle.hpp"

namespace {

namespace detail = wf::detail;
using need = detail::operand_need;

struct gives_nothing {
  void operator()(int, int) const {}
};
struct is_mutable {
  int operator()(int a, int b) { return a + b; }
};
/// Has another meaning than the op that it derives from, so the error must not speak of that.
struct own_op : wf::plus {
  std::string operator()(const std::string& a, const std::string&) const { return a; }
};
/// A member of the same name that is none of the library's.
struct has_other_needs {
  static constexpr int needs = 3;
  int operator()(int a, int b) const { return a + b; }
};
/// Consists of others, which it checks itself.
template <bool Fits>
struct of_parts {
  template <class T>
  static constexpr bool check_parts() {
    return Fits;
  }
  int operator()(int a, int b) const { return a + b; }
};

}  // namespace

static_assert(detail::gives_value<wf::plus, int, double>());
static_assert(detail::gives_value<wf::plus, std::string, const char*>());
static_assert(!detail::gives_value<wf::plus, int*, int*>());
static_assert(!detail::gives_value<gives_nothing, int, int>());
static_assert(detail::gives_value<is_mutable, int, int>());
static_assert(detail::gives_value<own_op, std::string, std::string>());

static_assert(detail::check_operands<wf::minimum, float, float>());
static_assert(detail::check_operands<wf::logical_or, int*, int*>());
static_assert(detail::check_operands<of_parts<true>, int, int>());
static_assert(!detail::check_operands<of_parts<false>, int, int>());

TEST_CASE("each op says what it needs of its operands, and a user's op only that it is called") {
  CHECK(detail::need_of<wf::plus>() == need::addition);
  CHECK(detail::need_of<wf::multiplies>() == need::multiplication);
  CHECK(detail::need_of<wf::minimum>() == need::order);
  CHECK(detail::need_of<wf::maximum>() == need::order);
  CHECK(detail::need_of<decltype(wf::minimum{}.ignoring_nan())>() == need::number);
  CHECK(detail::need_of<wf::compensated_plus>() == need::floating_point);
  CHECK(detail::need_of<wf::bit_and>() == need::integer);
  CHECK(detail::need_of<wf::bit_or>() == need::integer);
  CHECK(detail::need_of<wf::bit_xor>() == need::integer);
  CHECK(detail::need_of<wf::logical_and>() == need::truth);
  CHECK(detail::need_of<wf::logical_or>() == need::truth);
  CHECK(detail::need_of<own_op>() == need::call);
  CHECK(detail::need_of<has_other_needs>() == need::call);
  CHECK(detail::need_of<std::plus<>>() == need::call);
}
