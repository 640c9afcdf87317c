/// @file
/// `ranges_at(pointers, sizes)`: a list of ranges that the policy reads, not the host.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/range_check.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

namespace detail {

/// A pointer and a size as the range that they mean.
template <class T>
struct range_of_pointer {
  template <class Pair>
  WARPFOLD_HD contiguous_view<T> operator()(const Pair& p) const {
    return {get<0>(p), static_cast<std::size_t>(get<1>(p))};
  }
};

template <class Pointers, class Sizes>
using ranges_at_base = decltype(project(
    zip(std::declval<const Pointers&>(), std::declval<const Sizes&>()),
    range_of_pointer<std::remove_cv_t<std::remove_pointer_t<typename Pointers::value_type>>>{}));

}  // namespace detail

/// The view that `ranges_at` returns: its elements are views of the ranges.
template <view Pointers, view Sizes>
class ranges_at_view : public detail::ranges_at_base<Pointers, Sizes> {
  using base = detail::ranges_at_base<Pointers, Sizes>;

 public:
  /// See range_list.
  static constexpr bool is_read_by_policy = true;

  explicit ranges_at_view(const base& ranges) : base(ranges) {}
};

/// Returns a list of ranges for `reduce_many` whose pointers and sizes the policy reads when the
/// work runs, not the host. For lists in device memory: earlier work on the stream may write them,
/// and a graph may be replayed with other ranges.
///
/// @param pointers one for each range, to its first element; readable from the policy
/// @param sizes integers, as many as pointers: the number of elements of each range. A size of 0
///     makes an empty range
/// @return the list. It stores neither; both must live until the work has been done
///
/// - The elements of the ranges must be readable from the policy. The library does not check that:
///   a GPU reports a wrong pointer as a `cuda_error` of a later call.
/// - An empty range of an op without identity and init: host policies and `wf::emulated` throw
///   `empty_range`. A GPU leaves the output unchanged.
/// - Cost on a GPU: one launch for any number of ranges, and no time of the host for each range.
///
/// @throws invalid_range if the numbers of pointers and sizes differ
///
/// ```cpp
/// std::vector<float> a{1, 2}, b{3, 4, 5}, sums(2);
/// std::vector<const float*> pointers{a.data(), b.data()};
/// std::vector<int> sizes{2, 3};
/// wf::reduce_many(wf::seq, wf::ranges_at(pointers, sizes), wf::plus{}, sums);  // 3, 12
/// ```
template <class Pointers, class Sizes>
  requires(reducible_range<Pointers> && reducible_range<Sizes>)
auto ranges_at(Pointers&& pointers, Sizes&& sizes) {
  WARPFOLD_REQUIRE_LASTING("ranges_at", Pointers, Sizes);
  using pointers_view = view_of_t<Pointers>;
  using sizes_view = view_of_t<Sizes>;
  constexpr bool points = std::is_pointer_v<typename pointers_view::value_type>;
  constexpr bool counts = std::is_integral_v<typename sizes_view::value_type>;
  static_assert(points,
                "warpfold: ranges_at takes raw pointers to the first elements, and this range has "
                "none; pass a range of pointers, and a range of sizes");
  static_assert(counts || !points,
                "warpfold: the sizes of ranges_at are not integers; pass the number of elements of "
                "each range");
  if constexpr (points && counts) {
    const pointers_view first = as_view(pointers);
    const sizes_view count = as_view(sizes);
    if (first.size() != count.size()) {
      throw_error<invalid_range>("warpfold: ranges_at got ", first.size(), " pointers, but ",
                                 count.size(), " sizes; pass a size for each pointer");
    }
    using element = std::remove_cv_t<std::remove_pointer_t<typename pointers_view::value_type>>;
    return ranges_at_view<pointers_view, sizes_view>(
        project(zip(first, count), detail::range_of_pointer<element>{}));
  } else {
    return detail::refused{};
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Pointers = detail::braces, class Sizes = detail::braces>
  requires(!(reducible_range<Pointers> && reducible_range<Sizes>))
auto ranges_at(const Pointers&, const Sizes&) {
  return detail::refuse_ranges<Pointers, Sizes>();
}

}  // namespace warpfold
