/// @file
/// `counting(first, size)`: consecutive numbers, without reading memory.
#pragma once

#include <warpfold/view/concept.hpp>

namespace warpfold {

/// `first`, `first + 1`, ... Reads no memory. Zipped with data it gives each element its index.
template <class T>
class counting_view {
 public:
  using value_type = T;
  static constexpr int arrays = 0;
  static constexpr bool computes_elements = false;  // additions need no guard
  static constexpr bool tells_memory = true;        // it reads none
  static constexpr int chunk_size = 4;              // enough independent arithmetic per chunk
  using chunk_type = T;

  WARPFOLD_HD constexpr counting_view(T first, std::size_t size) : first_(first), size_(size) {}

  WARPFOLD_HD constexpr std::size_t size() const { return size_; }
  WARPFOLD_HD constexpr T operator[](std::size_t i) const {
    return plus_steps(first_, static_cast<T>(i));
  }
  WARPFOLD_HD constexpr std::size_t head() const { return any_head; }
  inline WARPFOLD_HD constexpr T at(std::size_t i, const auto&) const { return (*this)[i]; }
  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto&) const { c = (*this)[i]; }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto&) const {
    c = (*this)[i];
  }
  WARPFOLD_HD constexpr T get(const chunk_type& c, int k) const {
    return plus_steps(c, static_cast<T>(k));
  }

  void visit_memory(auto&&) const {}
  void visit_columns(auto&&) const {}

 private:
  // Wraps on overflow, as plus does.
  static WARPFOLD_HD constexpr T plus_steps(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using wrapping = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
    } else {
      return a + b;
    }
  }

  T first_;
  std::size_t size_;
};

/// Returns a view of the `size` numbers from `first` on. Reads no memory; integers wrap on
/// overflow.
///
/// @param first the first number
/// @param size the number of elements
/// @return a view, to be reduced or zipped
///
/// ```cpp
/// auto sum = wf::sum(wf::seq, wf::counting(1, 100));  // 5050
/// ```
template <class T>
WARPFOLD_HD constexpr counting_view<T> counting(T first, std::size_t size) {
  return {first, size};
}

}  // namespace warpfold
