// The emulation has no kernel for classes.
// expect: this policy does not reduce by class yet
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

void call(const std::vector<int>& labels, std::vector<int>& out) {
  warpfold::count_by_class(warpfold::emulated, labels, 3, out);
}
