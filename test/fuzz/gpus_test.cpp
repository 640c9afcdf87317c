// Combinations of the fuzzer that every run of the tests tries: wf::across with emulated GPUs.
// needs: boost_context
#include "fuzz/gpus.hpp"

#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: emulated GPUs") {
  check<short, counted, identity, arg_minimum, reduce>(
      "i16 counted identity arg_minimum reduce gpus", fuzz::gpus);
  check<float, where, identity, own_maximum, reduce_init>(
      "f32 where identity own_maximum reduce_init gpus", fuzz::gpus);
  check<long long, every_third, absolute, sum_min_argmax, reduce>(
      "i64 every_third absolute sum_min_argmax reduce gpus", fuzz::gpus);
  check<float, contiguous, identity, compensated, reduce_async>(
      "f32 contiguous identity compensated reduce_async gpus", fuzz::gpus);
  check<double, contiguous, identity, moments, reduce>(
      "f64 contiguous identity moments reduce gpus", fuzz::gpus);
  check<int, contiguous, negate, arg_maximum, reduce_axis>(
      "i32 contiguous negate arg_maximum reduce_axis gpus", fuzz::gpus);
  check<int, contiguous, negate, sum_min_argmax, reduce_axis>(
      "i32 contiguous negate sum_min_argmax reduce_axis gpus", fuzz::gpus);
  check<short, every_third, identity, sum_min_argmax, segments>(
      "i16 every_third identity sum_min_argmax segments gpus", fuzz::gpus);
  check<record<int, 5>, contiguous, identity, own_plus, segments>(
      "r20 contiguous identity own_plus segments gpus", fuzz::gpus);
  check<float, contiguous, identity, arg_minimum, segments>(
      "f32 contiguous identity arg_minimum segments gpus", fuzz::gpus);
  check<unsigned char, zip, identity, ordered_hash, reduce>(
      "u8 zip identity ordered_hash reduce gpus", fuzz::gpus);
}

}  // namespace
}  // namespace fuzz
