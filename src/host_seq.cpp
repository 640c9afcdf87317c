// wf::seq on every element and op.
#include "host_engines.hpp"
#include "host_views.hpp"

namespace warpfold::program {

using seq_functions = host_engine<seq_policy, true, integer_cases, floating_cases>;

const engine seq_engine{"wf::seq", "loop", false, seq_functions::built_for, seq_functions::fold};

}  // namespace warpfold::program
