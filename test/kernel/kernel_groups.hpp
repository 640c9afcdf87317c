/// @file
/// The kernels of the library in three groups, for the contract's suites. The build finds the
/// kernels (cmake/warpfold_kernels.cmake); each group is a test file that compiles in a minute.
#pragma once

#include <all_kernels.hpp>
#include <tuple>
#include <utility>

#include "contract/kernel_contract.hpp"

namespace test {

inline constexpr std::size_t kernel_groups = 3;

template <class Fixture, std::size_t Group, class Kernels, class Numbers>
struct group_of;
template <class Fixture, std::size_t Group, class... Kernels, std::size_t... Number>
struct group_of<Fixture, Group, std::tuple<Kernels...>, std::index_sequence<Number...>> {
  static_assert(Group >= 1 && Group <= kernel_groups);

  template <class Kernel, std::size_t N>
  static constexpr bool has = wf::kernel::is_listed_v<Kernel> &&
                              wf::kernel::is_emulated_v<Kernel> && N % kernel_groups + 1 == Group;
  using type = decltype(std::tuple_cat(
      std::declval<std::conditional_t<
          has<Kernels, Number>, std::tuple<kernel_subject<Fixture, Kernels>>, std::tuple<>>>()...));
};

/// One subject for each kernel of a group, counted from 1: every third of the kernels that are
/// listed and that the emulation runs. The other kernels have tests of their own.
template <class Fixture, std::size_t Group>
using group_of_kernels =
    typename group_of<Fixture, Group, wf::kernel::every_kernel,
                      std::make_index_sequence<std::tuple_size_v<wf::kernel::every_kernel>>>::type;

}  // namespace test
