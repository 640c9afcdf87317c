/// @file
/// The ladder on one element: what its .cu files share. Each compiles every kernel for one element,
/// so that they can be compiled side by side.
#pragma once

#include <array>
#include <utility>

#include "device_engines.hpp"
#include "kernels.hpp"
#include "ladder.hpp"

namespace warpfold::program {

/// The element `E` under the ladder's ops, or under plus only.
template <element E, bool WithExtrema = true>
struct ladder_cases {
  using sums = elements<E>;
  using products = elements<>;
  using extrema = std::conditional_t<WithExtrema, elements<E>, elements<>>;
  using bits = elements<>;
  using truths = elements<>;
};

/// Reduces a whole array in the GPU's memory.
/// @param out  where the call that is returned writes its result
using rung_function = rung_call (*)(const array& whole, op o, cudaStream_t stream, void* out);

/// The kernels of the list, in its order, on some elements and ops.
struct ladder_part {
  bool (*built_for)(element, op);
  std::array<rung_function, kernel_count> rungs;
};

template <class Cases, std::size_t I>
rung_call call_kernel(const array& whole, op o, cudaStream_t stream, void* out) {
  rung_call call;
  visit_on_device<Cases>(whole, o, [&](const auto& view, auto op) {
    using view_type = std::remove_cvref_t<decltype(view)>;
    using reduction_type = reduction<view_type, decltype(op)>;
    const auto policy = device.on(stream).with_kernel(std::get<I>(kernels).kernel);
    // Like explain(), without the measurement of the GPU.
    plan p;
    policy.describe(reduction_type{view, op, {}}, p);
    call.grid = p.grid;
    call.block = p.block;
    call.launches = p.launches;
    call.result = device_value(reduce(policy, view, op));
    auto* const result = static_cast<typename reduction_type::result_type*>(out);
    call.enqueue = [=] { reduce_async(policy, view, op, result); };
  });
  return call;
}

template <class Cases>
constexpr ladder_part make_ladder_part() {
  return {has_case<Cases>, []<std::size_t... I>(std::index_sequence<I...>) {
            return std::array<rung_function, kernel_count>{call_kernel<Cases, I>...};
          }(std::make_index_sequence<kernel_count>{})};
}

extern const ladder_part ladder_int32;
extern const ladder_part ladder_float32;
extern const ladder_part ladder_float64;
extern const ladder_part ladder_uint8;

/// CUB, on all of these.
rung_call call_cub(const array& whole, op o, cudaStream_t stream, void* out);

}  // namespace warpfold::program
