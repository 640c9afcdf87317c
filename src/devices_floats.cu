// wf::across(wf::devices) on floating-point numbers, complex numbers and points.
#include "devices_engines.hpp"

namespace warpfold::program {

const engine across_floats_engine =
    make_engine<devices_engine<devices_floating_cases>>("wf::across(wf::devices)", false);

}  // namespace warpfold::program
