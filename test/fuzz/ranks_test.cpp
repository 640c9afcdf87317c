// Combinations of the fuzzer that every run of the tests tries: wf::across, with threads as ranks.
// needs: tbb boost_context
#include "fuzz/ranks.hpp"

#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::across") {
  check<short, counted, identity, arg_minimum, reduce>(
      "i16 counted identity arg_minimum reduce ranks", fuzz::ranks);
  check<record<float, 7>, field<small_holder>, identity, arg_minimum, reduce>(
      "r28 field_small identity arg_minimum reduce ranks", fuzz::ranks);
  check<float, where, identity, own_maximum, reduce_init>(
      "f32 where identity own_maximum reduce_init ranks", fuzz::ranks);
  check<long long, every_third, absolute, sum_min_argmax, reduce>(
      "i64 every_third absolute sum_min_argmax reduce ranks", fuzz::ranks);
  check<float, contiguous, identity, compensated, reduce_async>(
      "f32 contiguous identity compensated reduce_async ranks", fuzz::ranks);
  check<int, contiguous, negate, arg_maximum, reduce_axis>(
      "i32 contiguous negate arg_maximum reduce_axis ranks", fuzz::ranks);
  check<double, contiguous, identity, moments, reduce_axis>(
      "f64 contiguous identity moments reduce_axis ranks", fuzz::ranks);
  check<int, contiguous, negate, sum_min_argmax, reduce_axis>(
      "i32 contiguous negate sum_min_argmax reduce_axis ranks", fuzz::ranks);
  check<short, every_third, identity, sum_min_argmax, segments>(
      "i16 every_third identity sum_min_argmax segments ranks", fuzz::ranks);
  check<record<int, 5>, contiguous, identity, own_plus, segments>(
      "r20 contiguous identity own_plus segments ranks", fuzz::ranks);
  check<float, contiguous, identity, arg_minimum, segments>(
      "f32 contiguous identity arg_minimum segments ranks", fuzz::ranks);
  check<int, contiguous, negate, ordered_hash, reduce>(
      "i32 contiguous negate ordered_hash reduce ranks", fuzz::ranks);
}

}  // namespace
}  // namespace fuzz
