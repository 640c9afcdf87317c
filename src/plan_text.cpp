#include "plan_text.hpp"

#include <sstream>

namespace warpfold::program {

std::string text_of(const plan& p) {
  std::ostringstream text;
  text << p;
  return text.str();
}

}  // namespace warpfold::program
