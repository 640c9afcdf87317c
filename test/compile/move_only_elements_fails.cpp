// Elements that can only be moved, given to every kind of function.
// expect: the range's elements cannot be copied
#include <memory>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/sum.hpp>

using element = std::unique_ptr<int>;

int held(const element& p) { return *p; }

void call(const std::vector<element>& v, std::vector<int>& out) {
  namespace wf = warpfold;
  (void)wf::reduce(wf::seq, v, wf::plus{});
  (void)wf::reduce(wf::seq, v.begin(), v.end());
  (void)wf::reduce(wf::seq, wf::project(v, held), wf::plus{});
  (void)wf::reduce(wf::seq, wf::zip(v, v), wf::plus{});
  (void)wf::transform_reduce(wf::seq, v, wf::plus{}, held);
  (void)wf::max(wf::seq, v);
  (void)wf::sum(wf::seq, v);
  wf::transform(wf::seq, v, out, held);
  wf::copy(wf::seq, v, out);
}
