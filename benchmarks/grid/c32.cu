#include <cuda/std/complex>

#include "grid/element.hpp"

using number = cuda::std::complex<float>;

static const grid::element c32("c32", [](grid::table& t) {
  grid::column<number>(t, "c32", "sum", warpfold::plus{});
  grid::column<number>(t, "c32", "product", warpfold::multiplies{}, true);
});
