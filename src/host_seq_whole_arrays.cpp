// wf::seq with the ops that take whole arrays.
#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

const engine seq_whole_arrays_engine =
    make_engine<host_engine<seq_policy, true, whole_array_cases>>("wf::seq", false);

}  // namespace warpfold::program
