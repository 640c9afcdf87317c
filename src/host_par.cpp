// wf::par on every element and op.
#include <warpfold/policy/par.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine par_engine =
    make_engine<host_engine<par_policy, true, integer_cases, floating_cases>>("wf::par", false);

}  // namespace warpfold::program
