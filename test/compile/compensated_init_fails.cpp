// A compensated sum starts from a compensated sum.
// expect: the init of plus\{\}.compensated\(\) must be a compensated_sum
#include <vector>

#include <warpfold/reduce.hpp>

auto call(const std::vector<float>& v) {
  namespace wf = warpfold;
  const auto good =
      wf::reduce(wf::seq, v, wf::compensated_sum<float>{1, 0}, wf::plus{}.compensated());
  static_assert(std::is_same_v<decltype(good), const float>);
  return wf::reduce(wf::seq, v, 1.0f, wf::plus{}.compensated());
}
