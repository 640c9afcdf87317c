/// @file
/// The texts that describe a file, its reductions and the machine.
#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace warpfold::program {

/// "photo.npy: uint8, shape (427, 640, 3), 819,840 elements, 820 kB"
std::string describe_input(const npy_file& file, const std::string& field, const array& input);

/// The value, and one line for each policy.
std::string describe_reduction(const bench& b, op o, const std::vector<measurement>& all);

/// `warpfold demo`: reduces each .npy file of a folder, and prints a table for each.
/// @return the exit code
int run_demo(const std::string& folder);

/// `warpfold info`.
std::string describe_machine();

}  // namespace warpfold::program
