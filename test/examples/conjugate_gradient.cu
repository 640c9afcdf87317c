// Solves A x = b by conjugate gradients, for the matrix of a one-dimensional diffusion. All
// iterations are one graph. No scalar returns to the host.
#include <iostream>
#include <utility>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

namespace {

constexpr int n = 1000;
constexpr int iterations = 60;

struct zero {
  WARPFOLD_HD double operator()(int) const { return 0; }
};

/// Element i of A p: the matrix has 2.5 on the diagonal and -1 beside it.
struct row_times {
  const double* p;

  WARPFOLD_HD double operator()(int i) const {
    return 2.5 * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
  }
};

/// y + sign * (numerator / denominator) * x, with both in memory.
struct add_multiple {
  double sign;
  const double* numerator;
  const double* denominator;

  WARPFOLD_HD double operator()(double y, double x) const {
    return y + sign * (*numerator / *denominator) * x;
  }
};

/// Enqueues all iterations. `scalars` has four elements; the last one becomes |b - A x|.
template <class Policy>
void solve(const Policy& on, const double* b, double* x, double* r, double* p, double* ap,
           double* scalars) {
  double* rr = scalars;        // r * r
  double* next = scalars + 1;  // the same after the step
  double* const pap = scalars + 2;
  wf::transform_async(on, wf::counting(0, n), x, zero{});
  wf::copy_async(on, b, n, r);
  wf::copy_async(on, b, n, p);
  wf::dot_async(on, r, r, n, rr);
  for (int i = 0; i < iterations; ++i) {
    wf::transform_async(on, wf::counting(0, n), ap, row_times{p});
    wf::dot_async(on, p, ap, n, pap);
    wf::transform_async(on, x, p, n, x, add_multiple{1, rr, pap});
    wf::transform_async(on, r, ap, n, r, add_multiple{-1, rr, pap});
    wf::dot_async(on, r, r, n, next);
    wf::transform_async(on, r, p, n, p, add_multiple{1, next, rr});
    std::swap(rr, next);
  }
  wf::norm_2_async(on, r, n, scalars + 3);
}

}  // namespace

int main() try {
  const wf::device_buffer<double> b(std::vector<double>(n, 1.0));
  wf::device_buffer<double> x(n), r(n), p(n), ap(n), scalars(4);

  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t solver{};
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  solve(wf::device.on(stream), b.data(), x.data(), r.data(), p.data(), ap.data(), scalars.data());
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&solver, graph, 0);
  cudaGraphLaunch(solver, stream);
  cudaStreamSynchronize(stream);

  const double residual = scalars.to_host()[3];
  const double middle = x.to_host()[n / 2];  // far from both ends: 2.5 x - x - x = 1
  std::cout << "x[" << n / 2 << "] = " << middle << ", |b - A x| = " << residual << '\n';

  cudaGraphExecDestroy(solver);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return residual < 1e-8 && middle > 1.999 && middle < 2.001 ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
