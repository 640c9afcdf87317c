// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
// expect: folds along no axis
#include <vector>

#include <warpfold/reduce_axis.hpp>

struct strides {
  int stride(int) const { return 1; }
};
struct matrix {
  using element_type = float;
  using data_handle_type = float*;
  using reference = float&;
  static constexpr int rank() { return 2; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return true; }
  data_handle_type data_handle() const { return nullptr; }
  strides mapping() const { return {}; }
  int extent(int) const { return 0; }
};

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
