// Combinations of the fuzzer that every run of the tests tries: wf::drop_in::thrust and
// wf::drop_in::cub on the GPU.
#include "fuzz/drop_in_cub.hpp"
#include "fuzz/drop_in_thrust.hpp"
#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::drop_in::thrust") {
  check<float, contiguous, identity, plus, thrust_fold<int, int>>(
      "f32 contiguous identity plus thrust_fold<int,int> device", wf::device);
  check<short, contiguous, scaled, plus, thrust_fold<double, void>>(
      "i16 contiguous scaled plus thrust_fold<double,void> device", wf::device);
  check<double, contiguous, identity, maximum, thrust_fold<float, own>>(
      "f64 contiguous identity maximum thrust_fold<float,own> device", wf::device);
  check<signed char, contiguous, negate, plus, thrust_pairs<std::int64_t>>(
      "i8 contiguous negate plus thrust_pairs<std::int64_t> device", wf::device);
  check<float, contiguous, identity, minimum, thrust_places>(
      "f32 contiguous identity minimum thrust_places device", wf::device);
  check<int, contiguous, absolute, minimum, thrust_questions>(
      "i32 contiguous absolute minimum thrust_questions device", wf::device);
  check<float, contiguous, convert<short>, minimum, thrust_outputs>(
      "f32 contiguous to_i16 minimum thrust_outputs device", wf::device);
}

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::drop_in::cub") {
  check<short, contiguous, identity, plus, cub_fold<double, void>>(
      "i16 contiguous identity plus cub_fold<double,void> device", wf::device);
  check<float, contiguous, identity, nan_maximum, cub_fold<float, void>>(
      "f32 contiguous identity nan_maximum cub_fold<float,void> device", wf::device);
  check<unsigned, contiguous, scaled, bit_xor, cub_fold<short, void>>(
      "u32 contiguous scaled bit_xor cub_fold<short,void> device", wf::device);
  check<record<int, 3>, contiguous, identity, own_plus, cub_fold<own, own>>(
      "r12 contiguous identity own_plus cub_fold<own,own> device", wf::device);
}

}  // namespace
}  // namespace fuzz
