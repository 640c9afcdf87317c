// A user's op: a function object. Its other members are optional.
#include <iostream>
#include <vector>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

struct interval {
  double low, high;
};

// The smallest interval that contains both. With an identity, an empty range has a result.
struct hull {
  template <class T>
  constexpr T identity() const {
    return {1e300, -1e300};
  }
  constexpr interval operator()(interval a, interval b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

int main() {
  const std::vector<interval> v{{1, 2}, {-3, 0}, {5, 6}};
  const interval all = wf::reduce(wf::seq, v, hull{});

  // A lambda is also an op, with an init or an identity.
  const auto longer = [](int a, int b) { return a > b ? a : b; };
  const std::vector<int> w{3, 1, 2};
  const int most = wf::reduce(wf::seq, w, 0, longer);
  const int none = wf::reduce(wf::seq, std::vector<int>{}, wf::with_identity(longer, -1));

  std::cout << all.low << ' ' << all.high << ' ' << most << ' ' << none << '\n';
  return all.low == -3 && all.high == 6 && most == 3 && none == -1 ? 0 : 1;
}
