// A part of several reductions whose projection does not take the elements.
// expect: the function of a projected part of wf::all
#include <string>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

struct size {
  std::size_t operator()(const std::string& s) const { return s.size(); }
};

void call(const std::vector<float>& v) {
  using namespace warpfold;
  const auto both = reduce(seq, v, all(plus{}, projected(plus{}, size{})));
  (void)get<0>(both);
}
