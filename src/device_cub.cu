// wf::baseline::cub on the elements and ops of the baselines.
#include <warpfold/policy/cub.hpp>

#include "device_engines.hpp"

namespace warpfold::program {

const engine cub_engine =
    make_engine<device_engine<baseline::cub_policy, baseline_cases>>("wf::baseline::cub", true);

}  // namespace warpfold::program
