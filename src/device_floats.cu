// wf::device on floating-point numbers, complex numbers and points.
#include "device_engines.hpp"

namespace warpfold::program {

const engine device_floats_engine =
    make_engine<device_engine<device_policy<>, floating_cases>>("wf::device", false);

}  // namespace warpfold::program
