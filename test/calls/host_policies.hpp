/// @file
/// The policies of the host as fixtures; see contract/policy_contract.hpp.
#pragma once

#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>

#include "contract/policy_contract.hpp"

namespace test {

template <class Policy>
struct host_policy : host_memory {
  static auto policy() { return Policy{}; }
};
using seq = host_policy<wf::seq_policy>;
using par = host_policy<wf::par_policy>;
using std_par = host_policy<wf::baseline::std_par_policy>;

}  // namespace test
