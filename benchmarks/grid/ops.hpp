/// @file
/// needs: cuda
/// The elements and ops of the grid. Two programs share them: the grid (grid.hpp) and the library
/// with the calls of the newest CUB (newest_cub/calls.hpp). Each defines its own column. This
/// header does not include CUB or Thrust, because the two programs use different versions.
#pragma once

#include <warpfold/reduce.hpp>

namespace grid {

namespace wf = warpfold;

/// The columns of an element.
struct table;

/// All sizes of one element and op. Products use values `of_size_one`, which do not overflow.
template <class T, class Op>
void column(table& t, const char* element_name, const char* op_name, Op op,
            bool of_size_one = false);

/// Each element's file defines one of these.
struct element {
  const char* name;
  void (*run)(table&);
  element* next;

  element(const char* element_name, void (*f)(table&)) : name(element_name), run(f), next(first()) {
    first() = this;
  }
  static element*& first() {
    static element* e = nullptr;
    return e;
  }
};

/// The ops of a number.
template <class T>
void number(table& t, const char* name) {
  column<T>(t, name, "sum", wf::plus{});
  column<T>(t, name, "min", wf::minimum{});
  column<T>(t, name, "max", wf::maximum{});
  column<T>(t, name, "product", wf::multiplies{}, true);
  // The maximum as a lambda of the user.
  column<T>(t, name, "lambda", [] __host__ __device__(const T& a, const T& b) {
    if constexpr (wf::is_half_v<T>) {
      return static_cast<float>(a) < static_cast<float>(b) ? b : a;
    } else {
      return a < b ? b : a;
    }
  });
}

/// N floats: structs of 12, 20 and 28 bytes.
template <int N>
struct floats {
  float x[N];
};
struct sum_of_parts {
  template <int N>
  __host__ __device__ floats<N> operator()(const floats<N>& a, const floats<N>& b) const {
    floats<N> s;
    for (int i = 0; i < N; ++i) s.x[i] = a.x[i] + b.x[i];
    return s;
  }
};
struct max_of_parts {
  template <int N>
  __host__ __device__ floats<N> operator()(const floats<N>& a, const floats<N>& b) const {
    floats<N> s;
    for (int i = 0; i < N; ++i) s.x[i] = a.x[i] < b.x[i] ? b.x[i] : a.x[i];
    return s;
  }
};
template <int N>
void structure(table& t, const char* name) {
  column<floats<N>>(t, name, "sum", sum_of_parts{});
  column<floats<N>>(t, name, "max", max_of_parts{});
}

}  // namespace grid
