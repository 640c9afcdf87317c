/// @file
/// needs: boost
/// `named`: the parts of a `wf::all` result as members of a struct, or under names.
///
/// Includes Hana by design: Boost.Hana knows the members of a struct and looks names up at compile
/// time. All of it runs on the host and costs no launch.
///
///     struct summary {
///       BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least));
///     };
///     const auto both = wf::all(wf::plus{}, wf::minimum{});  // op/all.hpp
///     const summary s = wf::named<summary>(wf::reduce(wf::seq, v, both));
///
///     using namespace wf::literals;
///     const auto r = wf::named(wf::reduce(wf::seq, v, both), "sum"_s, "least"_s);
///     float least = r["least"_s];
///
/// Example: test/examples/named.cpp
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <boost/hana/at_key.hpp>
#include <boost/hana/core/is_a.hpp>
#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/string.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/reduce.hpp>
#include <warpfold/view/fields.hpp>

namespace warpfold {

namespace detail {

template <class T>
inline constexpr std::size_t parts_in = 0;
template <class... Ts>
inline constexpr std::size_t parts_in<tuple<Ts...>> = sizeof...(Ts);

// Returned by a refused call, so that looking up a name in it is not a second error.
struct refused_names : refused {
  template <class Name>
  refused operator[](const Name&) const;
};

template <class Result, std::size_t Names>
constexpr bool check_number_of_names() {
  if constexpr (std::is_same_v<Result, refused>) return false;  // already reported
  constexpr bool has_parts = parts_in<Result> != 0;
  static_assert(has_parts,
                "warpfold: named takes the result of a reduction with wf::all, a wf::tuple");
  constexpr bool as_many = parts_in<Result> == Names || !has_parts;
  static_assert(as_many, "warpfold: named takes one name, or one member, for each part of wf::all");
  return has_parts && as_many;
}

template <class Struct, class... Ts, auto... Members>
constexpr bool check_assignable(const tuple<Ts...>*, member_list<Members...>) {
  constexpr bool convertible = (std::is_convertible_v<const Ts&, field_t<Members>> && ...);
  static_assert(
      convertible,
      "warpfold: a part of the result does not convert to the member that it is for; named assigns "
      "the parts in the order in which the members were given to Boost.Hana");
  constexpr bool made = std::is_default_constructible_v<Struct>;
  static_assert(made, "warpfold: the struct of named has no default constructor");
  return convertible && made;
}

template <class Struct, class Result>
constexpr bool check_struct() {
  constexpr bool adapted = boost::hana::Struct<Struct>::value;
  static_assert(adapted,
                "warpfold: Boost.Hana does not know the members of this struct; name them with "
                "BOOST_HANA_DEFINE_STRUCT in it, or BOOST_HANA_ADAPT_STRUCT after it");
  if constexpr (adapted) {
    using list = decltype(check_members(members_of<Struct>{}));
    if constexpr (list::size == 0) {
      return false;  // already reported
    } else if constexpr (check_number_of_names<Result, list::size>()) {
      return check_assignable<Struct>(static_cast<const Result*>(nullptr), list{});
    } else {
      return false;
    }
  } else {
    return false;
  }
}

template <class Name, class... Names>
inline constexpr std::size_t times_in = (std::size_t{std::is_same_v<Name, Names>} + ...);

template <class Result, class... Names>
constexpr bool check_names() {
  constexpr bool strings = (boost::hana::is_a<boost::hana::string_tag, Names>() && ...);
  static_assert(strings,
                "warpfold: names are strings of Boost.Hana: \"sum\"_s with wf::literals, or "
                "BOOST_HANA_STRING(\"sum\")");
  constexpr bool once = ((times_in<Names, Names...> == 1) && ...);
  static_assert(once || !strings,
                "warpfold: named was given a name twice; give each part a name of its own");
  if constexpr (strings && once) {
    return check_number_of_names<Result, sizeof...(Names)>();
  } else {
    return false;
  }
}

// The text of a literal as a template argument.
template <std::size_t Size>
struct literal_text {
  char at[Size];

  consteval literal_text(const char (&text)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) at[i] = text[i];
  }
};

template <literal_text Text, std::size_t... At>
constexpr auto hana_string(std::index_sequence<At...>) {
  return boost::hana::string_c<Text.at[At]...>;
}

template <class Struct, class Result, auto... Members, std::size_t... At>
Struct assigned(const Result& parts, member_list<Members...>, std::index_sequence<At...>) {
  Struct made{};
  ((made.*Members = static_cast<field_t<Members>>(get<At>(parts))), ...);
  return made;
}

template <class Result, std::size_t... At, class... Names>
auto map_of(const Result& parts, std::index_sequence<At...>, Names... names) {
  return boost::hana::make_map(boost::hana::make_pair(names, get<At>(parts))...);
}

}  // namespace detail

namespace literals {

/// Returns a Boost.Hana string, `"sum"_s`. Hana has the same literal but disables it by default.
///
/// @tparam Text the characters of the literal
/// @return the string; its type states the characters
///
/// Cost: none at run time. Errors: none.
///
/// ```cpp
/// using namespace wf::literals;
/// const auto name = "sum"_s;
/// ```
template <detail::literal_text Text>
constexpr auto operator""_s() {
  return detail::hana_string<Text>(std::make_index_sequence<sizeof(Text.at) - 1>{});
}

}  // namespace literals

/// Returns the parts of a `wf::all` result as a `Struct`: part `i` becomes the member that
/// Boost.Hana lists as number `i`.
///
/// @tparam Struct default-constructible and adapted for Boost.Hana, with one member for each part
/// @param result the `wf::tuple` that a reduction with `wf::all` returned
/// @return the struct; each part is converted to its member's type
///
/// Does not compile if the counts differ or a part does not convert. Throws nothing; host only.
/// Cost: a copy of each part.
///
/// <!-- code: declarations -->
/// ```cpp
/// #include <warpfold/op/all.hpp>
///
/// struct summary {
///   BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least));
/// };
/// inline summary summary_of(const std::vector<float>& v) {
///   const auto both = wf::all(wf::plus{}, wf::minimum{});
///   return wf::named<summary>(wf::reduce(wf::seq, v, both));
/// }
/// ```
template <class Struct, class Result>
auto named(const Result& result) {
  if constexpr (detail::check_struct<Struct, Result>()) {
    using list = detail::members_of<Struct>;
    return detail::assigned<std::remove_cv_t<Struct>>(result, list{},
                                                      std::make_index_sequence<list::size>{});
  } else {
    return detail::refused{};
  }
}

/// Returns the parts of a `wf::all` result as a `boost::hana::map`, each in its own type under its
/// name.
///
/// @param result the `wf::tuple` that a reduction with `wf::all` returned
/// @param names one Boost.Hana string for each part, all different
/// @return the map: `r["least"_s]` is looked up at compile time
///
/// Does not compile if the counts differ, a name occurs twice, or a name is not a Boost.Hana
/// string. Throws nothing; host only. Cost: a copy of each part.
///
/// ```cpp
/// #include <warpfold/op/all.hpp>
///
/// using namespace wf::literals;
/// std::vector<float> v{1, 2, 3};
/// const auto both = wf::all(wf::plus{}, wf::minimum{});
/// const auto r = wf::named(wf::reduce(wf::seq, v, both), "sum"_s, "least"_s);
/// float least = r["least"_s];  // 1
/// ```
template <class Result, class... Names>
  requires(sizeof...(Names) > 0)
auto named(const Result& result, Names... names) {
  if constexpr (detail::check_names<Result, Names...>()) {
    return detail::map_of(result, std::index_sequence_for<Names...>{}, names...);
  } else {
    return detail::refused_names{};
  }
}

}  // namespace warpfold
