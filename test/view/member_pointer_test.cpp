// member_pointer: the class and the type of a data member, and nothing of other pointers.
#include <warpfold/view/member_pointer.hpp>

#include <doctest/doctest.h>

namespace {

struct base {
  int inherited;
};
struct particle : base {
  float mass;
  const double charge;
  int history[3];
  int age() const { return history[0]; }
};

template <class P>
using pointer = warpfold::detail::member_pointer<P>;
using mass = pointer<decltype(&particle::mass)>;

}  // namespace

static_assert(std::is_same_v<mass::type, float>);
static_assert(std::is_same_v<mass::structure, particle>);
static_assert(std::is_same_v<pointer<decltype(&particle::charge)>::type, const double>);
static_assert(std::is_same_v<pointer<decltype(&particle::history)>::type, int[3]>);
// A member of a base is one of the base.
static_assert(std::is_same_v<pointer<decltype(&particle::inherited)>::structure, base>);

TEST_CASE("data members are objects; functions, other pointers and values are not") {
  CHECK(mass::is_object);
  CHECK(pointer<decltype(&particle::history)>::is_object);
  CHECK_FALSE(pointer<decltype(&particle::age)>::is_object);
  CHECK_FALSE(pointer<int*>::is_object);
  CHECK_FALSE(pointer<int (*)(particle)>::is_object);
  CHECK_FALSE(pointer<particle>::is_object);
}
