// A member of the user's own with a name that the library's ops use.
// expect: the op cannot be called as op\(x, x\)
#include <span>

#include <warpfold/reduce.hpp>

struct own_op {
  int needs = 3;
  int operator()(int a, int b) const { return a < b ? a : b * needs; }
};

struct thing {};

void f(std::span<const thing> things) { (void)warpfold::reduce(warpfold::seq, things, own_op{}); }
