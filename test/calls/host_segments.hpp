/// @file
/// The policies of the host as fixtures for folds of segments; see contract/segments_contract.hpp.
#pragma once

#include <warpfold/policy/par.hpp>

#include "contract/transform_contract.hpp"

namespace test {

template <class Policy>
struct segments_fixture : host_memory, target_in<host_memory> {
  static auto policy() { return Policy{}; }
};
using segments_seq = segments_fixture<wf::seq_policy>;
using segments_par = segments_fixture<wf::par_policy>;

}  // namespace test
