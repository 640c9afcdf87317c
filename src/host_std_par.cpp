// wf::baseline::std_par on the few elements and ops that the baselines are built for.
#include <warpfold/policy/std_par.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

using std_par_functions = host_engine<baseline::std_par_policy, false, baseline_cases>;

const engine std_par_engine{"wf::baseline::std_par", "std::reduce", true,
                            std_par_functions::built_for, std_par_functions::fold};

}  // namespace warpfold::program
