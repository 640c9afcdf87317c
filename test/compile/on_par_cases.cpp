// Wrong uses of wf::par and the policies of std.
// alone
// needs: tbb
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_many.hpp>

// expect: all.. needs an op
namespace all_of_nothing_on_par {
auto call(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::par, v, warpfold::all());
}
}  // namespace all_of_nothing_on_par

// expect: arg takes wf::minimum or wf::maximum
// The same on host threads.
namespace arg_of_plus_on_par {
int main() {
  const std::vector<int> v(10);
  (void)warpfold::reduce(warpfold::par, v, warpfold::arg(warpfold::plus{}));
}
}  // namespace arg_of_plus_on_par

// expect: this policy cannot read the size of a counted range
// errors: 1
// A policy that cannot read the size of a range.
namespace counted_on_std {
int call(const std::vector<int>& v, const int* count) {
  return warpfold::reduce(warpfold::baseline::std_par, warpfold::counted(v, count), 0,
                          warpfold::plus{});
}
}  // namespace counted_on_std

// expect: this policy cannot read the size of a counted range
// errors: 1
// The same for a transformation.
namespace counted_copy_on_std {
void call(const std::vector<int>& v, const int* count, std::vector<int>& out) {
  warpfold::copy(warpfold::baseline::std_par, warpfold::counted(v, count), out);
}
}  // namespace counted_copy_on_std

// expect: this policy does not run reduce_by_class; use
// A policy of another library has no kernel for classes.
namespace std_par_reduces_no_classes {
void call(const std::vector<int>& labels, std::vector<int>& out) {
  warpfold::count_by_class(warpfold::baseline::std_par, labels, 3, out);
}
}  // namespace std_par_reduces_no_classes

// expect: this policy does not run reduce_many; use
// A policy of another library has no kernel for lists of ranges.
namespace std_par_reduces_no_lists {
void call(const std::vector<std::vector<int>>& lists, std::vector<int>& out) {
  warpfold::reduce_many(warpfold::baseline::std_par, lists, warpfold::plus{}, out);
}
}  // namespace std_par_reduces_no_lists
