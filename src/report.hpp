/// @file
/// The texts that describe a file, its reductions and the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure.hpp"

namespace warpfold::program {

/// "photo.npy: uint8, shape (427, 640, 3), 819,840 elements, 820 kB"
std::string describe_input(const npy_file& file, const std::string& field, const array& input);

/// The value, and one line for each policy.
std::string describe_reduction(const bench& b, op o, const std::vector<measurement>& all);

/// The value of an array that several processes have reduced, each a part with this policy.
std::string describe_processes(const array& whole, op o, const measurement& m,
                               std::string_view policy, int processes);

/// `warpfold demo`: reduces each .npy file of a folder, and prints a table for each.
/// @return the exit code
int run_demo(const std::string& folder);

/// `warpfold info`.
std::string describe_machine();

}  // namespace warpfold::program
