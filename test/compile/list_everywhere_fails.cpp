// A std::list, passed to every function: one error with the remedy.
// expect: the range has neither data\(\) and size\(\) nor random-access iterators.*copy it into a std::vector
#include <list>

using argument = const std::list<float>&;

#include "compile/every_call.hpp"
