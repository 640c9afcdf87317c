// wf::seq with every fold of every element.
#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine seq_folds_engine =
    make_engine<host_engine<seq_policy, true, integer_cases, floating_cases>>("wf::seq", false);

}  // namespace warpfold::program
