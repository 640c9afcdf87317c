// Combinations of the fuzzer that every run of the tests tries: wf::par.
// needs: tbb
#include <warpfold/policy/par.hpp>

#include "fuzz/drop_in_std.hpp"
#include "fuzz/fixed.hpp"

namespace fuzz {
namespace {

TEST_CASE("a fixed selection of the fuzzer's combinations: wf::par") {
  check<float, contiguous, identity, sum_min_argmax, reduce>(
      "f32 contiguous identity sum_min_argmax reduce par", wf::par);
  check<record<int, 5>, staged, identity, plus, reduce>("r20 staged identity plus reduce par",
                                                        wf::par);
  check<int, contiguous, negate, maximum, reduce_axis>(
      "i32 contiguous negate maximum reduce_axis par", wf::par);
  check<float, contiguous, identity, arg_maximum, transform_axis>(
      "f32 contiguous identity arg_maximum transform_axis par", wf::par);
  check<record<float, 3>, contiguous, identity, plus, reduce_expression>(
      "r12f contiguous identity plus reduce_expression par", wf::par);
  check<signed char, staged, convert<int>, maximum, reduce>("i8 staged to_i32 maximum reduce par",
                                                            wf::par);
  check<short, packed, scaled, minimum, transform>("i16 packed scaled minimum transform par",
                                                   wf::par);
  check<char, zip_counting, convert<unsigned short>, own_plus, reduce_init>(
      "char zip_counting to_u16 own_plus reduce_init par", wf::par);
  check<bool, field<small_holder>, convert<long long>, own_maximum, reduce_async>(
      "bool field_small to_i64 own_maximum reduce_async par", wf::par);
  check<float, where, identity, own_maximum, reduce>("f32 where identity own_maximum reduce par",
                                                     wf::par);
  check<short, three_dimensions, identity, last_minimum, reduce>(
      "i16 three_dimensions identity last_minimum reduce par", wf::par);
  check<unsigned char, counted, scaled, plus, reduce>("u8 counted scaled plus reduce par", wf::par);
  check<float, counted, identity, own_maximum, reduce_init>(
      "f32 counted identity own_maximum reduce_init par", wf::par);
  check<double, counted, convert<float>, minimum, transform>(
      "f64 counted to_f32 minimum transform par", wf::par);
  check<double, every_third, identity, moments_to_4, reduce>(
      "f64 every_third identity moments_to_4 reduce par", wf::par);
  check<long, matrix_part, negated_int, moments, reduce>(
      "long matrix_part negated_int moments reduce par", wf::par);
  check<record<signed char, 3>, field<large_holder>, to_bool, arg_minimum, reduce>(
      "r3 field_large to_bool arg_minimum reduce par", wf::par);
  check<short, contiguous, scaled, plus, forms>("i16 contiguous scaled plus forms par", wf::par);
  check<float, field<small_holder>, negate, own_plus, accumulate>(
      "f32 field_small negate own_plus accumulate par", wf::par);
  check<short, contiguous, negate, plus, drop_in_std>("i16 contiguous negate plus drop_in_std par",
                                                      wf::par);
  check<double, contiguous, identity, own_maximum, drop_in_std>(
      "f64 contiguous identity own_maximum drop_in_std par", wf::par);
  check<float, contiguous, identity, compensated, reduce_async>(
      "f32 contiguous identity compensated reduce_async par", wf::par);
  check<double, every_third, identity, exact, reduce>("f64 every_third identity exact reduce par",
                                                      wf::par);
  check<float, contiguous, identity, moments_argmin_or, segments>(
      "f32 contiguous identity moments_argmin_or segments par", wf::par);
  check<record<int, 5>, zip_counting, identity, plus, segments>(
      "r20 zip_counting identity plus segments par", wf::par);
  check<int, counted, negate, arg_maximum, segments>("i32 counted negate arg_maximum segments par",
                                                     wf::par);
  check<int, every_second, negate, ordered_hash, counted_segments>(
      "i32 every_second negate ordered_hash counted_segments par", wf::par);
  check<double, contiguous, identity, exact_moments, reduce>(
      "f64 contiguous identity exact_moments reduce par", wf::par);
  check<complex<float>, every_second, identity, exact_to_double, reduce>(
      "c32 every_second identity exact_to_double reduce par", wf::par);
  check<short, every_second, identity, arg_maximum, equal_segments>(
      "i16 every_second identity arg_maximum equal_segments par", wf::par);
  check<float, contiguous, identity, moments_argmin_or, lists>(
      "f32 contiguous identity moments_argmin_or lists par", wf::par);
  check<record<int, 5>, contiguous, identity, plus, lists>("r20 contiguous identity plus lists par",
                                                           wf::par);
  check<float, contiguous, negate, own_maximum, keys>("f32 contiguous negate own_maximum keys par",
                                                      wf::par);
  check<float, contiguous, negate, plus, classes>("f32 contiguous negate plus classes par",
                                                  wf::par);
  check<record<int, 5>, staged, identity, plus, classes>("r20 staged identity plus classes par",
                                                         wf::par);
  check<record<float, 3>, staged, identity, plus, keys>("r12f staged identity plus keys par",
                                                        wf::par);
  check<short, packed, negate, minimum, named>("i16 packed negate minimum named par", wf::par);
  check<float, where, absolute, maximum, named>("f32 where absolute maximum named par", wf::par);
  check<short, every_third, negate, ordered_hash, reduce>(
      "i16 every_third negate ordered_hash reduce par", wf::par);
  check<int, contiguous, negate, ordered_hash, transform_axis>(
      "i32 contiguous negate ordered_hash transform_axis par", wf::par);
  check<unsigned, zip, identity, ordered_hash, keys>("u32 zip identity ordered_hash keys par",
                                                     wf::par);
  check<float, contiguous, identity, softmax, normalize_axis>(
      "f32 contiguous identity softmax normalize_axis par", wf::par);
  check<short, contiguous, identity, arg_maximum, placed_segments>(
      "i16 contiguous identity arg_maximum placed_segments par", wf::par);
  check<float, contiguous, identity, sum_min_argmax, placed_segments>(
      "f32 contiguous identity sum_min_argmax placed_segments par", wf::par);
  check<int, contiguous, negate, ordered_hash, reduce_counted_rows>(
      "i32 contiguous negate ordered_hash reduce_counted_rows par", wf::par);
  check<short, contiguous, scaled, plus, reduce_counted_expression>(
      "i16 contiguous scaled plus reduce_counted_expression par", wf::par);
  check<float, contiguous, identity, plus, transform_counted_rows>(
      "f32 contiguous identity plus transform_counted_rows par", wf::par);
  check<unsigned, zip, identity, ordered_hash, counted_keys>(
      "u32 zip identity ordered_hash counted_keys par", wf::par);
  check<float, contiguous, negate, plus, counted_classes>(
      "f32 contiguous negate plus counted_classes par", wf::par);
}

}  // namespace
}  // namespace fuzz
