// An iterator and a const_iterator.
// expect: an iterator is not a range; pass std::ranges::subrange\(first, last\), with both of one type
#include <deque>

#include <warpfold/reduce.hpp>

auto total(std::deque<float>& v) { return warpfold::reduce(warpfold::seq, v.begin(), v.cend()); }
