// Combinations of the fuzzer that every run of the tests tries: wf::drop_in::std.
// needs: tbb
#include <warpfold/policy/par.hpp>

#include "fuzz/drop_in_std.hpp"
#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::drop_in::std") {
  check<float, contiguous, identity, plus, std_fold<int, int>>(
      "f32 contiguous identity plus std_fold<int,int> par", wf::par);
  check<int, contiguous, scaled, own_maximum, std_fold<short, void>>(
      "i32 contiguous scaled own_maximum std_fold<short,void> par", wf::par);
  check<double, contiguous, identity, logical_and, std_fold<float, void>>(
      "f64 contiguous identity logical_and std_fold<float,void> par", wf::par);
  check<short, contiguous, negate, plus, std_pairs<double>>(
      "i16 contiguous negate plus std_pairs<double> par", wf::par);
  check<float, contiguous, identity, minimum, std_places>(
      "f32 contiguous identity minimum std_places par", wf::par);
  check<unsigned, contiguous, complement, minimum, std_questions>(
      "u32 contiguous complement minimum std_questions par", wf::par);
}

}  // namespace
}  // namespace fuzz
