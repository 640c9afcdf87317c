// wf::seq and wf::par with the ops that take whole arrays. Both in one file: the folds of a range
// are the same code, which then compiles once.
#if WARPFOLD_PROGRAM_TBB
#include <warpfold/policy/par.hpp>
#endif

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine seq_whole_arrays_engine =
    make_engine<host_engine<seq_policy, true, whole_array_cases>>("wf::seq", false);
#if WARPFOLD_PROGRAM_TBB
const engine par_whole_arrays_engine =
    make_engine<host_engine<par_policy, true, whole_array_cases>>("wf::par", false);
#endif

}  // namespace warpfold::program
