// The ladder on float64.
#include "ladder_part.hpp"

namespace warpfold::program {

const ladder_part ladder_float64 = make_ladder_part<ladder_cases<element::float64>>();

}  // namespace warpfold::program
