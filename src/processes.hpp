/// @file
/// The processes of `mpirun warpfold reduce`.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "element.hpp"
#include "value.hpp"

namespace warpfold::program {

/// The rank that a launcher of MPI, such as mpirun, has given to this process. Empty if none has
/// started it, or one has started it alone.
std::optional<int> rank_from_launcher();

/// What one process has found in its part of an array.
struct part_result {
  std::size_t first = 0;       ///< the index of the part's first element in the array
  std::size_t count = 0;       ///< of elements
  std::optional<value> total;  ///< empty if the part has no elements
};

/// The processes that a launcher of MPI has started together. There is at most one object. It
/// starts MPI, and its destructor ends it.
class process_group {
 public:
  /// @throws std::runtime_error  if this program was built without MPI
  process_group();
  ~process_group();
  process_group(const process_group&) = delete;  // it ends MPI once
  process_group& operator=(const process_group&) = delete;

  int rank() const;
  int size() const;
  /// The rank among the processes of this machine.
  int rank_on_machine() const;

  /// Returns the lowest rank with `failed`, on every rank; -1 if there is none. Waits for all.
  int first_with(bool failed) const;

  /// Returns the result of the whole array, on every rank. Waits for all.
  /// @param e,o  the element and op, which all ranks have in common
  /// @param own  of this process. If no rank has a total, `identity` is the result
  value combined(element e, op o, const part_result& own, const value& identity) const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace warpfold::program
