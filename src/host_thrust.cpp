// Thrust's host systems on the elements and ops of the baselines.
#include <warpfold/policy/thrust_host.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

template <class Policy>
constexpr engine thrust_engine_of(std::string_view name, const Policy&) {
  return make_engine<host_engine<Policy, false, baseline_cases>>(name, true);
}

const engine thrust_seq_engine = thrust_engine_of("wf::baseline::thrust_seq", baseline::thrust_seq);
#if WARPFOLD_PROGRAM_OPENMP
const engine thrust_omp_engine = thrust_engine_of("wf::baseline::thrust_omp", baseline::thrust_omp);
#endif
#if WARPFOLD_PROGRAM_TBB
const engine thrust_tbb_engine = thrust_engine_of("wf::baseline::thrust_tbb", baseline::thrust_tbb);
#endif

}  // namespace warpfold::program
