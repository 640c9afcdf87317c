// Solves a linear system on several processes, with the method of conjugate gradients:
//
//     mpirun -n 4 mpi_solver
//
// Each process has a part of the rows. Neighbors exchange the elements at the bounds of their
// parts; warpfold adds up the scalar products and the norm over all processes. The scalar products
// are exact sums, so the digits of the solution do not depend on the number of processes.
#include <cstdio>
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/mpi.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using vector = std::vector<double>;

// y = A x, where row i of A has 2.01 on the diagonal and -1 on both sides of it.
void multiply(const wf::mpi_ranks& ranks, const vector& x, vector& y) {
  const int before = ranks.rank() == 0 ? MPI_PROC_NULL : ranks.rank() - 1;
  const int after = ranks.rank() == ranks.size() - 1 ? MPI_PROC_NULL : ranks.rank() + 1;
  double left = 0, right = 0;
  MPI_Sendrecv(&x.back(), 1, MPI_DOUBLE, after, 0, &left, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&x.front(), 1, MPI_DOUBLE, before, 0, &right, 1, MPI_DOUBLE, after, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < x.size(); ++i) {
    y[i] = 2.01 * x[i] - (i == 0 ? left : x[i - 1]) - (i + 1 == x.size() ? right : x[i + 1]);
  }
}

// x += factor * y
void add(vector& x, double factor, const vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
}

int solve() {
  constexpr std::size_t n = 10000;
  const wf::mpi_ranks ranks = wf::mpi(MPI_COMM_WORLD);
  const auto everywhere = wf::across(ranks);
  const auto dot = [&](const vector& a, const vector& b) {
    return wf::reduce(everywhere, wf::project(wf::zip(a, b), wf::multiplies{}), wf::plus{}.exact());
  };

  const auto first_row = [&](int rank) {
    return n * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.size());
  };
  const std::size_t first = first_row(ranks.rank()), rows = first_row(ranks.rank() + 1) - first;
  vector x(rows, 0.0), residual(rows), direction, image(rows);
  for (std::size_t i = 0; i < rows; ++i) residual[i] = static_cast<double>((first + i) % 7);
  direction = residual;

  const double norm_of_b = wf::norm_2(everywhere, residual);
  double squares = dot(residual, residual);
  const double small = 1e-24 * squares;
  int steps = 0;
  for (; squares > small && steps < 1000; ++steps) {
    multiply(ranks, direction, image);
    const double factor = squares / dot(direction, image);
    add(x, factor, direction);
    add(residual, -factor, image);
    const double before = squares;
    squares = dot(residual, residual);
    for (std::size_t i = 0; i < rows; ++i) {
      direction[i] = residual[i] + squares / before * direction[i];
    }
  }

  // b - A x, computed anew.
  multiply(ranks, x, image);
  for (std::size_t i = 0; i < rows; ++i) image[i] = static_cast<double>((first + i) % 7) - image[i];
  const double error = wf::norm_2(everywhere, image) / norm_of_b;
  const double sum = wf::reduce(everywhere, x, wf::plus{}.exact());
  if (ranks.rank() == 0) std::printf("%d steps, sum of x = %.17g\n", steps, sum);
  return error < 1e-10 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = solve();
  MPI_Finalize();
  return result;
}
