// A policy that runs reductions only.
// expect: this policy does not run reduce_segments; use
#include <vector>

#include <warpfold/reduce_segments.hpp>

struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <warpfold::reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
  template <warpfold::reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }
};
static_assert(warpfold::policy<reduces_only>);

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(reduces_only{}, v, offsets, warpfold::plus{}, out);
}
