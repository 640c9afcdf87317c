// Combinations of the fuzzer that every run of the tests tries: wf::emulated and kernels by name.
// needs: boost_context
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/kernel/ladder/interleaved_addressing.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/ladder/serial_tail.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/policy/emulated.hpp>

#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::emulated") {
  check<float, contiguous, identity, plus, reduce>("f32 contiguous identity plus reduce emulated",
                                                   wf::emulated);
  check<double, every_second, negate, plus, reduce_init>(
      "f64 every_second negate plus reduce_init emulated", wf::emulated);
  check<int, contiguous, negate, maximum, reduce>("i32 contiguous negate maximum reduce emulated",
                                                  wf::emulated);
  check<record<float, 3>, staged, identity, plus, reduce>(
      "r12f staged identity plus reduce emulated.staged<>",
      wf::emulated.with_kernel(wf::kernel::staged<>{}));
  check<float, contiguous, identity, moments, reduce_axis>(
      "f32 contiguous identity moments reduce_axis emulated", wf::emulated);
  check<int, contiguous, negate, maximum, transform_axis>(
      "i32 contiguous negate maximum transform_axis emulated", wf::emulated);
  check<short, contiguous, negate, arg_minimum, reduce_expression>(
      "i16 contiguous negate arg_minimum reduce_expression emulated", wf::emulated);
  check<unsigned short, every_second, to_bool, maximum, reduce>(
      "u16 every_second to_bool maximum reduce emulated.serial_tail<>",
      wf::emulated.with_kernel(wf::kernel::serial_tail<>{}));
  check<short, iterator, convert<unsigned short>, logical_and, reduce>(
      "i16 iterator to_u16 logical_and reduce emulated.interleaved_addressing<128>",
      wf::emulated.with_kernel(wf::kernel::interleaved_addressing<128>{}));
  check<unsigned, counting, negated_int, own_plus_with_identity, reduce_async>(
      "u32 counting negated_int own_plus_with_identity reduce_async emulated.grid_stride<>",
      wf::emulated.with_kernel(wf::kernel::grid_stride<>{}));
  check<signed char, reversed, identity, arg_by_descending, reduce>(
      "i8 reversed identity arg_by_descending reduce emulated.grid_stride<>",
      wf::emulated.with_kernel(wf::kernel::grid_stride<>{}));
  check<unsigned short, where, scaled, plus, reduce>(
      "u16 where scaled plus reduce emulated.staged<>",
      wf::emulated.with_kernel(wf::kernel::staged<>{}));
  check<int, counted, identity, sum_min_argmax, reduce>(
      "i32 counted identity sum_min_argmax reduce emulated", wf::emulated);
  check<double, zip_counting, convert<float>, minimum, transform>(
      "f64 zip_counting to_f32 minimum transform emulated", wf::emulated);
  check<short, counted, scaled, minimum, transform>("i16 counted scaled minimum transform emulated",
                                                    wf::emulated);
  check<record<float, 7>, matrix_part, convert<int>, logical_or, reduce>(
      "r28 matrix_part to_i32 logical_or reduce emulated.sequential_addressing<128>",
      wf::emulated.with_kernel(wf::kernel::sequential_addressing<128>{}));
  check<short, contiguous, scaled, plus, forms>("i16 contiguous scaled plus forms emulated",
                                                wf::emulated);
  check<float, field<small_holder>, negate, own_plus, accumulate>(
      "f32 field_small negate own_plus accumulate emulated", wf::emulated);
  check<float, contiguous, identity, compensated, reduce_async>(
      "f32 contiguous identity compensated reduce_async emulated", wf::emulated);
  check<double, every_third, identity, exact, reduce>(
      "f64 every_third identity exact reduce emulated", wf::emulated);
  check<double, contiguous, identity, exact_squares, reduce_axis>(
      "f64 contiguous identity exact_squares reduce_axis emulated", wf::emulated);
  check<float, contiguous, identity, moments_argmin_or, segments>(
      "f32 contiguous identity moments_argmin_or segments emulated", wf::emulated);
  check<record<int, 5>, zip_counting, identity, plus, segments>(
      "r20 zip_counting identity plus segments emulated", wf::emulated);
  check<short, counted, identity, maximum, segments>(
      "i16 counted identity maximum segments emulated", wf::emulated);
  check<float, contiguous, identity, last_minimum, counted_segments>(
      "f32 contiguous identity last_minimum counted_segments emulated", wf::emulated);
  check<short, packed, scaled, last_minimum, segments>(
      "i16 packed scaled last_minimum segments emulated", wf::emulated);
  check<float, contiguous, identity, moments_argmin_or, lists>(
      "f32 contiguous identity moments_argmin_or lists emulated", wf::emulated);
  check<record<int, 5>, contiguous, identity, plus, lists>(
      "r20 contiguous identity plus lists emulated", wf::emulated);
  check<short, contiguous, identity, last_minimum, lists>(
      "i16 contiguous identity last_minimum lists emulated", wf::emulated);
  check<record<int, 5>, staged, identity, plus, classes>(
      "r20 staged identity plus classes emulated", wf::emulated);
  check<float, zip_counting, convert<double>, moments, classes>(
      "f32 zip_counting convert<double> moments classes emulated", wf::emulated);
  check<double, aligned<8>, negate, maximum, equal_segments>(
      "f64 aligned_8 negate maximum equal_segments emulated", wf::emulated);
  check<int, contiguous, absolute, maximum, named>("i32 contiguous absolute maximum named emulated",
                                                   wf::emulated);
  check<unsigned char, counted, scaled, plus, named>("u8 counted scaled plus named emulated",
                                                     wf::emulated);
  check<short, packed, identity, ordered_hash, reduce_async>(
      "i16 packed identity ordered_hash reduce_async emulated", wf::emulated);
  check<unsigned, staged, scaled, ordered_hash, reduce>(
      "u32 staged scaled ordered_hash reduce emulated.in_order<>",
      wf::emulated.with_kernel(wf::kernel::in_order<>{}));
  check<int, contiguous, negate, ordered_hash, reduce_axis>(
      "i32 contiguous negate ordered_hash reduce_axis emulated", wf::emulated);
  check<int, every_second, negate, ordered_hash, segments>(
      "i32 every_second negate ordered_hash segments emulated", wf::emulated);
  check<signed char, zip, negate, ordered_hash, keys>("i8 zip negate ordered_hash keys emulated",
                                                      wf::emulated);
  check<long long, contiguous, identity, ordered_hash, lists>(
      "i64 contiguous identity ordered_hash lists emulated", wf::emulated);
  check<float, contiguous, identity, softmax, normalize_segments>(
      "f32 contiguous identity softmax normalize_segments emulated", wf::emulated);
  check<short, contiguous, identity, arg_maximum, placed_segments>(
      "i16 contiguous identity arg_maximum placed_segments emulated", wf::emulated);
  check<int, contiguous, negate, ordered_hash, reduce_counted_rows>(
      "i32 contiguous negate ordered_hash reduce_counted_rows emulated", wf::emulated);
  check<unsigned, zip, identity, ordered_hash, counted_keys>(
      "u32 zip identity ordered_hash counted_keys emulated", wf::emulated);
  check<float, counted, identity, softmax, normalize_segments>(
      "f32 counted identity softmax normalize_segments emulated", wf::emulated);
}

}  // namespace
}  // namespace fuzz
