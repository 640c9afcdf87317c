// CUDA's own spans and subranges refer to elements that live elsewhere, and its arrays own theirs.
// needs: cccl
// expect: ok
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/ranges>
#include <cuda/std/span>

#include <warpfold/reduce.hpp>

using warpfold::detail::outlives_call;
using extents = cuda::std::dextents<int, 2>;

static_assert(outlives_call<cuda::std::span<float>> && outlives_call<cuda::std::span<const float>>);
static_assert(outlives_call<cuda::std::ranges::subrange<float*>> &&
              outlives_call<cuda::std::ranges::subrange<const float*>>);
static_assert(outlives_call<cuda::std::mdspan<const float, extents>>);
static_assert(!outlives_call<cuda::std::array<float, 3>> &&
              !outlives_call<cuda::std::array<const float, 3>>);
