// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
// expect: matrix takes an mdspan of rank 2
#include <warpfold/reduce.hpp>

struct cube {
  using element_type = float;
  using data_handle_type = float*;
  using reference = float&;
  static constexpr int rank() { return 3; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return true; }
  data_handle_type data_handle() const { return nullptr; }
  int mapping() const { return 0; }
  int extent(int) const { return 0; }
};

float call(const cube& m) {
  return warpfold::reduce(warpfold::seq, warpfold::matrix(m), warpfold::plus{});
}
