// The fields that Boost.Hana knows of a struct, as pointers to members in their order.
// needs: boost
#include <warpfold/view/fields.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

struct defined {
  BOOST_HANA_DEFINE_STRUCT(defined, (float, x), (char, tag),
                           (std::type_identity_t<int[3]>, counts));
};
struct adapted {
  double last;
  short hidden;
  int first;
};

template <auto... Members>
using list = warpfold::detail::member_list<Members...>;
template <class T>
using fields = warpfold::detail::fields_of<T>;

}  // namespace

BOOST_HANA_ADAPT_STRUCT(adapted, first, last);

TEST_CASE("fields are those of the description, in its order") {
  static_assert(
      std::is_same_v<fields<defined>, list<&defined::x, &defined::tag, &defined::counts>>);
  // Not in the order of memory, and without what the description leaves out.
  static_assert(std::is_same_v<fields<adapted>, list<&adapted::first, &adapted::last>>);
  CHECK(fields<defined>::size == 3);
  CHECK(fields<adapted>::size == 2);
}

TEST_CASE("what makes a list of pointers usable") {
  using warpfold::detail::are_data_members;
  using warpfold::detail::are_writable;
  struct mixed {
    int plain;
    const int fixed;
    volatile int device;
    int function() const { return plain; }
  };
  CHECK(are_data_members<decltype(&mixed::plain), decltype(&mixed::fixed)>());
  CHECK_FALSE(are_data_members<decltype(&mixed::plain), decltype(&mixed::function)>());
  CHECK_FALSE(are_data_members<>());
  CHECK_FALSE(are_data_members<std::nullptr_t>());
  CHECK(are_writable<decltype(&mixed::plain)>());
  CHECK_FALSE(are_writable<decltype(&mixed::plain), decltype(&mixed::fixed)>());
  CHECK_FALSE(are_writable<decltype(&mixed::device)>());
}
