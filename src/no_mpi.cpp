// Replaces the processes of MPI in a build without it.
#if !WARPFOLD_PROGRAM_MPI
#include <stdexcept>

#include "processes.hpp"

namespace warpfold::program {

struct process_group::state {};

process_group::process_group() {
  throw std::runtime_error(
      "this program was built without MPI, so the processes cannot share the work; run it without "
      "mpirun, or install MPI (Debian: libopenmpi-dev) and build with -D WARPFOLD_PROGRAM_MPI=ON");
}
process_group::~process_group() = default;
int process_group::rank() const { return 0; }
int process_group::size() const { return 1; }
int process_group::rank_on_machine() const { return 0; }
int process_group::first_with(bool) const { return -1; }
value process_group::combined(element, op, const part_result&, const value& identity) const {
  return identity;
}

}  // namespace warpfold::program
#endif
