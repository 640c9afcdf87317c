// A policy that runs reductions only.
// expect: this policy does not run transform; use wf::seq, wf::par, wf::device
#include <vector>

#include <warpfold/transform.hpp>

struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <class Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }
};
static_assert(warpfold::policy<reduces_only>);

void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(reduces_only{}, in, out, [](int x) { return x; });
}
