// wf::across(wf::devices) on the ops that take whole arrays.
#include "devices_engines.hpp"

namespace warpfold::program {

const engine across_whole_arrays_engine =
    make_engine<devices_engine<devices_whole_array_cases>>("wf::across(wf::devices)", false);

}  // namespace warpfold::program
