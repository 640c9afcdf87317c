// wf::device with the ops that take whole arrays.
#include "device_engines.hpp"

namespace warpfold::program {

const engine device_whole_arrays_engine =
    make_engine<device_engine<device_policy<>, device_whole_array_cases>>("wf::device", false);

}  // namespace warpfold::program
