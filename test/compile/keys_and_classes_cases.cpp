// Wrong uses of keys and classes.
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>

// expect: the function is a pointer to a member function, which the GPU cannot call
// errors: 3
// A pointer to a member function as a key or a comparison: one error each.
namespace key_is_a_member_function {
struct particle {
  float energy() const { return 1; }
};

void call(const std::vector<particle>& v, warpfold::indexed<particle>* out) {
  using namespace warpfold;
  (void)argmin(seq, v, {}, &particle::energy);
  (void)argmax(seq, v, &particle::energy);
  argmax_async(seq, v, {}, &particle::energy, out);
}
}  // namespace key_is_a_member_function

// expect: the keys cannot be compared
// Keys without operator==.
namespace keys_not_comparable {
struct key {
  int number;
};

std::size_t call(const std::vector<key>& keys, std::vector<key>& keys_out, std::vector<int>& out) {
  return warpfold::run_lengths(warpfold::seq, keys, keys_out, out);
}
}  // namespace keys_not_comparable

// expect: do not convert to the output
// An output that cannot hold keys.
namespace keys_output_not_convertible {
struct key {
  int number;
  bool operator==(const key&) const = default;
};

std::size_t call(const std::vector<key>& keys, std::vector<int>& keys_out, std::vector<int>& out) {
  return warpfold::run_lengths(warpfold::seq, keys, keys_out, out);
}
}  // namespace keys_output_not_convertible

// expect: the labels are not integers
// Labels that are not integers.
namespace labels_are_floats {
void call(const std::vector<float>& labels, std::vector<int>& out) {
  warpfold::count_by_class(warpfold::seq, labels, 3, out);
}
}  // namespace labels_are_floats

// expect: the output of the number of runs is not of integers; pass a pointer to an integer
// The number of runs goes to a float.
namespace number_of_runs_is_a_float {
void call(const std::vector<int>& v, std::vector<int>& out, float* runs) {
  warpfold::run_lengths_async(warpfold::seq, v, out, out, runs);
}
}  // namespace number_of_runs_is_a_float
