/// @file
/// Reduces one array with every policy, checks the values, and times the calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices.hpp"
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

  /// Divides the array among GPUs, and copies the parts.
  /// @param gpus  their numbers; all GPUs if it is empty
  bench(const npy_file& file, const array& input, const std::vector<int>& gpus);

  /// One reduction with the chosen policy. `presented` converts the value to the result.
  /// @throws std::runtime_error  if the policy is not built for the op
  value fold(op o) const;

  /// The name of the chosen policy.
  std::string_view policy_name(op o) const { return engines_for(o).front()->name; }

  /// Runs one reduction, first with the chosen policy. Exceptions of that policy reach the caller.
  std::vector<measurement> run(op o, const measure_options& options) const;

  /// The plan of the chosen policy.
  std::string explain(op o) const;

  const array& input() const { return input_; }
  bool on_device() const { return device_.has_value() || devices_.has_value(); }
  /// The number of GPUs that have the array, or a part of it.
  std::size_t gpus() const {
    return devices_ ? devices_->on_devices().gpus.size() : device_.has_value() ? 1 : 0;
  }
  double copy_seconds() const { return copy_seconds_; }

  /// Why the automatic policy chose the host, or empty.
  const std::string& remark() const { return remark_; }

 private:
  /// The engines, the one to use first. The automatic choice uses the first that has the op.
  std::vector<const engine*> engines_for(op o) const;
  /// The copy of the array that this engine reads.
  const array& source_of(const engine& how) const;
  value pass(const engine& how, op o) const;
  void require_built(const engine& how, op o) const;
  void add_engines(std::span<const engine> some);
  measurement measure(const engine& how, op o, const measure_options& options, bool first) const;

  const npy_file& file_;
  array input_;
  std::optional<device_copy> device_;
  std::optional<devices_copy> devices_;  // if the array is on several GPUs
  double copy_seconds_ = 0;
  std::string remark_;
  std::vector<const engine*> engines_;  // the chosen one first
  bool is_automatic_ = false;
};

}  // namespace warpfold::program
