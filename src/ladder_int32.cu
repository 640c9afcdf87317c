// The ladder on int32.
#include "ladder_part.hpp"

namespace warpfold::program {

const ladder_part ladder_int32 = make_ladder_part<ladder_cases<element::int32>>();

}  // namespace warpfold::program
