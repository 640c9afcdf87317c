/// @file
/// `where(range, bits)`: the elements whose bit is set in a packed mask.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold {

/// An element and its bit in a mask.
template <class T>
struct masked {
  T value;
  bool is_set;

  friend WARPFOLD_HD constexpr bool operator==(const masked& a, const masked& b) {
    return a.is_set == b.is_set && a.value == b.value;
  }
};

namespace detail {
template <class T>
inline constexpr bool is_masked = false;
template <class T>
inline constexpr bool is_masked<masked<T>> = true;

/// Packed bits, the lowest bit of each unit first: the bit of element `i` is bit `n % W` of unit
/// `n / W`, where `n` is `first + i` and `W` the number of bits of a `Unit`. On a little-endian
/// machine the same memory is the same mask with units of any size.
template <class Unit>
struct packed_bits {
  static constexpr std::size_t width = sizeof(Unit) * 8;

  const Unit* units;
  std::size_t first;

  /// The bits of `Count` elements from element `i` on, that of element `i` lowest; the bits above
  /// may be anything. Loads only units with at least one of them.
  ///
  /// No load is conditional: the first unit and the last are loaded even if they are one. A branch
  /// between the loads of two chunks would wait for the first of them.
  template <int Count, class Loads>
  WARPFOLD_HD std::uint32_t load(std::size_t i, const Loads& loads) const {
    static_assert(Count >= 1 && Count <= 32);
    constexpr std::size_t count = Count;
    constexpr std::size_t most = 1 + (count + width - 2) / width;
    const std::size_t n = first + i;
    const std::size_t from = n / width, last = (n + count - 1) / width;
    const auto shift = static_cast<unsigned>(n % width);
    std::uint64_t found = loads.load(units + from);
    if constexpr (most * width > 64) {
      // Two steps: a shift by all 64 bits is not defined.
      const std::uint64_t next = loads.load(units + last);
      return static_cast<std::uint32_t>(found >> shift | next << 1 << (63 - shift));
    } else {
      WARPFOLD_UNROLL
      for (std::size_t u = 1; u < most; ++u) {
        const std::size_t at = from + u < last ? from + u : last;
        found |= static_cast<std::uint64_t>(loads.load(units + at)) << (u * width);
      }
      return static_cast<std::uint32_t>(found >> shift);
    }
  }
};

}  // namespace detail

/// The elements of `View` and their bits. `where` makes one. A reduction folds the elements whose
/// bit is set (work/masked_reduction.hpp), and an index counts all. A function of `project` is
/// applied to the elements, not to `masked`. Each chunk loads the elements as `View` does, and the
/// units of the mask with its bits.
template <view View, class Unit>
class masked_view : public detail::view_over<View> {
  using base_type = detail::view_over<View>;
  using base_type::base_;

 public:
  using reduced_type = typename View::value_type;
  using value_type = masked<reduced_type>;

  using base_type::chunk_size;
  static constexpr int arrays = detail::arrays_of<View>();
  static constexpr std::size_t array_bytes = detail::array_bytes_of<View>();

  struct chunk_type {
    typename View::chunk_type values;
    std::uint32_t bits;
  };

  WARPFOLD_ANY_SIDE WARPFOLD_HD masked_view(View values, detail::packed_bits<Unit> bits)
      : base_type(values), bits_(bits) {}

  WARPFOLD_HD const View& values() const { return base_; }

  WARPFOLD_HD std::size_t head() const { return base_.head(); }
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type operator[](std::size_t i) const {
    return {static_cast<reduced_type>(base_[i]), (bits_.template load<1>(i, plain{}) & 1) != 0};
  }
  WARPFOLD_ANY_SIDE inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return {base_.at(i, loads), (bits_.template load<1>(i, loads) & 1) != 0};
  }
  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    base_.load(c.values, i, loads);
    c.bits = bits_.template load<chunk_size>(i, loads);
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    base_.load_anywhere(c.values, i, loads);
    c.bits = bits_.template load<chunk_size>(i, loads);
  }
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type get(const chunk_type& c, int k) const {
    return {base_.get(c.values, k), (c.bits >> k & 1) != 0};
  }

  /// Visits the memory of the elements, and the units of the mask that have their bits.
  void visit_memory(auto&& visit) const {
    base_.visit_memory(visit);
    constexpr std::size_t width = detail::packed_bits<Unit>::width;
    const std::size_t n = base_.size();
    const std::size_t from = n == 0 ? 0 : bits_.first / width;
    const std::size_t units = n == 0 ? 0 : (bits_.first + n - 1) / width + 1 - from;
    contiguous_view<Unit>(bits_.units + from, units).visit_memory(visit);
  }

  template <view Values>
  masked_view<Values, Unit> with(const Values& values) const {
    return {values, bits_};
  }
  /// The view of `f(x)` for the same bits; `project` calls it.
  auto projected(const auto& f) const {
    const auto of = warpfold::project(base_, f);
    if constexpr (view<std::remove_const_t<decltype(of)>>) {
      return with(of);
    } else {
      return of;  // already reported
    }
  }

 private:
  struct plain {
    template <class T>
    WARPFOLD_HD T load(const T* from) const {
      return *from;
    }
  };

  detail::packed_bits<Unit> bits_;
};

/// Returns a view of the elements of `range` whose bit is set in a packed mask, for reductions: an
/// element whose bit is not set contributes nothing, as if `range` did not have it.
///
/// The mask has one bit for each element, the lowest bit of each unit first, as in Apache Arrow and
/// cuDF. All calls that reduce take the view: `wf::sum`, `wf::argmin`, `wf::mean`, and `wf::reduce`
/// with any op, also one without an identity. An index is that in `range`.
///
/// @param range must outlive the view
/// @param bits contiguous unsigned integers of 8 to 64 bits, readable from the policy; must outlive
///     the view
/// @param first_bit index of the bit of the first element, in bits
/// @return the view; nothing is stored
///
/// - No bit set: as an empty range. Calls that throw `empty_range` for one do so after the read.
///   `reduce_async` cannot: with an op without an identity it writes a `maybe<T>`, whose
///   `engaged()` says whether a bit was set. Named functions write the op's identity, and
///   statistics NaN.
/// - Order: that of `range`. `project(where(range, bits), f)` equals `where(project(range, f),
///   bits)`; `f` also runs on elements whose bit is not set.
/// - Cost: one read of `range` and of the mask, and two more loads for each chunk of 16 bytes. Ops
///   that fold whole batches (`moments_op`, `arg`) fold element by element.
/// @throws invalid_range if the mask has fewer bits than `range` has elements
///
/// ```cpp
/// std::vector<float> v{1, 2, 3, 4};
/// std::vector<std::uint32_t> bits{0b0101};
/// float sum = wf::sum(wf::seq, wf::where(v, bits));  // 1 + 3
/// ```
template <class Range, class Bits>
  requires(reducible_range<Range> && reducible_range<Bits>)
auto where(Range&& range, Bits&& bits, std::size_t first_bit = 0) {
  WARPFOLD_REQUIRE_LASTING("where", Range, Bits);
  using base = view_of_t<Range>;
  using mask = view_of_t<Bits>;
  using unit = typename mask::value_type;
  constexpr bool packed = std::is_unsigned_v<unit> && !std::is_same_v<unit, bool> &&
                          sizeof(unit) <= 8 && requires { requires mask::is_contiguous; };
  static_assert(packed,
                "warpfold: the mask of where is not contiguous unsigned integers with one bit for "
                "each element; pack the bits, or use project with a function of both");
  constexpr bool once = !masked_elements<base>;
  static_assert(once,
                "warpfold: where was given a range that has a mask; combine the bits of both "
                "masks, and call where once");
  if constexpr (packed && once) {
    const auto values = as_view(range);
    const auto units = as_view(bits);
    const std::size_t n = values.size();
    constexpr std::size_t width = detail::packed_bits<unit>::width;
    // Counted in units: the bits of a mask may exceed 64 bits.
    const std::size_t last = first_bit + (n == 0 ? 0 : n - 1);
    if (last < first_bit || (n != 0 && last / width >= units.size())) {
      throw_error<invalid_range>("warpfold: where was given a mask of ", units.size(),
                                 " integers of ", width, " bits for ", n, " elements from bit ",
                                 first_bit, " on; pass one bit for each element");
    }
    return masked_view<base, unit>(values, {units.data(), first_bit});
  } else {
    return detail::refused{};
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces, class Bits = detail::braces>
  requires(!(reducible_range<Range> && reducible_range<Bits>))
auto where(const Range&, const Bits&, std::size_t = 0) {
  return detail::refuse_ranges<Range, Bits>();
}

}  // namespace warpfold
