// A requirement that a reduction does not know.
// needs: cccl environments
// expect: requires something other than determinism
#include <warpfold/drop_in/cub_environment.hpp>

struct sorted : cuda::execution::__requirement {};

using env = decltype(cuda::execution::require(cuda::execution::determinism::run_to_run, sorted{}));
constexpr bool offered = warpfold::detail::cub_calls::check_environment<env, false>();
