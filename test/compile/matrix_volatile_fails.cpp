// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
// expect: the matrix's elements are volatile
#include <warpfold/reduce.hpp>

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

float call(const matrix& m) { return warpfold::reduce(warpfold::seq, m, warpfold::plus{}); }
