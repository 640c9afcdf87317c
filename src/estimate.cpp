// Estimates a floating-point sum. The program checks the sums of all policies against it.
#include <cmath>

#include "engine.hpp"
#include "host_views.hpp"

#if WARPFOLD_PROGRAM_TBB
#include <warpfold/policy/par.hpp>
#endif

namespace warpfold::program {
namespace {

#if WARPFOLD_PROGRAM_TBB
constexpr par_policy fastest{};
#else
constexpr seq_policy fastest{};
#endif

/// Sums of `N` components and of their magnitudes.
template <int N>
struct moments {
  double sum[N];
  double magnitude[N];

  friend moments operator+(moments a, const moments& b) {
    for (int i = 0; i < N; ++i) {
      a.sum[i] += b.sum[i];
      a.magnitude[i] += b.magnitude[i];
    }
    return a;
  }
};

moments<1> moments_of(double x) { return {{x}, {std::fabs(x)}}; }
template <class T>
moments<2> moments_of(const std::complex<T>& z) {
  return {{z.real(), z.imag()}, {std::fabs(double{z.real()}), std::fabs(double{z.imag()})}};
}
moments<3> moments_of(const vec3& v) {
  return {{v.x, v.y, v.z}, {std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}};
}

struct to_moments {
  template <class T>
  auto operator()(const T& x) const {
    return moments_of(x);
  }
};

template <int N>
void add(const moments<N>& m, sum_estimate& estimate) {
  estimate.components = N;
  for (int i = 0; i < N; ++i) {
    estimate.sum[i] += m.sum[i];
    estimate.magnitude[i] += m.magnitude[i];
  }
}

}  // namespace

void add_to_estimate(const array& piece, sum_estimate& estimate) {
  visit_case<floating_cases>(piece.type, op::plus, [&](auto e, auto) {
    if (piece.is_contiguous()) {
      add(reduce(fastest, project(contiguous_host_view<e.value>(piece), to_moments{})), estimate);
    } else {
      add(reduce(fastest, project(strided_host_view<e.value>(piece), to_moments{})), estimate);
    }
  });
}

}  // namespace warpfold::program
