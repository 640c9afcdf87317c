/// @file
/// Lists of element types for the contract suites.
#pragma once

#include <tuple>

#include "contract/policy_contract.hpp"

namespace test {

using integers = std::tuple<char, signed char, unsigned char, short, unsigned short, int, unsigned,
                            long, unsigned long, long long, unsigned long long>;
using floats = std::tuple<float, double>;
using numbers = std::tuple<char, signed char, unsigned char, short, unsigned short, int, unsigned,
                           long, unsigned long, long long, unsigned long long, float, double>;

namespace detail {
template <class Fixture, class List>
struct subjects_of;
template <class Fixture, class... Ts>
struct subjects_of<Fixture, std::tuple<Ts...>> {
  using type = std::tuple<subject<Fixture, Ts>...>;
};
}  // namespace detail

/// One subject for each type of a `std::tuple` of element types.
template <class Fixture, class List>
using subjects = typename detail::subjects_of<Fixture, List>::type;

}  // namespace test
