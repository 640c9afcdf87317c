// wf::par with the ops that take whole arrays.
#include <warpfold/policy/par.hpp>

#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine par_whole_arrays_engine =
    make_engine<host_engine<par_policy, true, whole_array_cases>>("wf::par", false);

}  // namespace warpfold::program
