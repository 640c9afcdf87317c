// wf::seq and wf::par with every fold of every element. Both in one file: the folds of a range are
// the same code, which then compiles once.
#if WARPFOLD_PROGRAM_TBB
#include <warpfold/policy/par.hpp>
#endif

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine seq_folds_engine =
    make_engine<host_engine<seq_policy, true, integer_cases, floating_cases>>("wf::seq", false);
#if WARPFOLD_PROGRAM_TBB
const engine par_folds_engine =
    make_engine<host_engine<par_policy, true, integer_cases, floating_cases>>("wf::par", false);
#endif

}  // namespace warpfold::program
