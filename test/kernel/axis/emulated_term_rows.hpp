/// @file
/// transform_axis of the rows of kernel/axis/term_rows.hpp in the emulation.
#pragma once

#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/policy/emulated.hpp>

#include "kernel/axis/term_rows.hpp"

namespace test {

template <class T>
auto by_emulation() {
  return [](const std::vector<T>& v, std::size_t rows, std::size_t columns, const auto& op,
            const auto& f) {
    using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
    std::vector<T> out(v.size());
    wf::transform_axis<1>(wf::emulated, matrix(v.data(), rows, columns), op, out, f);
    return out;
  };
}

}  // namespace test
