// wf::baseline::std_par on the elements and ops of the baselines.
#include <warpfold/policy/std_par.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine std_par_engine =
    make_engine<host_engine<baseline::std_par_policy, false, baseline_cases>>(
        "wf::baseline::std_par", true);

}  // namespace warpfold::program
