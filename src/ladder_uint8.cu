// The ladder on uint8.
#include "ladder_part.hpp"

namespace warpfold::program {

const ladder_part ladder_uint8 = make_ladder_part<ladder_cases<element::uint8, false>>();

}  // namespace warpfold::program
