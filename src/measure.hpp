/// @file
/// One array, reduced by every way there is: values checked, calls timed.
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
  int repeat = 0;         ///< timed calls a policy; 0: as many as fit into `budget`
  double budget = 0.4;    ///< seconds a policy
};

/// What came of one policy.
struct measurement {
  enum class outcome {
    timed,      ///< the value is right, as far as can be told
    wrong,      ///< it differs from what it should be by more than rounding
    not_built,  ///< not compiled for this element and op
    failed,     ///< it threw; `note` is what
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

/// An array that is about to be reduced: on the GPU, copied once, or in place on the host.
class bench {
 public:
  /// Decides where to run, and copies to the GPU if it is there.
  /// @throws std::runtime_error  if the choice cannot be met
  bench(const npy_file& file, const array& input, policy_choice choice);

  /// One reduction, the chosen policy's first. What that one throws reaches the caller.
  std::vector<measurement> run(op o, const measure_options& options) const;

  /// The plan of the chosen policy.
  std::string explain(op o) const;

  const array& input() const { return input_; }
  bool on_device() const { return device_.has_value(); }
  double copy_seconds() const { return copy_seconds_; }

  /// Why the host runs it although nobody asked for that; or empty.
  const std::string& remark() const { return remark_; }

 private:
  /// The array where this engine reads it.
  const array& source_of(const engine& how) const;
  value pass(const engine& how, op o) const;
  measurement measure(const engine& how, op o, const measure_options& options, bool first) const;

  const npy_file& file_;
  array input_;
  std::optional<device_copy> device_;
  double copy_seconds_ = 0;
  std::string remark_;
  std::vector<const engine*> engines_;  // the chosen one first
};

/// The ops that say something about such elements, for the demo.
std::vector<op> telling_ops(element e);

}  // namespace warpfold::program
