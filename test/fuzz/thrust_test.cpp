// Combinations of the fuzzer that every run of the tests tries: wf::drop_in::thrust.
// needs: cccl tbb
#include <warpfold/policy/par.hpp>

#include "fuzz/drop_in_thrust.hpp"
#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::drop_in::thrust") {
  check<float, contiguous, identity, plus, thrust_fold<int, int>>(
      "f32 contiguous identity plus thrust_fold<int,int> par", wf::par);
  check<short, contiguous, scaled, plus, thrust_fold<double, void>>(
      "i16 contiguous scaled plus thrust_fold<double,void> par", wf::par);
  check<double, contiguous, identity, maximum, thrust_fold<float, own>>(
      "f64 contiguous identity maximum thrust_fold<float,own> par", wf::par);
  check<record<int, 3>, contiguous, identity, own_plus, thrust_fold<own, own>>(
      "r12 contiguous identity own_plus thrust_fold<own,own> par", wf::par);
  check<unsigned, contiguous, identity, bit_xor, thrust_fold<short, void>>(
      "u32 contiguous identity bit_xor thrust_fold<short,void> par", wf::par);
  check<signed char, contiguous, negate, plus, thrust_pairs<std::int64_t>>(
      "i8 contiguous negate plus thrust_pairs<std::int64_t> par", wf::par);
  check<float, contiguous, identity, maximum, thrust_pairs<double>>(
      "f32 contiguous identity maximum thrust_pairs<double> par", wf::par);
  check<float, contiguous, identity, minimum, thrust_places>(
      "f32 contiguous identity minimum thrust_places par", wf::par);
  check<short, contiguous, complement, minimum, thrust_places>(
      "i16 contiguous complement minimum thrust_places par", wf::par);
  check<int, contiguous, absolute, minimum, thrust_questions>(
      "i32 contiguous absolute minimum thrust_questions par", wf::par);
  check<float, contiguous, convert<short>, minimum, thrust_outputs>(
      "f32 contiguous to_i16 minimum thrust_outputs par", wf::par);
}

}  // namespace
}  // namespace fuzz
