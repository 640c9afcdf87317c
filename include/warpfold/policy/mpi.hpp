/// @file
/// needs: mpi
/// `wf::mpi(comm)`: the processes of an MPI communicator as the ranks of `wf::across`.
///
/// Includes MPI by design: any implementation of MPI 3.0 or later.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <mpi.h>
#include <sched.h>

#include <warpfold/core/error.hpp>
#include <warpfold/policy/communicator.hpp>

namespace warpfold {

/// The rank of this process in an MPI communicator; `mpi` makes one.
///
/// Uses MPI_Iallgather and MPI_Iallreduce, and polls until they are complete. A thread that waits
/// for long yields its core between polls.
class mpi_ranks {
 public:
  /// @throws communication_error as `mpi`
  mpi_ranks(MPI_Comm comm, double limit_s) : comm_(comm), limit_s_(detail::checked_limit(limit_s)) {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0 || finalized != 0) {
      throw_error<communication_error>(
          "warpfold: MPI is not initialized, or already finalized; call "
          "wf::mpi between MPI_Init and MPI_Finalize");
    }
    if (comm == MPI_COMM_NULL) {
      throw_error<communication_error>(
          "warpfold: the communicator is MPI_COMM_NULL; this process is no "
          "rank of it and must not call");
    }
    check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  void all_gather(const void* mine, std::size_t bytes, void* all) const {
    const std::size_t gathered = bytes * static_cast<std::size_t>(size_);
    const int n = int_of(bytes);
    memory buffer(bytes + gathered);
    std::memcpy(buffer.data(), mine, bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(buffer.data(), n, MPI_BYTE, buffer.data() + bytes, n, MPI_BYTE, comm_,
                         &request),
          "MPI_Iallgather");
    wait(request, buffer, "MPI_Iallgather");
    std::memcpy(all, buffer.data() + bytes, gathered);
  }

  void all_reduce(std::int64_t* values, std::size_t count) const {
    const std::size_t bytes = count * sizeof(std::int64_t);
    memory buffer(2 * bytes);
    std::memcpy(buffer.data(), values, bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    // Unsigned: sums are modulo 2^64.
    check(MPI_Iallreduce(buffer.data(), buffer.data() + bytes, int_of(count), MPI_UINT64_T, MPI_SUM,
                         comm_, &request),
          "MPI_Iallreduce");
    wait(request, buffer, "MPI_Iallreduce");
    std::memcpy(values, buffer.data() + bytes, bytes);
  }

 private:
  // Memory that MPI may still access after a time limit, because no collective can be canceled. It
  // is then never freed.
  class memory {
   public:
    explicit memory(std::size_t bytes) : bytes_(new unsigned char[bytes]) {}
    ~memory() { delete[] bytes_; }
    memory(const memory&) = delete;
    memory& operator=(const memory&) = delete;
    unsigned char* data() const { return bytes_; }
    void leave_to_mpi() { bytes_ = nullptr; }

   private:
    unsigned char* bytes_;
  };

  void wait(MPI_Request& request, memory& buffer, const char* what) const {
    constexpr int polls_before_yield = 1000;
    const double start = MPI_Wtime();
    for (int polls = 0;; ++polls) {
      int done = 0;
      const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) buffer.leave_to_mpi();
      check(code, what);
      if (done != 0) return;
      if (polls < polls_before_yield) continue;
      if (MPI_Wtime() - start > limit_s_) {
        buffer.leave_to_mpi();
        throw_error<communication_error>(
            "warpfold: a rank did not join the ", what, " of rank ", rank_, " of ", size_,
            " within ", static_cast<long long>(limit_s_ * 1000),
            " ms; make the same calls on every rank, or raise the time limit of wf::mpi. Call "
            "MPI_Abort: MPI cannot use or free this communicator");
      }
      sched_yield();
    }
  }

  // Errors reach this code if the communicator has MPI_ERRORS_RETURN. MPI's default ends the
  // program.
  static void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw_error<communication_error>("warpfold: ", what,
                                     " failed: ", static_cast<const char*>(text));
  }

  static int int_of(std::size_t count) {
    if (count <= INT_MAX) return static_cast<int>(count);
    throw_error<communication_error>(
        "warpfold: an exchange of ", count,
        " bytes or words from each rank, which MPI cannot count; use a smaller "
        "accumulator");
  }

  MPI_Comm comm_;
  double limit_s_;
  int rank_ = 0;
  int size_ = 0;
};

static_assert(communicator<mpi_ranks>);

/// Returns this process's rank in an MPI communicator, for `across`.
///
/// @param comm all of its processes make the same calls. If other threads or libraries use it, pass
///     a copy that MPI_Comm_dup made. It must outlive the calls
/// @param limit_s the time limit of an exchange in seconds. It includes the other ranks' folds
/// @return the rank, a handle
///
/// - Threads: only one at a time may call. MPI_THREAD_SERIALIZED is enough; with MPI_Init, the main
///   thread.
/// - GPUs: `across(mpi(comm), wf::device)` folds on the current GPU of each process. The states
///   travel through pinned host memory, so MPI need not know about GPUs.
/// - Cores: mpirun of Open MPI binds each of one or two processes to one core, so that `wf::par`
///   has one thread. Pass it `--bind-to none` or `--map-by slot:PE=8`.
/// - Faults: a rank that does not call is a `communication_error` after the time limit. MPI does
///   not tell which rank is missing. The only call that MPI then defines is MPI_Abort.
/// - A process that dies: mpirun ends the job, also with MPI_ERRORS_RETURN. With
///   `--enable-recovery` (Open MPI) or `-disable-auto-cleanup` (MPICH) the other processes may run
///   on, and their calls throw `communication_error` after the time limit.
/// - Other errors of MPI end the program, unless `comm` has MPI_ERRORS_RETURN; then they are a
///   `communication_error`.
/// @throws communication_error if MPI is not initialized, or `comm` is null
/// @throws invalid_argument if the limit is negative or NaN
///
/// ```cpp
/// #include <vector>
/// #include <warpfold/policy/across.hpp>
/// #include <warpfold/policy/mpi.hpp>
///
/// int main(int argc, char** argv) {
///   MPI_Init(&argc, &argv);
///   const std::vector<double> part(1000, 1.0);
///   const double sum = wf::reduce(wf::across(wf::mpi(MPI_COMM_WORLD)), part);
///   MPI_Finalize();
///   return sum >= 1000 ? 0 : 1;
/// }
/// ```
inline mpi_ranks mpi(MPI_Comm comm, double limit_s = 300) { return {comm, limit_s}; }

}  // namespace warpfold
