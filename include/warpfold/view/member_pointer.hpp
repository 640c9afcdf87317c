/// @file
/// The class and the member type of a pointer to a member.
#pragma once

#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

template <class Pointer>
struct member_pointer {
  static constexpr bool is_object = false;
};
template <class S, class Member>
struct member_pointer<Member S::*> {
  static constexpr bool is_object = !std::is_function_v<Member>;
  using structure = S;
  using type = Member;
};

}  // namespace warpfold::detail
