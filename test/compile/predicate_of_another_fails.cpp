// A predicate that does not take the range's elements.
// expect: the function cannot be called with an element of the range
#include <string>
#include <vector>

#include <warpfold/count.hpp>

struct is_empty {
  bool operator()(const std::string& s) const { return s.empty(); }
};

bool none(const std::vector<float>& v) { return warpfold::none_of(warpfold::seq, v, is_empty{}); }
