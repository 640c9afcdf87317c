// expect: this policy does not run reduce_axis; use
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

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

void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<1>(reduces_only{}, m, warpfold::plus{}, out);
}
