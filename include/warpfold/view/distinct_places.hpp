/// @file
/// Whether the elements of a strided array all lie at places of their own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpfold::detail {

__extension__ typedef __int128 wide_integer;

// Two places are one if there are steps d_k, not all 0, of less than extent_k either way, whose sum of d_k * stride_k is 0.
class strided_places {
 public:
  static constexpr int most = 4;

  // Strides are in elements. What all of them reach together fits 63 bits; no extent is 0.
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

  // Exact. A few comparisons where each stride steps over all that smaller ones reach, as in every array of rows and columns.
  // Where strides interleave, two dimensions take a few divisions, and more of them up to 2 sqrt(n) times that, where n is the
  // number of places.
  bool are_distinct() {
    if (count_ > 0 && dims_[0].stride == 0) return false;
    if (nest()) return true;
    if (are_too_many()) return false;
    drop_decided();
    if (count_ < 2) return true;
    // The two dimensions of the largest extents are solved, and the steps of the others tried.
    for (int k = 1; k < count_; ++k) {
      for (int at = k; at > 0 && dims_[at].most_steps > dims_[at - 1].most_steps; --at) {
        swap(dims_[at], dims_[at - 1]);
      }
    }
    const pair_of_strides pair(dims_[0].stride, dims_[1].stride);
    return !meet(2, 0, false, pair);
  }

 private:
  struct dimension {
    std::int64_t most_steps;  // either way
    std::int64_t stride;
    std::int64_t reach() const { return most_steps * stride; }
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
  static std::int64_t floor_of(std::int64_t a, std::int64_t b) {  // a / b, of a positive b
    return a / b - (a % b < 0 ? 1 : 0);
  }

  // Two strides, as they are solved: x * first + y * second = target.
  struct pair_of_strides {
    std::int64_t divisor;  // the greatest common one
    std::int64_t first;    // divided by it
    std::int64_t second;
    std::int64_t inverse;  // of the first modulo the second

    pair_of_strides(std::int64_t a, std::int64_t b)
        : divisor(gcd(a, b)), first(a / divisor), second(b / divisor), inverse(0) {
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
      inverse = x < 0 ? x + second : x;
      if (second == 1) inverse = 0;
    }
  };

  std::int64_t reach_of(int from, int to) const {
    std::int64_t sum = 0;
    for (int k = from; k < to; ++k) sum += dims_[k].reach();
    return sum;
  }

  // Whether each stride is larger than what the smaller ones reach.
  bool nest() const {
    for (int k = 1; k < count_; ++k) {
      if (dims_[k].stride <= reach_of(0, k)) return false;
    }
    return true;
  }

  // Whether there are more elements than places from the first to the last.
  bool are_too_many() const {
    wide_integer elements = 1;
    for (int k = 0; k < count_; ++k) elements *= dims_[k].most_steps + 1;  // at most 2^64
    return elements > wide_integer{reach_of(0, count_)} + 1;
  }

  // Leaves out dimensions whose steps must be 0: those whose stride the others cannot reach, and those that leave the multiples
  // of what divides all other strides.
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
      const bool is_odd = divisor != 0 && divisor / gcd(divisor, own.stride) > own.most_steps;
      if (!is_far && !is_odd) continue;
      for (int j = k + 1; j < count_; ++j) dims_[j - 1] = dims_[j];
      --count_;
      k = -1;
    }
  }

  // Whether steps of the dimensions from number `k` on, and of the first two, sum up to `-sum`. Not all are 0: where those before
  // `k` have been (`moved` is false), the first that is not is positive, as the opposite of a solution is one.
  bool meet(int k, std::int64_t sum, bool moved, const pair_of_strides& pair) const {
    if (k == count_ || k == most) return pair_meets(-sum, moved, pair);
    const dimension& own = dims_[k];
    const std::int64_t others = reach_of(0, 2) + reach_of(k + 1, count_);
    // |sum + step * stride| must be within what the others reach.
    std::int64_t last = floor_of(others - sum, own.stride);
    std::int64_t first = moved ? -floor_of(others + sum, own.stride) : 0;
    if (last > own.most_steps) last = own.most_steps;
    if (first < -own.most_steps) first = -own.most_steps;
    for (std::int64_t step = first; step <= last; ++step) {
      if (meet(k + 1, sum + step * own.stride, moved || step != 0, pair)) return true;
    }
    return false;
  }

  // Whether x * first + y * second = target within the steps of the first two dimensions; other than 0, 0 unless `moved`.
  bool pair_meets(std::int64_t target, bool moved, const pair_of_strides& pair) const {
    const std::int64_t most_x = dims_[0].most_steps, most_y = dims_[1].most_steps;
    if (!moved) return pair.second <= most_x && pair.first <= most_y;
    if (target % pair.divisor != 0) return false;
    const std::int64_t to = target / pair.divisor;
    // x is known modulo `second`; y is within its steps for x from `low` to `high`.
    const std::int64_t reach_x = most_x * pair.first, reach_y = most_y * pair.second;
    const std::int64_t high = to >= reach_x - reach_y ? most_x : floor_of(to + reach_y, pair.first);
    const std::int64_t low =
        to <= reach_y - reach_x ? -most_x : -floor_of(reach_y - to, pair.first);
    if (low > high) return false;
    const auto modulo = [&](wide_integer a) {
      const auto rest = static_cast<std::int64_t>(a % pair.second);
      return rest < 0 ? rest + pair.second : rest;
    };
    const std::int64_t x = modulo(wide_integer{to % pair.second} * pair.inverse);
    // The first number from `low` on that is x modulo `second`.
    return modulo(wide_integer{x} - low) <= high - low;
  }

  dimension dims_[most] = {};
  int count_ = 0;
};

}  // namespace warpfold::detail
