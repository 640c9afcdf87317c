// wf::par on every element and op.
#include <warpfold/policy/par.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

using par_functions = host_engine<par_policy, true, integer_cases, floating_cases>;

const engine par_engine{"wf::par", "lanes on threads", false, par_functions::built_for,
                        par_functions::fold};

}  // namespace warpfold::program
