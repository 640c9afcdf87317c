// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
// expect: the output's elements are const or volatile
#include <warpfold/reduce_axis.hpp>

struct strides {
  int stride(int) const { return 1; }
};
template <class T, int Rank>
struct array {
  using element_type = T;
  using data_handle_type = T*;
  using reference = T&;
  static constexpr int rank() { return Rank; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return true; }
  data_handle_type data_handle() const { return nullptr; }
  strides mapping() const { return {}; }
  int extent(int) const { return 0; }
};

void call(const array<float, 2>& m, const array<volatile float, 1>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, out);
}
