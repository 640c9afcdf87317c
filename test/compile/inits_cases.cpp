// Wrong uses of inits.
#include <vector>

#include <warpfold/reduce.hpp>

// expect: accumulate.out. is an init, and the function.s result must be a fold: pass no other init
namespace accumulate_and_init {
void call(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::seq, v, 1.0f, warpfold::plus{}, warpfold::accumulate(out));
}
}  // namespace accumulate_and_init

// expect: the op stands where the init goes, and the init where the op goes; exchange them
// errors: 1
// The op and the init in the wrong order.
namespace op_before_init {
int call(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}, 0);
}
}  // namespace op_before_init

// expect: the op cannot be called as op\(init, x\)
// An op that cannot be called with the init.
namespace op_takes_no_init {
struct adds {
  int operator()(int a, int b) const { return a + b; }
};
struct text {};

auto total(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, text{}, adds{}); }
}  // namespace op_takes_no_init
