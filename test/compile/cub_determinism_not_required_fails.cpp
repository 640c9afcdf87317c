// Determinism beside the requirements would have no effect.
// needs: cccl environments
// expect: determinism has no effect here
#include <warpfold/drop_in/cub_environment.hpp>

using env = cuda::std::execution::env<cuda::execution::determinism::run_to_run_t>;
constexpr bool offered = warpfold::detail::cub_calls::check_environment<env, false>();
