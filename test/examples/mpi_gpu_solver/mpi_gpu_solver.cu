// Solves a linear system on several GPUs, with the method of conjugate gradients and one process
// for each GPU:
//
//     mpirun -n 4 mpi_gpu_solver
//
// Each process has a part of the rows, and its vectors are on its GPU. Neighbors exchange the
// elements at the bounds of their parts through pinned host memory, so MPI need not know about
// GPUs. warpfold adds up the scalar products over all GPUs. They are exact sums, so the digits of
// the solution do not depend on the number of processes. With fewer GPUs than processes, several
// share a GPU.
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/mpi.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

namespace {

constexpr int n = 10000;

/// A vector of the process's rows, with a neighbor's element on both sides.
struct part {
  explicit part(int rows)
      : memory(std::vector<double>(static_cast<std::size_t>(rows) + 2)), rows(rows) {}

  double* begin() { return memory.data() + 1; }
  const double* begin() const { return memory.data() + 1; }
  std::span<double> span() { return {begin(), static_cast<std::size_t>(rows)}; }
  std::span<const double> span() const { return {begin(), static_cast<std::size_t>(rows)}; }

  wf::device_buffer<double> memory;
  int rows;
};

struct right_side {
  int first;
  WARPFOLD_HD double operator()(int i) const { return (first + i) % 7; }
};

/// Row i of A x: the matrix has 2.01 on the diagonal and -1 on both sides of it.
struct row_times {
  const double* x;
  WARPFOLD_HD double operator()(int i) const { return 2.01 * x[i] - x[i - 1] - x[i + 1]; }
};

struct plus_multiple {
  double factor;
  WARPFOLD_HD double operator()(double a, double b) const { return a + factor * b; }
};

class solver {
 public:
  explicit solver(const wf::mpi_ranks& ranks)
      : ranks_(ranks),
        everywhere_(wf::across(ranks, wf::device)),
        first_(first_row(ranks.rank())),
        rows_(first_row(ranks.rank() + 1) - first_) {
    cudaMallocHost(&edges_, 4 * sizeof(double));
  }
  ~solver() { cudaFreeHost(edges_); }
  solver(const solver&) = delete;
  solver& operator=(const solver&) = delete;

  /// Returns the relative error of the solution.
  double solve() {
    part x(rows_), residual(rows_), direction(rows_), image(rows_);
    const auto indices = wf::counting(0, rows_);
    wf::transform(wf::device, indices, residual.span(), right_side{first_});
    wf::transform(wf::device, indices, direction.span(), right_side{first_});

    const double norm_of_b = wf::norm_2(everywhere_, std::as_const(residual).span());
    double squares = dot(residual, residual);
    const double small = 1e-24 * squares;
    int steps = 0;
    for (; squares > small && steps < 1000; ++steps) {
      multiply(direction, image);
      const double factor = squares / dot(direction, image);
      add(x, direction, factor, x);
      add(residual, image, -factor, residual);
      const double before = squares;
      squares = dot(residual, residual);
      add(residual, direction, squares / before, direction);
    }

    // b - A x, computed anew.
    multiply(x, image);
    wf::transform(wf::device, indices, residual.span(), right_side{first_});
    add(residual, image, -1, residual);
    const double error = wf::norm_2(everywhere_, std::as_const(residual).span()) / norm_of_b;
    const double sum = wf::reduce(everywhere_, std::as_const(x).span(), wf::plus{}.exact());
    if (ranks_.rank() == 0) std::printf("%d steps, sum of x = %.17g\n", steps, sum);
    return error;
  }

 private:
  int first_row(int rank) const {
    return static_cast<int>(static_cast<long long>(n) * rank / ranks_.size());
  }

  double dot(const part& a, const part& b) const {
    return wf::reduce(everywhere_, wf::project(wf::zip(a.span(), b.span()), wf::multiplies{}),
                      wf::plus{}.exact());
  }

  /// out = a + factor * b
  static void add(const part& a, const part& b, double factor, part& out) {
    wf::transform(wf::device, a.span(), b.span(), out.span(), plus_multiple{factor});
  }

  /// out = A x
  void multiply(part& x, part& out) const {
    const int before = ranks_.rank() == 0 ? MPI_PROC_NULL : ranks_.rank() - 1;
    const int after = ranks_.rank() == ranks_.size() - 1 ? MPI_PROC_NULL : ranks_.rank() + 1;
    double* const first = x.begin();
    double* const last = x.begin() + rows_ - 1;
    cudaMemcpy(&edges_[0], first, sizeof(double), cudaMemcpyDeviceToHost);
    cudaMemcpy(&edges_[1], last, sizeof(double), cudaMemcpyDeviceToHost);
    edges_[2] = edges_[3] = 0;
    MPI_Sendrecv(&edges_[1], 1, MPI_DOUBLE, after, 0, &edges_[2], 1, MPI_DOUBLE, before, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&edges_[0], 1, MPI_DOUBLE, before, 0, &edges_[3], 1, MPI_DOUBLE, after, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cudaMemcpy(first - 1, &edges_[2], sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(last + 1, &edges_[3], sizeof(double), cudaMemcpyHostToDevice);
    wf::transform(wf::device, wf::counting(0, rows_), out.span(), row_times{x.begin()});
  }

  wf::mpi_ranks ranks_;
  decltype(wf::across(std::declval<wf::mpi_ranks>(), wf::device)) everywhere_;
  int first_, rows_;
  double* edges_ = nullptr;  // pinned: the first and the last element, and those of the neighbors
};

/// Selects a GPU for this process. Returns false on every rank if a rank has none.
bool select_gpu() {
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int rank_on_host = 0, rank = 0, gpus = 0;
  MPI_Comm_rank(host, &rank_on_host);
  MPI_Comm_free(&host);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (cudaGetDeviceCount(&gpus) != cudaSuccess) gpus = 0;
  struct {
    int gpus, rank;
  } mine{gpus, rank}, fewest{};
  MPI_Allreduce(&mine, &fewest, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
  if (fewest.gpus == 0) {
    if (rank == 0) {
      std::fprintf(stderr,
                   "mpi_gpu_solver: the host of rank %d has no GPU; run it on hosts with GPUs, or "
                   "use mpi_solver\n",
                   fewest.rank);
    }
    return false;
  }
  return cudaSetDevice(rank_on_host % gpus) == cudaSuccess;
}

int run() {
  if (!select_gpu()) return 77;
  try {
    return solver(wf::mpi(MPI_COMM_WORLD, 60)).solve() < 1e-10 ? 0 : 1;
  } catch (const wf::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = run();
  MPI_Finalize();
  return result;
}
