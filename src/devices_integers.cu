// wf::across(wf::devices) on integers.
#include "devices_engines.hpp"

namespace warpfold::program {

const engine across_integers_engine =
    make_engine<devices_engine<devices_integer_cases>>("wf::across(wf::devices)", false);

}  // namespace warpfold::program
