/// @file
/// Tests whether all elements of a strided array have different addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::detail {

__extension__ typedef __int128 wide_integer;

// Two elements share an address exactly if there are steps d_k, not all 0, with |d_k| < extent_k
// and a sum of d_k * stride_k of 0.
class strided_places {
 public:
  static constexpr int most = 8;

  // Strides are in elements. No extent is 0, at most 8 extents are above 1, and the last element's
  // offset fits 63 bits.
  strided_places(int rank, const std::size_t* extents, const std::size_t* strides) {
    for (int k = 0; k < rank; ++k) {
      if (extents[k] == 1) continue;
      dimension own{static_cast<std::int64_t>(extents[k]) - 1,
                    static_cast<std::int64_t>(strides[k])};
      int at = count_++;
      for (; at > 0 && own.stride < dims_[at - 1].stride; --at) dims_[at] = dims_[at - 1];
      dims_[at] = own;
    }
  }

  // Call once. Exact.
  // Cost: a few comparisons if each stride is larger than the reach of the smaller ones, as in
  // every array of rows and columns. If strides interleave, a few divisions for two dimensions. For
  // four dimensions up to 2 sqrt(n) times that, with n elements; for more dimensions more.
  bool are_distinct() {
    if (count_ > 0 && dims_[0].stride == 0) return false;
    if (nest()) return true;
    if (are_too_many()) return false;
    drop_decided();
    if (count_ < 2) return true;
    // Solves for the steps of the two dimensions with the largest extents, and tries all steps of
    // the others.
    for (int k = 1; k < count_; ++k) {
      for (int at = k; at > 0 && dims_[at].max_steps > dims_[at - 1].max_steps; --at) {
        swap(dims_[at], dims_[at - 1]);
      }
    }
    const pair_of_strides pair(dims_[0].stride, dims_[1].stride);
    return !meet(2, 0, false, pair);
  }

 private:
  struct dimension {
    std::int64_t max_steps;  // in either direction
    std::int64_t stride;
    std::int64_t reach() const { return max_steps * stride; }
  };

  static void swap(dimension& a, dimension& b) {
    const dimension c = a;
    a = b;
    b = c;
  }
  static std::int64_t gcd(std::int64_t a, std::int64_t b) {
    while (b != 0) {
      const std::int64_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  // a / b rounded down, for positive b
  static std::int64_t floor_of(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }

  // Two strides a and b, divided by their greatest common divisor, for solving x * first + y *
  // second = target.
  struct pair_of_strides {
    std::int64_t divisor;  // the greatest common divisor
    std::int64_t first;    // a / divisor
    std::int64_t second;   // b / divisor
    std::int64_t inverse;  // of `first` modulo `second`; may be negative

    pair_of_strides(std::int64_t a, std::int64_t b)
        : divisor(gcd(a, b)), first(a / divisor), second(b / divisor) {
      // Euclid's algorithm: r = first * x modulo second.
      std::int64_t r = second, next_r = first % second, x = 0, next_x = 1;
      while (next_r != 0) {
        const std::int64_t q = r / next_r;
        const std::int64_t rest = r - q * next_r, coefficient = x - q * next_x;
        r = next_r;
        next_r = rest;
        x = next_x;
        next_x = coefficient;
      }
      inverse = x;
    }
  };

  std::int64_t reach_of(int from, int to) const {
    std::int64_t sum = 0;
    for (int k = from; k < to; ++k) sum += dims_[k].reach();
    return sum;
  }

  // True if each stride is larger than the reach of all smaller ones.
  bool nest() const {
    for (int k = 1; k < count_; ++k) {
      if (dims_[k].stride <= reach_of(0, k)) return false;
    }
    return true;
  }

  // True if there are more elements than addresses from the first to the last.
  bool are_too_many() const {
    wide_integer elements = 1;
    for (int k = 0; k < count_; ++k) elements *= dims_[k].max_steps + 1;  // at most 2^64
    return elements > wide_integer{reach_of(0, count_)} + 1;
  }

  // Removes dimensions whose step must be 0. Either all others together reach less than one such
  // step. Or no such step within the extent moves by a multiple of the other strides' common
  // divisor.
  void drop_decided() {
    for (int k = 0; k < count_; ++k) {
      std::int64_t others = 0, divisor = 0;
      for (int j = 0; j < count_; ++j) {
        if (j == k) continue;
        others += dims_[j].reach();
        divisor = gcd(divisor, dims_[j].stride);
      }
      const dimension own = dims_[k];
      const bool is_far = own.stride > others;
      const bool is_odd = divisor != 0 && divisor / gcd(divisor, own.stride) > own.max_steps;
      if (!is_far && !is_odd) continue;
      for (int j = k + 1; j < count_; ++j) dims_[j - 1] = dims_[j];
      --count_;
      k = -1;
    }
  }

  // True if some steps of dimensions 0, 1 and `k` and later sum up to `-sum`. `moved`: a step
  // before `k` is not 0. If no step is, the first nonzero step is taken as positive, because the
  // negative of a solution is a solution.
  bool meet(int k, std::int64_t sum, bool moved, const pair_of_strides& pair) const {
    if (k == count_ || k == most) return pair_meets(-sum, moved, pair);
    const dimension& own = dims_[k];
    const std::int64_t others = reach_of(0, 2) + reach_of(k + 1, count_);
    // |sum + step * stride| must be within the reach of the others.
    std::int64_t last = floor_of(others - sum, own.stride);
    std::int64_t first = moved ? -floor_of(others + sum, own.stride) : 0;
    if (last > own.max_steps) last = own.max_steps;
    if (first < -own.max_steps) first = -own.max_steps;
    for (std::int64_t step = first; step <= last; ++step) {
      if (meet(k + 1, sum + step * own.stride, moved || step != 0, pair)) return true;
    }
    return false;
  }

  // True if x * first + y * second = target has a solution within the extents of dimensions 0 and
  // 1. Unless `moved`, target is 0 and the solution (0, 0) does not count.
  bool pair_meets(std::int64_t target, bool moved, const pair_of_strides& pair) const {
    const std::int64_t max_x = dims_[0].max_steps, max_y = dims_[1].max_steps;
    if (!moved) return pair.second <= max_x && pair.first <= max_y;
    if (target % pair.divisor != 0) return false;
    const std::int64_t to = target / pair.divisor;
    // x is known modulo `second`. y is within its extent for x from `low` to `high`.
    const std::int64_t reach_x = max_x * pair.first, reach_y = max_y * pair.second;
    const std::int64_t high = to >= reach_x - reach_y ? max_x : floor_of(to + reach_y, pair.first);
    const std::int64_t low = to <= reach_y - reach_x ? -max_x : -floor_of(reach_y - to, pair.first);
    if (low > high) return false;
    const auto modulo = [&](wide_integer a) {
      const auto rest = static_cast<std::int64_t>(a % pair.second);
      return rest < 0 ? rest + pair.second : rest;
    };
    const std::int64_t x = modulo(wide_integer{to % pair.second} * pair.inverse);
    // The distance from `low` to the first number that equals x modulo `second`.
    return modulo(wide_integer{x} - low) <= high - low;
  }

  dimension dims_[most] = {};
  int count_ = 0;
};

}  // namespace warpfold::detail
