// CUB's line of the ladder.
#include <warpfold/policy/cub.hpp>

#include "ladder_part.hpp"

namespace warpfold::program {

rung_call call_cub(const array& whole, op o, cudaStream_t stream, void* out) {
  rung_call call;
  visit_on_device<baseline_cases>(whole, o, [&](const auto& view, auto op) {
    using T = typename std::remove_cvref_t<decltype(view)>::value_type;
    const auto policy = baseline::cub.on(stream);
    // CUB accumulates in the element type, as its users do. A sum of bytes would overflow it.
    using start_type =
        std::conditional_t<sizeof(T) < 4, typename op_traits<decltype(op), T>::accumulator, T>;
    const start_type start = op_traits<decltype(op), start_type>::identity(op);
    call.result = device_value(reduce(policy, view, start, op));
    auto* const result = static_cast<start_type*>(out);
    call.enqueue = [=] { reduce_async(policy, view, start, op, result); };
  });
  return call;
}

}  // namespace warpfold::program
