// expect: wf::all has several results for each output; pass zip\(output1, output2\)
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  using namespace warpfold;
  reduce_axis<0>(seq, m, all(plus{}, maximum{}), out);
}
