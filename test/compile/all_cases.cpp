// Wrong uses of all.
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

// expect: all.. needs an op
namespace all_of_nothing {
auto call(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::all());
}
}  // namespace all_of_nothing

// expect: with_identity was given a value that does not convert
// The same for a part of wf::all, and along an axis.
namespace identity_in_all_not_convertible {
struct text {
  char at[8];
};

void call(const std::vector<float>& v, const matrix& m, std::vector<float>& out) {
  const auto op = warpfold::with_identity(warpfold::maximum{}, text{});
  (void)warpfold::reduce(warpfold::seq, v, warpfold::all(warpfold::plus{}, op));
  warpfold::reduce_axis<0>(warpfold::seq, m, op, out);
}
}  // namespace identity_in_all_not_convertible

// expect: an op of wf::all returns nothing
namespace op_in_all_gives_nothing {
void call(const std::vector<float>& v) {
  using namespace warpfold;
  (void)reduce(seq, v, all(plus{}, [](float, float) {}));
}
}  // namespace op_in_all_gives_nothing
