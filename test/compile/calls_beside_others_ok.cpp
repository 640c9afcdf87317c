// Calls of the standard library's functions of the same names still compile, and so does every kind
// of range.
// expect: ok
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <numeric>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/sum.hpp>

template <class Range>
int mean_of(const Range& r) {
  return static_cast<int>(warpfold::sum(warpfold::seq, r)) / 3;
}

int of_ours(const std::deque<int>& d, std::vector<bool>& b) {
  const int array[] = {1, 2, 3};
  const auto list = {1, 2, 3};
  return mean_of(d) + mean_of(b) + mean_of(array) + mean_of(list) + mean_of(std::array{1, 2, 3}) +
         warpfold::reduce(warpfold::seq, array, array + 3) +
         warpfold::reduce(warpfold::seq, d.begin(), d.end(), 0);
}

int of_others(const std::vector<int>& a, std::vector<int>& b) {
  using namespace std;
  using namespace warpfold;
  const auto is_odd = [](int x) { return x % 2 != 0; };
  copy(a.begin(), a.end(), b.begin());
  transform(a.begin(), a.end(), b.begin(), std::negate<int>{});
  return min(1, 2) + max(a[0], b[0]) + max({1, 2}) + max(1, 2, std::less<int>{}) +
         max(a, b).front() + minmax(1, 2).first + minmax({3, 4}).second +
         static_cast<int>(count(a.begin(), a.end(), 1)) + all_of(a.begin(), a.end(), is_odd) +
         reduce(a.begin(), a.end()) + reduce(a.begin(), a.end(), 0) +
         inner_product(a.begin(), a.end(), b.begin(), 0) +
         std::transform_reduce(a.begin(), a.end(), b.begin(), 0);
}
