// Combinations of the fuzzer that every run of the tests tries: wf::device and kernels by name.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/cluster.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/kernel/ladder/first_add_during_load.hpp>
#include <warpfold/kernel/ladder/grid_2d.hpp>
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/kernel/ladder/interleaved_addressing.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/ladder/two_pass.hpp>
#include <warpfold/kernel/ladder/unroll_last_warp.hpp>
#include <warpfold/kernel/ladder/warp_shuffle.hpp>
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>

#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::device") {
  check<int, contiguous, negate, maximum, reduce>("i32 contiguous negate maximum reduce device",
                                                  wf::device);
  check<short, contiguous, negated_int, arg_minimum, reduce>(
      "i16 contiguous negated_int arg_minimum reduce device.single_pass<>",
      wf::device.with_kernel(wf::kernel::single_pass<>{}));
  check<int, contiguous, negate, minimum, reduce_axis>(
      "i32 contiguous negate minimum reduce_axis device", wf::device);
  check<short, contiguous, negate, minimum, transform_axis>(
      "i16 contiguous negate minimum transform_axis device", wf::device);
  check<float, contiguous, negate, maximum, reduce_expression>(
      "f32 contiguous negate maximum reduce_expression device", wf::device);
  check<float, contiguous, identity, moments_argmin_or, segments>(
      "f32 contiguous identity moments_argmin_or segments device", wf::device);
  check<short, packed, scaled, last_minimum, segments>(
      "i16 packed scaled last_minimum segments device", wf::device);
  check<int, counted, negate, arg_maximum, segments>(
      "i32 counted negate arg_maximum segments device", wf::device);
  check<float, contiguous, identity, moments_argmin_or, counted_segments>(
      "f32 contiguous identity moments_argmin_or counted_segments device", wf::device);
  check<int, zip, zero_minus, min_max, reduce>("i32 zip zero_minus min_max reduce device",
                                               wf::device);
  check<__nv_bfloat16, contiguous, negate, plus, reduce_axis>(
      "bf16 contiguous negate plus reduce_axis device", wf::device);
  check<long, staged, identity, sum_min_argmax, reduce>(
      "long staged identity sum_min_argmax reduce device.bulk_copy",
      wf::device.with_kernel(wf::kernel::bulk_copy{}));
  check<unsigned char, matrix_steps, convert<float>, nan_maximum, reduce>(
      "u8 matrix_steps to_f32 nan_maximum reduce device.cluster<>",
      wf::device.with_kernel(wf::kernel::cluster<>{}));
  check<float, field<large_holder>, convert<short>, multiplies, reduce_async>(
      "f32 field_large to_i16 multiplies reduce_async device.warp_shuffle<>",
      wf::device.with_kernel(wf::kernel::warp_shuffle<>{}));
  check<long long, matrix_part, hundred_minus, nan_minimum, reduce>(
      "i64 matrix_part hundred_minus nan_minimum reduce device.interleaved_addressing<128>",
      wf::device.with_kernel(wf::kernel::interleaved_addressing<128>{}));
  check<record<float, 7>, iterator, convert<signed char>, squares, reduce>(
      "r28 iterator to_i8 squares reduce device.grid_stride<>",
      wf::device.with_kernel(wf::kernel::grid_stride<>{}));
  check<signed char, every_second, convert<unsigned long long>, own_plus, reduce>(
      "i8 every_second to_u64 own_plus reduce device.sequential_addressing<128>",
      wf::device.with_kernel(wf::kernel::sequential_addressing<128>{}));
  check<complex<float>, field<small_holder>, scaled, moments_argmin_or, reduce>(
      "c32 field_small scaled moments_argmin_or reduce device.grid_2d<>",
      wf::device.with_kernel(wf::kernel::grid_2d<>{}));
  check<unsigned short, contiguous, convert<int>, bit_and, reduce_init>(
      "u16 contiguous to_i32 bit_and reduce_init device.unroll_last_warp<128>",
      wf::device.with_kernel(wf::kernel::unroll_last_warp<128>{}));
  check<record<int, 4>, aligned<16>, complement, maximum, reduce>(
      "r16 aligned_16 complement maximum reduce device.single_pass<16>",
      wf::device.with_kernel(wf::kernel::single_pass<16>{}));
  check<char, packed, convert<int>, moments, reduce>(
      "char packed to_i32 moments reduce device.single_block",
      wf::device.with_kernel(wf::kernel::single_block{}));
  check<record<long long, 5>, aligned<8>, convert<int>, arg_maximum, reduce>(
      "r40 aligned_8 to_i32 arg_maximum reduce device.two_pass<>",
      wf::device.with_kernel(wf::kernel::two_pass<>{}));
  check<__half, zip_counting, clamp, minimum, transform>(
      "f16 zip_counting clamp minimum transform device", wf::device);
  check<unsigned char, counted, convert<double>, minimum, transform>(
      "u8 counted to_f64 minimum transform device", wf::device);
  check<record<double, 3>, iterator, absolute, own_maximum, reduce_async>(
      "r24 iterator absolute own_maximum reduce_async device.first_add_during_load<128>",
      wf::device.with_kernel(wf::kernel::first_add_during_load<128>{}));
  check<short, contiguous, scaled, plus, forms>("i16 contiguous scaled plus forms device",
                                                wf::device);
  check<float, field<small_holder>, negate, own_plus, accumulate>(
      "f32 field_small negate own_plus accumulate device", wf::device);
  check<float, contiguous, identity, compensated, reduce_async>(
      "f32 contiguous identity compensated reduce_async device", wf::device);
  check<float, contiguous, identity, moments_argmin_or, lists>(
      "f32 contiguous identity moments_argmin_or lists device", wf::device);
  check<record<int, 5>, contiguous, identity, plus, lists>(
      "r20 contiguous identity plus lists device", wf::device);
  check<short, contiguous, identity, last_minimum, lists>(
      "i16 contiguous identity last_minimum lists device", wf::device);
  check<record<int, 5>, staged, identity, plus, classes>("r20 staged identity plus classes device",
                                                         wf::device);
  check<float, zip_counting, convert<double>, moments, classes>(
      "f32 zip_counting convert<double> moments classes device", wf::device);
  check<double, aligned<8>, negate, maximum, equal_segments>(
      "f64 aligned_8 negate maximum equal_segments device", wf::device);
  check<int, contiguous, absolute, maximum, named>("i32 contiguous absolute maximum named device",
                                                   wf::device);
  check<float, where, negate, minimum, named>("f32 where negate minimum named device", wf::device);
  check<short, packed, identity, ordered_hash, reduce_async>(
      "i16 packed identity ordered_hash reduce_async device", wf::device);
  check<unsigned, staged, scaled, ordered_hash, reduce>(
      "u32 staged scaled ordered_hash reduce device.in_order<>",
      wf::device.with_kernel(wf::kernel::in_order<>{}));
  check<int, contiguous, negate, ordered_hash, reduce_axis>(
      "i32 contiguous negate ordered_hash reduce_axis device", wf::device);
  check<int, contiguous, negate, ordered_hash, transform_axis>(
      "i32 contiguous negate ordered_hash transform_axis device", wf::device);
  check<int, every_second, negate, ordered_hash, segments>(
      "i32 every_second negate ordered_hash segments device", wf::device);
  check<signed char, zip, negate, ordered_hash, keys>("i8 zip negate ordered_hash keys device",
                                                      wf::device);
  check<long long, contiguous, identity, ordered_hash, lists>(
      "i64 contiguous identity ordered_hash lists device", wf::device);
  check<float, contiguous, identity, softmax, normalize_axis>(
      "f32 contiguous identity softmax normalize_axis device", wf::device);
  check<__nv_bfloat16, contiguous, identity, layer_norm, normalize_axis>(
      "bf16 contiguous identity layer_norm normalize_axis device", wf::device);
  check<int, contiguous, negate, rms_norm, normalize_axis>(
      "i32 contiguous negate rms_norm normalize_axis device", wf::device);
  check<float, contiguous, identity, softmax, normalize_segments>(
      "f32 contiguous identity softmax normalize_segments device", wf::device);
  check<short, contiguous, identity, arg_maximum, placed_segments>(
      "i16 contiguous identity arg_maximum placed_segments device", wf::device);
  check<float, contiguous, identity, sum_min_argmax, placed_segments>(
      "f32 contiguous identity sum_min_argmax placed_segments device", wf::device);
  check<int, contiguous, negate, ordered_hash, reduce_counted_rows>(
      "i32 contiguous negate ordered_hash reduce_counted_rows device", wf::device);
  check<short, contiguous, scaled, plus, reduce_counted_expression>(
      "i16 contiguous scaled plus reduce_counted_expression device", wf::device);
  check<float, contiguous, identity, plus, transform_counted_rows>(
      "f32 contiguous identity plus transform_counted_rows device", wf::device);
  check<unsigned, zip, identity, ordered_hash, counted_keys>(
      "u32 zip identity ordered_hash counted_keys device", wf::device);
  check<float, contiguous, negate, plus, counted_classes>(
      "f32 contiguous negate plus counted_classes device", wf::device);
  check<float, counted, identity, softmax, normalize_segments>(
      "f32 counted identity softmax normalize_segments device", wf::device);
}

}  // namespace
}  // namespace fuzz
