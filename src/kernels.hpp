/// @file
/// The library's kernels in the order in which one learns them, with what their sources measured.
///
/// The build finds the kernels (cmake/warpfold_kernels.cmake). `warpfold ladder` runs them on the
/// GPU, and `warpfold coalescing` in the emulation.
#pragma once

#include <algorithm>
#include <all_kernels.hpp>
#include <array>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/concept.hpp>

#include "source_figures.hpp"

namespace warpfold::program {

/// A kernel, and what its source measured.
template <class Kernel>
struct listed {
  std::string_view name;
  Kernel kernel;
  source_figures source;
};

namespace detail {

// Where a kernel comes in the order: kernels that are not in the ladder come after those that are.
template <class Kernel>
constexpr int step_of() {
  if constexpr (!kernel::is_listed_v<Kernel>) {
    return -1;
  } else if constexpr (requires { Kernel::in_ladder; }) {
    return Kernel::in_ladder.number;
  } else {
    return 1 << 30;
  }
}

// The indices of the listed kernels, in order.
template <class... Kernels>
constexpr auto order_of(std::type_identity<std::tuple<Kernels...>>) {
  constexpr std::array steps{step_of<Kernels>()...};
  std::array<std::size_t, (std::size_t{kernel::is_listed_v<Kernels>} + ...)> order{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] >= 0) order[count++] = i;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return steps[a] != steps[b] ? steps[a] < steps[b] : a < b;
  });
  return order;
}

template <class Kernel>
constexpr listed<Kernel> entry_of() {
  source_figures figures;
  if constexpr (requires { Kernel::in_ladder; }) {
    constexpr kernel::ladder_step step = Kernel::in_ladder;
    figures = {sources::named(step.source), step.milliseconds, step.gigabytes_per_second,
               step.bytes};
  }
  return {Kernel::name(), Kernel{}, figures};
}

}  // namespace detail

/// The kernels in their order, and at the end the library's choice among them.
inline constexpr auto kernels = [] {
  using every = kernel::every_kernel;
  constexpr auto order = detail::order_of(std::type_identity<every>{});
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple{detail::entry_of<std::tuple_element_t<order[I], every>>()...,
                      detail::entry_of<kernel::automatic>()};
  }(std::make_index_sequence<order.size()>{});
}();

inline constexpr std::size_t kernel_count = std::tuple_size_v<decltype(kernels)>;

}  // namespace warpfold::program
