// expect: ok
#include <span>

#include <warpfold/dot.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/transform.hpp>

template <class Narrow>
struct to {
  __host__ __device__ Narrow operator()(double x) const { return static_cast<Narrow>(x); }
};

struct wide {
  double x, y;
};
struct x_of {
  __host__ __device__ signed char operator()(const wide& w) const {
    return static_cast<signed char>(w.x);
  }
};

template <class Narrow, class T, class Op>
auto fold(std::span<const T> v) {
  return warpfold::reduce(warpfold::device, warpfold::project(v, to<Narrow>{}), Op{});
}

// A chunk has fewer elements than the op folds as a group.
long long products(std::span<const double> v) {
  return fold<short, double, warpfold::multiplies>(v) +
         fold<signed char, double, warpfold::multiplies>(v) +
         fold<bool, double, warpfold::multiplies>(v);
}
unsigned long long unsigned_products(std::span<const double> v) {
  return fold<unsigned short, double, warpfold::multiplies>(v) +
         fold<unsigned char, double, warpfold::multiplies>(v);
}
// And one element.
long long product(std::span<const wide> v) {
  return warpfold::reduce(warpfold::device, warpfold::project(v, x_of{}), warpfold::multiplies{});
}
long long product_of_counted() {
  return warpfold::reduce(warpfold::device,
                          warpfold::project(warpfold::counting(0.5, 100), to<signed char>{}),
                          warpfold::multiplies{});
}
long long sum(std::span<const double> v) { return fold<short, double, warpfold::plus>(v); }
