// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
// expect: the array's elements are volatile
#include <vector>

#include <warpfold/reduce_axis.hpp>

struct strides {
  int stride(int) const { return 1; }
};
struct matrix {
  using element_type = volatile float;
  using data_handle_type = volatile float*;
  using reference = volatile float&;
  static constexpr int rank() { return 2; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return true; }
  data_handle_type data_handle() const { return nullptr; }
  strides mapping() const { return {}; }
  int extent(int) const { return 0; }
};

void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, out);
}
