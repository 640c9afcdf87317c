// reduce_by_key of drop_in/thrust.hpp: here with policies of this library, and Thrust's otherwise.
// needs: cccl tbb
#include <vector>

#include <thrust/host_vector.h>

#include <warpfold/drop_in/thrust.hpp>
#include <warpfold/policy/par.hpp>

#include "drop_in/both.hpp"

namespace {

namespace ours = wf::drop_in::thrust;

struct same_tens {
  bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

// The keys and results of a call, and how many of each it says that there are.
template <class Call>
auto outputs(const Call& call, std::size_t n) {
  std::vector<int> keys(n, -1);
  std::vector<short> values(n, -1);
  const auto ends = call(keys.begin(), values.begin());
  return std::make_tuple(keys, values, ends.first - keys.begin(), ends.second - values.begin());
}

template <class... Functions>
void check_here(const std::vector<int>& keys, const std::vector<short>& values,
                Functions... functions) {
  const auto theirs = outputs(
      [&](auto k, auto v) {
        return ::thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), k, v,
                                       functions...);
      },
      keys.size());
  const auto with = [&](const auto& policy) {
    return outputs(
        [&](auto k, auto v) {
          return ours::reduce_by_key(policy, keys.begin(), keys.end(), values.begin(), k, v,
                                     functions...);
        },
        keys.size());
  };
  CHECK((with(wf::seq) == theirs));
  CHECK((with(wf::par) == theirs));
  CHECK((with(::thrust::seq) == theirs));
  const auto none = outputs(
      [&](auto k, auto v) {
        return ours::reduce_by_key(keys.begin(), keys.end(), values.begin(), k, v, functions...);
      },
      keys.size());
  CHECK((none == theirs));
}

}  // namespace

TEST_CASE("reduce_by_key: the runs, results and ends of Thrust's") {
  for (const int n : {0, 1, 100, 40000}) {
    std::vector<int> keys;
    std::vector<short> values;
    for (int i = 0; i < n; ++i) {
      keys.push_back(i / 7 * i % 31 / (1 + i % 3 / 2));
      values.push_back(static_cast<short>(i * 31 % 1000 + 32000));  // sums wrap
    }
    check_here(keys, values);
    check_here(keys, values, same_tens{});
    check_here(keys, values, same_tens{}, ::thrust::maximum<short>());
  }
}
