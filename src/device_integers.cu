// wf::device on integers.
#include "device_engines.hpp"

namespace warpfold::program {

const engine device_integers_engine =
    make_engine<device_engine<device_policy<>, integer_cases>>("wf::device", false);

}  // namespace warpfold::program
