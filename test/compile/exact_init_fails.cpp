// An init of another type would be rounded.
// expect: the init of plus\{\}.exact\(\) must have the type of the sum
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

float sum(const std::vector<float>& v) { return wf::reduce(wf::seq, v, 1.0, wf::plus{}.exact()); }
