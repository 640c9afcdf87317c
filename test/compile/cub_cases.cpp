// Wrong uses of the environments of CUB.
// needs: cccl environments
#include <warpfold/drop_in/cub_environment.hpp>

// expect: determinism has no effect here
// Determinism beside the requirements would have no effect.
namespace cub_determinism_not_required {
using env = cuda::std::execution::env<cuda::execution::determinism::run_to_run_t>;
constexpr bool offered = warpfold::detail::cub_calls::check_environment<env, false>();
}  // namespace cub_determinism_not_required

// expect: requires something other than determinism
// A requirement that a reduction does not know.
namespace cub_other_requirement {
struct sorted : cuda::execution::__requirement {};

using env = decltype(cuda::execution::require(cuda::execution::determinism::run_to_run, sorted{}));
constexpr bool offered = warpfold::detail::cub_calls::check_environment<env, false>();
}  // namespace cub_other_requirement
