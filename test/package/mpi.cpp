#include <cstdio>
#include <vector>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/mpi.hpp>
#include <warpfold/reduce.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const warpfold::mpi_ranks ranks = warpfold::mpi(MPI_COMM_WORLD);
  const std::vector<int> values(1000, 2);
  const auto sum = warpfold::reduce(warpfold::across(ranks), values, warpfold::plus{});
  MPI_Finalize();
  std::printf("sum: %lld\n", static_cast<long long>(sum));
  return sum == 2000 * ranks.size() ? 0 : 1;
}
