/// @file
/// needs: boost
/// The fields of a struct that was described to Boost.Hana.
///
/// Includes Hana by design. With it come the macros that describe a struct:
/// BOOST_HANA_DEFINE_STRUCT inside it, BOOST_HANA_ADAPT_STRUCT after it.
///
/// Hana's objects stay on the host. This header extracts only pointers to members as template
/// arguments, which kernels can use too.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/view/soa_view.hpp>

namespace warpfold::detail {

template <auto... Members>
struct member_list {
  static constexpr std::size_t size = sizeof...(Members);
};

// Hana's accessors carry the pointer to the member, but not those of BOOST_HANA_ADAPT_ADT.
template <class Accessor>
inline constexpr std::nullptr_t pointer_in = nullptr;
template <template <class Pointer, Pointer> class Accessor, class Pointer, Pointer Member>
inline constexpr Pointer pointer_in<Accessor<Pointer, Member>> = Member;

template <class Accessors>
struct members_in;
template <class... Pairs>
struct members_in<boost::hana::tuple<Pairs...>> {
  using type = member_list<
      pointer_in<std::remove_cvref_t<decltype(boost::hana::second(std::declval<Pairs>()))>>...>;
};

template <class... Pointers>
constexpr bool are_data_members() {
  return sizeof...(Pointers) != 0 && (std::is_member_object_pointer_v<Pointers> && ...);
}
template <class... Pointers>
constexpr bool are_writable() {
  return ((!std::is_const_v<typename member_pointer<Pointers>::type> &&
           !std::is_volatile_v<typename member_pointer<Pointers>::type>) &&
          ...);
}

/// The members of `T` that Hana knows; it must know some.
template <class T>
using members_of =
    typename members_in<std::remove_cvref_t<decltype(boost::hana::accessors<T>())>>::type;

// The list, or an empty one after an error that says what is wrong with the struct.
template <auto... Members>
constexpr auto check_members(member_list<Members...> list) {
  constexpr bool data = are_data_members<std::remove_cv_t<decltype(Members)>...>();
  static_assert(
      data,
      "warpfold: the fields that Boost.Hana knows of this struct are not data members: it has "
      "none, or BOOST_HANA_ADAPT_ADT was given functions; use BOOST_HANA_ADAPT_STRUCT");
  if constexpr (data) {
    constexpr bool writable = are_writable<std::remove_cv_t<decltype(Members)>...>();
    static_assert(writable,
                  "warpfold: a field of this struct is const or volatile, so elements cannot be "
                  "assembled from their fields; remove the qualifier");
    if constexpr (writable) {
      return list;
    } else {
      return member_list<>{};
    }
  } else {
    return member_list<>{};
  }
}

template <class T>
constexpr auto check_fields() {
  constexpr bool copyable = std::is_trivially_copyable_v<T>;
  static_assert(copyable,
                "warpfold: this struct is not trivially copyable, and arrays of its fields hold "
                "bytes; make it trivially copyable");
  if constexpr (copyable) {
    constexpr bool named = boost::hana::Struct<T>::value;
    static_assert(named,
                  "warpfold: Boost.Hana does not know the fields of this struct; name them with "
                  "BOOST_HANA_DEFINE_STRUCT in it, or BOOST_HANA_ADAPT_STRUCT after it");
    if constexpr (named) {
      return check_members(members_of<T>{});
    } else {
      return member_list<>{};
    }
  } else {
    return member_list<>{};
  }
}

/// The `member_list` of `T`'s fields, in the order of their description.
template <class T>
using fields_of = decltype(check_fields<T>());

}  // namespace warpfold::detail
