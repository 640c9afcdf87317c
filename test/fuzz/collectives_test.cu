// Combinations of the fuzzer that every run of the tests tries: collectives in kernels of a user's
// own, on the GPU.
#include "fuzz/collectives.hpp"
#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: collectives") {
  check<int, contiguous, identity, plus, in_blocks>("i32 contiguous identity plus in_blocks device",
                                                    wf::device);
  check<double, contiguous, identity, arg_minimum, in_blocks>(
      "f64 contiguous identity arg_minimum in_blocks device", wf::device);
  check<float, contiguous, scaled, min_max, in_blocks>(
      "f32 contiguous scaled min_max in_blocks device", wf::device);
  check<record<short, 3>, contiguous, identity, own_plus, in_blocks>(
      "r6 contiguous identity own_plus in_blocks device", wf::device);
  check<short, contiguous, identity, moments, in_blocks>(
      "i16 contiguous identity moments in_blocks device", wf::device);
  check<unsigned char, contiguous, negate, bit_xor, in_warps>(
      "u8 contiguous negate bit_xor in_warps device", wf::device);
  check<float, contiguous, identity, own_changing_maximum, in_warps>(
      "f32 contiguous identity own_changing_maximum in_warps device", wf::device);
  check<float, contiguous, convert<double>, compensated, in_warps>(
      "f32 contiguous to_f64 compensated in_warps device", wf::device);
  check<int, contiguous, identity, last_maximum, in_warps>(
      "i32 contiguous identity last_maximum in_warps device", wf::device);
}

}  // namespace
}  // namespace fuzz
