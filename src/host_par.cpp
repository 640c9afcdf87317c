// wf::par with every fold of every element.
#include <warpfold/policy/par.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine par_folds_engine =
    make_engine<host_engine<par_policy, true, integer_cases, floating_cases>>("wf::par", false);

}  // namespace warpfold::program
