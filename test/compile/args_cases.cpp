// Wrong uses of arg.
// alone
#include <string_view>
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>

// expect: arg takes wf::minimum or wf::maximum
// arg returns the index of an extremum; a sum has no index.
namespace arg_of_plus {
int main() {
  const std::vector<float> v(10);
  (void)warpfold::reduce(warpfold::seq, v, warpfold::arg(warpfold::plus{}));
}
}  // namespace arg_of_plus

// expect: arg takes wf::minimum or wf::maximum
namespace arg_of_plus_in_all {
int main() {
  const std::vector<float> v(10);
  (void)warpfold::reduce(warpfold::seq, v,
                         warpfold::all(warpfold::maximum{}, warpfold::arg(warpfold::plus{})));
}
}  // namespace arg_of_plus_in_all

// expect: the comparison cannot be called with the keys of two elements
namespace argmin_comparison {
auto call(const std::vector<float>& v) {
  return warpfold::argmin(warpfold::seq, v,
                          [](std::string_view a, std::string_view b) { return a < b; });
}
}  // namespace argmin_comparison
