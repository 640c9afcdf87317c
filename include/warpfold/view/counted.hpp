/// @file
/// `counted(range, count)`: the first elements of a range, or rows of an array, whose number lies
/// in memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

namespace detail {

/// A number in memory, up to a limit.
template <class Count>
struct count_in_memory {
  const Count* at;
  std::size_t limit;

  /// The number; one above the limit is the limit, and a negative one is 0.
  WARPFOLD_HD std::size_t read(const auto& loads) const {
    const Count n = loads.load(at);
    if constexpr (std::is_signed_v<Count>) {
      if (n < 0) return 0;
    }
    return static_cast<std::size_t>(n) < limit ? static_cast<std::size_t>(n) : limit;
  }
  /// @param what the name of what is counted, for messages
  /// @throws invalid_range if the number is negative or above the limit
  std::size_t read_on_host(const char* what) const {
    const Count n = *at;
    if constexpr (std::is_signed_v<Count>) {
      if (n < 0) {
        throw_error<invalid_range>("warpfold: the count of a counted range is ",
                                   static_cast<long long>(n), "; store a number of ", what);
      }
    }
    if (static_cast<std::size_t>(n) > limit) {
      throw_error<invalid_range>("warpfold: the count of a counted range is ",
                                 static_cast<std::size_t>(n), ", but the range has ", limit, " ",
                                 what, "; pass a range of all ", what, " that the count may reach");
    }
    return static_cast<std::size_t>(n);
  }
  void visit(const auto& visit) const {
    visit(static_cast<const void*>(at), sizeof(Count), alignof(Count));
  }
};

// The elements of a row. A base and not a member: compilers of the host and of the GPU may differ
// in the layout of [[no_unique_address]].
template <class Each>
struct row_elements {};
template <>
struct row_elements<std::size_t> {
  std::size_t each;
};

}  // namespace detail

/// The first `*count` elements of a view, or rows of `each` elements. A kernel reads the count;
/// until then `size()` is the number of elements of the view, which is the limit.
/// @tparam Each std::size_t for rows
template <view View, class Count, class Each = std::integral_constant<std::size_t, 1>>
class counted_view : public View, detail::row_elements<Each> {
  static constexpr bool are_rows = std::is_same_v<Each, std::size_t>;

 public:
  static constexpr bool has_size_in_memory = true;
  static constexpr bool loads_before_size = true;
  static constexpr int arrays = detail::arrays_of<View>() + 1;
  static constexpr bool is_contiguous = false;  // `size()` is not final
  using array_chunk = void;                     // its chunks are not copied ahead of the threads

  counted_view(const View& elements, const Count* count)
      : View(elements), count_{count, elements.size()} {}
  counted_view(const View& elements, const Count* count, std::size_t rows)
      : View(elements),
        detail::row_elements<Each>{rows == 0 ? 0 : elements.size() / rows},
        count_{count, rows} {}

  WARPFOLD_HD std::size_t size() const {
    if constexpr (are_rows) {
      return count_.limit * this->each;
    } else {
      return count_.limit;
    }
  }

  /// Reads the count; a count above the limit becomes the limit.
  inline WARPFOLD_HD void read_size(const auto& loads) { count_.limit = count_.read(loads); }

  inline WARPFOLD_HD void prefetch(std::size_t i, const auto& loads) const
    requires requires(const View& all) { all.data(); }
  {
    loads.prefetch(View::data() + i);
  }

  /// Reads the count on the host.
  /// @throws invalid_range if the host cannot read the count, or if it is negative or above the
  ///     limit
  void read_size_on_host() { count_.limit = count_.read_on_host(are_rows ? "rows" : "elements"); }

  void visit_sizes(const auto& visit) const { count_.visit(visit); }
  void visit_memory(auto&& visit) const {
    View::visit_memory(visit);
    visit_sizes(visit);
  }

 private:
  detail::count_in_memory<Count> count_;
};

namespace detail {

// An array of which the first `*count` rows exist.
template <class Array, class Count>
struct counted_array {
  static constexpr bool is_array_expression = true;
  static constexpr bool has_counted_rows = true;
  using value_type = array_element_t<Array>;

  Array array;
  const Count* count;
};

// An array whose first dimension can be counted. A line of elements has no rows.
template <class A>
concept array_of_rows = array_expression<A> || (mdspan_like<A> && A::rank() > 1);
template <class R>
concept countable = reducible_range<R> || array_of_rows<R>;

}  // namespace detail

/// Returns a view of the first `*count` elements of `range`. Reductions of a whole range,
/// `transform`, `copy`, and calls on segments, keys and labels take it. The kernel reads the count,
/// so that earlier work on the stream can compute it, and a graph can be replayed with another
/// count. Of an array, returns the first `*count` rows, for `reduce_axis`, `transform_axis` and
/// `transform`.
///
/// @param range must outlive the view; its size is the limit of the count. Or an mdspan of rank 2
///     or more, or an expression of mdspans (reduce_axis.hpp). Then the count is that of the first
///     dimension, whose extent is the limit. `elements(mdspan)` counts elements
/// @param count an integer in memory that the policy can read; it must outlive the view
/// @return the view, to be projected, zipped, reduced and transformed
///
/// - `transform` and `copy` neither read nor write elements from index `*count` on. The output has
///   room for the limit, and does not overlap the count.
/// - As the offsets of `reduce_segments` and `transform_segments`: `*count` is the number of
///   segments, which have one more offset. As their range: segments end at `*count`.
/// - As the keys of `reduce_by_key` and `run_lengths`, or the labels of `reduce_by_class`: values
///   from index `*count` on have no key or label. Values are not counted.
/// - `reduce_axis` and `transform_axis` fold any other axis of a counted array, and neither read
///   nor write rows from `*count` on. Rows are fast if the first dimension has the largest strides.
/// - A reduction of it needs an init, or an op with an identity: there may be no element.
/// - `wf::seq`, `wf::par` and `wf::emulated` throw `invalid_range` for a count that is negative or
///   larger than the range. On a GPU a count beyond the range is clamped to its size, and a
///   negative one to 0, because the host does not know the count.
/// - A count of 0 gives the init or the identity. `min`, `argmin`, `mean` and their like throw
///   `empty_range`; only `min`, `max` and `minmax` on a GPU do not learn the size, and return the
///   identity: infinity, or the greatest or least integer. `_async` functions write the identity,
///   at `indexed<T>::nowhere` if there is an index, and statistics write NaN.
/// - Cost: one more load in each thread. The launch is that of the whole range. A reduction on a
///   GPU loads or prefetches the first elements of each thread before it knows the count, so a
///   small count reads more than its elements. A transformation waits for the count; it does not
///   stage elements in shared memory.
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// std::size_t n = 2;
/// float sum = wf::sum(wf::seq, wf::counted(v, &n));  // 3
/// wf::transform(wf::seq, wf::counted(v, &n), v, [](float x) { return -x; });  // v is {-1, -2, 3}
/// ```
template <class Range, class Count>
  requires(reducible_range<Range> && !detail::array_of_rows<std::remove_cvref_t<Range>> &&
           std::is_integral_v<Count>)
auto counted(Range&& range, const Count* count) {
  WARPFOLD_REQUIRE_LASTING("counted", Range);
  using base = view_of_t<Range>;
  static_assert(!detail::has_size_in_memory<base>,
                "warpfold: counted was given a counted range; pass one count, the smaller one");
  static_assert(!masked_elements<base>,
                "warpfold: counted was given a range with a mask; call where last: "
                "where(counted(range, count), bits)");
  if constexpr (detail::check_copyable<typename base::value_type>()) {
    return counted_view<base, Count>(as_view(range), count);
  } else {
    return detail::refused{};
  }
}

// The same of the rows of an array.
template <detail::array_of_rows Array, class Count>
  requires std::is_integral_v<Count>
auto counted(const Array& array, const Count* count) {
  return detail::counted_array<Array, Count>{array, count};
}

// Reports a count in the place of its address.
template <class Range, class Count>
  requires(detail::countable<Range> && std::is_integral_v<Count>)
auto counted(const Range&, Count) {
  static_assert(detail::never<Count>,
                "warpfold: the count of counted is a number, not its address; pass a pointer to "
                "the number, or std::span(...).first(n) for a number that the host knows");
  return detail::refused{};
}

// Reports a count that is neither a number nor the address of one.
template <class Range, class Count>
  requires(detail::countable<Range> && !std::is_integral_v<Count> &&
           !(std::is_pointer_v<std::decay_t<Count>> &&
             std::is_integral_v<std::remove_pointer_t<std::decay_t<Count>>>))
auto counted(const Range&, const Count&) {
  static_assert(detail::never<Count>,
                "warpfold: the count of counted is not an integer in memory; pass a raw pointer to "
                "an integer: &n or counts.data()");
  return detail::refused{};
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces, class Count>
  requires(!detail::countable<Range>)
auto counted(const Range&, const Count*) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
