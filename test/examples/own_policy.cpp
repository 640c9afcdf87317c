// A user's policy: wf::seq with a counter of its calls.
#include <iostream>
#include <vector>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

class counting_policy {
 public:
  explicit counting_policy(int* calls) : calls_(calls) {}

  static constexpr const char* name() { return "counting"; }

  template <wf::reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    ++*calls_;
    return wf::seq.run(r);
  }
  template <wf::reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }

 private:
  int* calls_;
};
static_assert(wf::policy<counting_policy>);

int main() {
  int calls = 0;
  const counting_policy counted(&calls);
  const std::vector<int> v{1, 2, 3};
  const long long sum = wf::reduce(counted, v, wf::plus{});
  const int product = wf::reduce(counted, v.begin(), v.end(), 1, wf::multiplies{});
  std::cout << sum << ' ' << product << ' ' << calls << '\n';
  return sum == 6 && product == 6 && calls == 2 ? 0 : 1;
}
