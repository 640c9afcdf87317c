/// @file
/// Parses the command line. It opens no file and runs no command.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "coalescing.hpp"
#include "ladder.hpp"
#include "measure.hpp"
#include "npy.hpp"
#include "tune.hpp"

namespace warpfold::program {

/// The arguments of `warpfold reduce` and `warpfold explain`.
struct reduce_arguments {
  std::string path;
  op what = op::plus;
  npy_selection how;
  policy_choice policy = policy_choice::automatic;
  bool no_baselines = false;
  int repeat = 0;
  std::optional<std::vector<int>> gpus;  ///< the numbers of --gpus; none for all
};

enum class command { reduce, explain, demo, info, ladder, tune, coalescing };

/// A command and its arguments. The arguments of the other commands keep their defaults.
struct request {
  command what = command::info;
  reduce_arguments reduce;  ///< also for `explain`
  std::string folder;       ///< for `demo`
  ladder_options ladder;
  tune_options tune;
  coalescing_options coalescing;
};

/// A text to print instead of running a command: the help, the version, or an error of the command
/// line.
struct reply {
  std::string text;
  bool is_error = false;
};

/// The kernels that `ladder` and `coalescing` accept. An empty list accepts every name: the command
/// then says why it cannot run.
struct kernel_names {
  std::vector<std::string> ladder;
  std::vector<std::string> coalescing;
};

/// @param arguments  without the program's name
std::variant<request, reply> parse_command_line(std::vector<std::string> arguments,
                                                const kernel_names& kernels);

}  // namespace warpfold::program
