// wf::baseline::thrust on the elements and ops of the baselines.
#include <warpfold/policy/thrust.hpp>

#include "device_engines.hpp"

namespace warpfold::program {

const engine thrust_engine = make_engine<device_engine<baseline::thrust_policy, baseline_cases>>(
    "wf::baseline::thrust", true);

}  // namespace warpfold::program
