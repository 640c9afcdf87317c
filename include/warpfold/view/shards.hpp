/// @file
/// `shards(range0, range1, ...)`: one range for each GPU, for `wf::across(wf::devices{...})`.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

namespace detail {
// For parts with a mask (view/where.hpp), the type of the elements that are folded.
template <class View>
struct shards_of_some {};
template <masked_elements View>
struct shards_of_some<View> {
  using reduced_type = typename View::reduced_type;
};
}  // namespace detail

/// The parts of a range; `shards` makes one. Element `i` counts all parts one after another.
template <view View>
class shards_view : public detail::shards_of_some<View> {
 public:
  using shard_type = View;
  using value_type = typename View::value_type;
  using chunk_type = typename View::chunk_type;
  static constexpr int chunk_size = 1;
  static constexpr bool has_size_in_memory = detail::has_size_in_memory<View>;
  static constexpr bool tells_memory = tells_memory_v<View>;

  /// @param block the size of the blocks if they go to the parts in turn, otherwise 0
  explicit shards_view(std::vector<View> parts, std::size_t block = 0)
      : parts_(static_cast<std::vector<View>&&>(parts)), block_(block) {}

  /// The size of the blocks if they go to the parts in turn; 0 if each part is contiguous. With
  /// blocks, ops that take indices throw.
  std::size_t block() const { return block_; }
  const std::vector<View>& parts() const { return parts_; }

  std::size_t size() const {
    std::size_t n = 0;
    for (const View& part : parts_) n += part.size();
    return n;
  }

  // A view has these, but only each part is loaded.
  value_type operator[](std::size_t i) const { return parts_[0][i]; }
  std::size_t head() const { return any_head; }
  void load(chunk_type&, std::size_t, const auto&) const {}
  void load_anywhere(chunk_type&, std::size_t, const auto&) const {}
  value_type at(std::size_t i, const auto& loads) const { return parts_[0].at(i, loads); }
  value_type get(const chunk_type& c, int k) const { return parts_[0].get(c, k); }
  void visit_memory(auto&& visit) const {
    for (const View& part : parts_) part.visit_memory(visit);
  }

  auto each(const auto& f) const {
    using other = std::remove_cvref_t<decltype(f(parts_[0]))>;
    if constexpr (view<other>) {
      std::vector<other> all;
      all.reserve(parts_.size());
      for (const View& part : parts_) all.push_back(f(part));
      return shards_view<other>(static_cast<std::vector<other>&&>(all), block_);
    } else {
      return detail::refused{};  // already reported
    }
  }
  /// `project` calls it.
  auto projected(const auto& f) const {
    return each([&](const View& part) { return warpfold::project(part, f); });
  }

 private:
  std::vector<View> parts_;
  std::size_t block_;
};

namespace detail {

template <class Range>
auto views_of(const std::vector<Range>& ranges) {
  std::vector<view_of_t<Range>> views;
  views.reserve(ranges.size());
  for (const Range& r : ranges) views.push_back(as_view(r));
  return shards_view<view_of_t<Range>>(static_cast<std::vector<view_of_t<Range>>&&>(views));
}

// Shards of arrays, as shards of ranges if the arrays can be ranges.
template <class Array>
struct arrays_as_ranges {
  explicit arrays_as_ranges(const std::vector<Array>&) {}
};
template <reducible_range Array>
struct arrays_as_ranges<Array> : shards_view<view_of_t<Array>> {
  explicit arrays_as_ranges(const std::vector<Array>& parts)
      : shards_view<view_of_t<Array>>(views_of(parts)) {}
};

}  // namespace detail

/// The parts of an array along an axis, in their order; `shards` of mdspans or expressions of them
/// makes one. For `reduce_axis`, and for the calls that take ranges if the parts are ranges.
template <detail::has_axes Array>
class sharded_arrays : public detail::arrays_as_ranges<Array> {
 public:
  explicit sharded_arrays(const std::vector<Array>& parts)
      : detail::arrays_as_ranges<Array>(parts), arrays_(parts) {}

  const std::vector<Array>& arrays() const { return arrays_; }

 private:
  std::vector<Array> arrays_;
};

/// Returns the index of the first element of a shard, if `size` elements are divided into
/// contiguous shards as by `wf::sharded`: at multiples of 32 elements, so that shards start at
/// words of a mask and of 16 bytes. The sizes of two shards differ by at most 32.
/// @param rank from 0 to `shards`; for `shards`, the result is `size`
inline std::size_t shard_begin(std::size_t size, int rank, int shards) {
  constexpr std::size_t unit = 32;
  const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(shards);
  const std::size_t units = size / unit + (size % unit != 0 ? 1 : 0);
  // The last shards get one unit more.
  const std::size_t without_more = n - units % n;
  const std::size_t begin = (units / n * r + (r > without_more ? r - without_more : 0));
  return begin < units ? begin * unit : size;
}

namespace detail {

// A zip of shards is the shards of zips.
template <class First, class... Others>
auto zipped_shards(const First& first, const Others&... others) {
  const auto count = first.parts().size();
  const auto check = [&](const auto& other) {
    bool equal = other.parts().size() == count && other.block() == first.block();
    for (std::size_t i = 0; equal && i < count; ++i) {
      equal = other.parts()[i].size() == first.parts()[i].size();
    }
    if (equal) return;
    throw_error<invalid_range>(
        "warpfold: the shards of a zip differ in their number, sizes or blocks; divide all ranges "
        "equally");
  };
  (check(others), ...);
  using zipped = decltype(warpfold::zip(first.parts()[0], others.parts()[0]...));
  std::vector<zipped> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(warpfold::zip(first.parts()[i], others.parts()[i]...));
  }
  return shards_view<zipped>(static_cast<std::vector<zipped>&&>(all), first.block());
}

inline void require_shards(std::size_t count) {
  if (count != 0) return;
  throw_error<invalid_range>("warpfold: there are no shards; pass one range for each GPU");
}

}  // namespace detail

/// Returns the view of a range that lies in parts, one on each GPU of `wf::across(wf::devices)`.
///
/// @param first,others ranges of one type, in the order of the GPUs; must outlive the view. Some
///     may be empty. Each lies in memory that its GPU can access
/// @return the view, for `reduce`, the functions that reduce a range to one value, `project` and
///     `zip`. Indices count the elements of all parts
///
/// ```cpp
/// #include <vector>
/// #include <warpfold/policy/emulated_devices.hpp>
/// #include <warpfold/view/shards.hpp>
///
/// std::vector<float> a{1, 2}, b{3};
/// float sum = wf::reduce(wf::across(wf::emulated_devices(2)), wf::shards(a, b));  // 6
/// ```
template <class First, class... Others>
  requires(reducible_range<First> || detail::has_axes<First>)
auto shards(const First& first, const Others&... others) {
  constexpr bool arrays = detail::has_axes<First>;
  constexpr bool same = [] {
    if constexpr (arrays) {
      return (std::is_same_v<First, Others> && ...);
    } else {
      return (std::is_same_v<view_of_t<First>, view_of_t<Others>> && ...);
    }
  }();
  static_assert(same,
                "warpfold: the shards have different types; pass ranges of one type, for example "
                "spans of const elements");
  if constexpr (!same) {
    return detail::refused{};
  } else if constexpr (arrays) {
    return sharded_arrays<First>(std::vector<First>{first, others...});
  } else {
    return shards_view<view_of_t<First>>(
        std::vector<view_of_t<First>>{as_view(first), as_view(others)...});
  }
}

/// The same for any number of ranges.
/// @throws invalid_range if there is none
template <class Range>
  requires(reducible_range<Range> || detail::has_axes<Range>)
auto shards_of(const std::vector<Range>& ranges) {
  detail::require_shards(ranges.size());
  if constexpr (detail::has_axes<Range>) {
    return sharded_arrays<Range>(ranges);
  } else {
    return detail::views_of(ranges);
  }
}

}  // namespace warpfold
