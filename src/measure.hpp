/// @file
/// Reduces one array with every policy, checks the values, and times the calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine.hpp"
#include "npy.hpp"

namespace warpfold::program {

/// The user's choice of policy.
enum class policy_choice { automatic, seq, par, device };

/// How to measure.
struct measure_options {
  bool baselines = true;  ///< measure the other policies as well
  int repeat = 0;         ///< timed calls per policy; 0: as many as fit into `budget`
  double budget = 0.4;    ///< seconds per policy
};

/// The result of one policy.
struct measurement {
  enum class outcome {
    timed,      ///< the value agrees with the expected one
    wrong,      ///< the value differs from the expected one by more than rounding
    not_built,  ///< not compiled for this element and op
    failed,     ///< it threw; `note` is the message
  };
  const engine* how = nullptr;
  std::string kernel;
  outcome result = outcome::not_built;
  value total{};
  double seconds = 0;  ///< the median
  int calls = 0;
  std::string note;

  double gigabytes_per_second(const array& a) const {
    return seconds > 0 ? static_cast<double>(a.bytes()) / seconds / 1e9 : 0;
  }
};

/// An array to reduce: on the GPU, where it is copied once, or in place on the host.
class bench {
 public:
  /// Decides where to run, and copies the array to the GPU if it runs there.
  /// @throws std::runtime_error  if the chosen policy cannot run
  bench(const npy_file& file, const array& input, policy_choice choice);

  /// Runs one reduction, first with the chosen policy. Exceptions of that policy reach the caller.
  std::vector<measurement> run(op o, const measure_options& options) const;

  /// The plan of the chosen policy.
  std::string explain(op o) const;

  const array& input() const { return input_; }
  bool on_device() const { return device_.has_value(); }
  double copy_seconds() const { return copy_seconds_; }

  /// Why the automatic policy chose the host, or empty.
  const std::string& remark() const { return remark_; }

 private:
  /// The engines, the one to use first. The automatic choice uses the first that has the op.
  std::vector<const engine*> engines_for(op o) const;
  /// The copy of the array that this engine reads.
  const array& source_of(const engine& how) const;
  value pass(const engine& how, op o) const;
  measurement measure(const engine& how, op o, const measure_options& options, bool first) const;

  const npy_file& file_;
  array input_;
  std::optional<device_copy> device_;
  double copy_seconds_ = 0;
  std::string remark_;
  std::vector<const engine*> engines_;  // the chosen one first
  bool is_automatic_ = false;
};

}  // namespace warpfold::program
