// The ladder on float32.
#include "ladder_part.hpp"

namespace warpfold::program {

const ladder_part ladder_float32 = make_ladder_part<ladder_cases<element::float32>>();

}  // namespace warpfold::program
