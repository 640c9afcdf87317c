/// @file
/// `zip(ranges...)`: several ranges as one range of tuples.
#pragma once

#include <utility>

#include <warpfold/core/tuple.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/paired_order.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

namespace detail {

// The chunk of the only array that the views read; `void` if there are several or none.
template <class First, class... Rest>
struct chunk_of_one_array {
  static constexpr bool others_read_none = ((arrays_of<Rest>() == 0) && ...);
  using first = array_chunk_of_t<First>;
  using type = std::conditional_t<others_read_none, first, void>;
};
template <class First, class Second, class... Rest>
  requires(arrays_of<First>() == 0)
struct chunk_of_one_array<First, Second, Rest...> : chunk_of_one_array<Second, Rest...> {};

}  // namespace detail

/// Tuples of the elements with the same index in each view; as long as the shortest view.
///
/// The chunk size is the largest among the views: 16 for chars beside doubles, in one word of chars
/// and eight of doubles. Each view's loads are 16 bytes wide where they are 16-byte aligned. If all
/// pointers have the same alignment, all views load words. Otherwise a view that is not aligned
/// like the view with the largest chunks is loaded element by element.
template <view... Views>
class zip_view {
  static_assert(sizeof...(Views) > 0);

  static constexpr int widest() {
    int n = 1;
    ((n = Views::chunk_size > n ? Views::chunk_size : n), ...);
    return n;
  }

 public:
  static constexpr bool tells_memory = (tells_memory_v<Views> && ...);
  static constexpr int chunk_size = widest();
  static constexpr int arrays = (detail::arrays_of<Views>() + ...);
  static constexpr std::size_t array_bytes = (detail::array_bytes_of<Views>() + ...);
  static constexpr std::size_t widest_load(int architecture) {
    std::size_t widest = 0;
    for (const std::size_t one : {warpfold::widest_load<Views>(architecture)...}) {
      widest = one > widest ? one : widest;
    }
    return widest;
  }
  static constexpr bool computes_elements = (detail::computes_elements<Views>() || ...);
  static constexpr bool has_unknown_cost = (detail::has_unknown_cost<Views>() || ...);
  static constexpr bool prefers_staging = (detail::prefers_staging<Views>() || ...);
  static constexpr bool has_size_in_memory = (detail::has_size_in_memory<Views> || ...);
  using value_type = tuple<typename Views::value_type...>;

  template <class View>
  struct column {
    static_assert(chunk_size % View::chunk_size == 0);
    typename View::chunk_type chunks[chunk_size / View::chunk_size];
  };
  using chunk_type = tuple<column<Views>...>;
  using array_chunk = typename detail::chunk_of_one_array<Views...>::type;

  WARPFOLD_HD explicit zip_view(Views... views) : views_(detail::tuple_of(views...)) {}

  WARPFOLD_HD const tuple<Views...>& views() const { return views_; }

  WARPFOLD_HD std::size_t size() const {
    return over_views([](const auto&... v) {
      std::size_t n = any_head;
      ((n = v.size() < n ? v.size() : n), ...);
      return n;
    });
  }

  inline WARPFOLD_HD void read_size(const auto& loads) {
    over_views(views_, [&](auto&... v) { (detail::read_size(v, loads), ...); });
  }
  void read_size_on_host() {
    over_views(views_, [](auto&... v) { (detail::read_size_on_host(v), ...); });
  }
  void visit_sizes(const auto& visit) const {
    over_views([&](const auto&... v) { (detail::visit_sizes(v, visit), ...); });
  }

  WARPFOLD_HD value_type operator[](std::size_t i) const {
    return over_views([i](const auto&... v) {
      return detail::tuple_of(static_cast<typename Views::value_type>(v[i])...);
    });
  }

  WARPFOLD_HD std::size_t head() const {
    return over_views([](const auto&... v) {
      // The head of the view whose chunks are largest: one by one it would cost most.
      std::size_t first = any_head;
      int width = 0;
      ((v.chunk_size > width && v.head() != any_head
            ? static_cast<void>((first = v.head(), width = v.chunk_size))
            : static_cast<void>(0)),
       ...);
      return first;
    });
  }

  inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return over_views([&](const auto&... v) {
      return detail::tuple_of(static_cast<typename Views::value_type>(v.at(i, loads))...);
    });
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    load_columns<has_one_array>(c, i, loads);
  }

  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    load_columns<false>(c, i, loads);
  }

  WARPFOLD_HD value_type get(const chunk_type& c, int k) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return detail::tuple_of(static_cast<typename Views::value_type>(warpfold::get<At>(views_).get(
          warpfold::get<At>(c).chunks[k / Views::chunk_size], k % Views::chunk_size))...);
    }(std::index_sequence_for<Views...>{});
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    over_views([](const auto&... v) {
      const auto ask = [](const auto& one) {
        if constexpr (detail::names_functions<decltype(one)>) one.name_user_functions();
      };
      (ask(v), ...);
    });
  }
#endif

  void visit_memory(auto&& visit) const {
    over_views([&](const auto&... v) { (v.visit_memory(visit), ...); });
  }
  void visit_columns(auto&& visit) const
    requires(has_columns<Views> && ...)
  {
    over_views([&](const auto&... v) { (v.visit_columns(visit), ...); });
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class Tuple, class F, std::size_t... At>
  static WARPFOLD_HD auto over_views(Tuple& views, const F& f, std::index_sequence<At...>) {
    return f(warpfold::get<At>(views)...);
  }
  WARPFOLD_ANY_SIDE static inline WARPFOLD_HD auto over_views(auto& views, const auto& f) {
    return over_views(views, f, std::index_sequence_for<Views...>{});
  }
  WARPFOLD_ANY_SIDE
  inline WARPFOLD_HD auto over_views(const auto& f) const { return over_views(views_, f); }

  // Columns share one head. With more than one array, each column tests its own alignment.
  static constexpr bool has_one_array = (int{detail::arrays_of<Views>() != 0} + ...) == 1;

  template <bool Aligned>
  WARPFOLD_HD void load_columns(chunk_type& c, std::size_t i, const auto& loads) const {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (load_column<Aligned>(warpfold::get<At>(views_), warpfold::get<At>(c), i, loads), ...);
    }(std::index_sequence_for<Views...>{});
  }

  template <bool Aligned, class View, class Loads>
  static WARPFOLD_HD void load_column(const View& v, column<View>& c, std::size_t i,
                                      const Loads& loads) {
    WARPFOLD_UNROLL
    for (int j = 0; j < chunk_size / View::chunk_size; ++j) {
      const std::size_t at = i + static_cast<std::size_t>(j) * View::chunk_size;
      if constexpr (Aligned) {
        v.load(c.chunks[j], at, loads);
      } else {
        v.load_anywhere(c.chunks[j], at, loads);
      }
    }
  }

  tuple<Views...> views_;
};

/// Tuples of the elements with the same indices in each array. It keeps the dimensions, for
/// `reduce_axis`. Where a range is expected, `view()` gives the elements in memory order.
/// @throws invalid_range from `view()` if two mdspans have the same extents and another order of
///     strides, because elements of different indices would meet
template <class... Arrays>
struct zipped_array {
  static constexpr bool is_array_expression = true;
  using value_type = tuple<detail::array_element_t<Arrays>...>;

  tuple<Arrays...> arrays;

  auto view() const
    requires(detail::converts_to_view<Arrays> && ...)
  {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      detail::require_one_order(warpfold::get<At>(arrays)...);
      return zip_view<view_of_t<Arrays>...>(as_view(warpfold::get<At>(arrays))...);
    }(std::index_sequence_for<Arrays...>{});
  }
};

namespace detail {

// The arrays of a zip have one order.
template <class First, class... Rest>
struct ordering_mdspan<zipped_array<First, Rest...>> : ordering_mdspan<First> {
  static decltype(auto) of(const zipped_array<First, Rest...>& a)
    requires ordering_mdspan<First>::exists
  {
    return ordering_mdspan<First>::of(warpfold::get<0>(a.arrays));
  }
};

// Arrays only; without an argument, `zip` has its own error.
template <class... As>
concept all_have_axes = sizeof...(As) != 0 && (has_axes<As> && ...);

// True if no view has a mask; otherwise reports an error.
template <class... Views>
constexpr bool check_unmasked() {
  constexpr bool unmasked = !(masked_elements<Views> || ...);
  static_assert(unmasked,
                "warpfold: a range with a mask cannot be combined with another range; call where "
                "last: transform_reduce(policy, where(zip(a, b), bits), op, function)");
  return unmasked;
}

// Defined in view/shards.hpp.
template <class First, class... Others>
auto zipped_shards(const First& first, const Others&... others);
}  // namespace detail

/// Returns a view of `wf::tuple`s: element `i` holds element `i` of each range. It is as long as
/// the shortest range.
///
/// @param ranges any ranges or views; must outlive the view
/// @return the view; nothing is stored. A reduction reads each range once. If all arguments are
///     mdspans or expressions of them: an expression that keeps the dimensions, for `reduce_axis`.
///     It is a range too, if the mdspans are
///
/// ```cpp
/// std::vector<float> x{1, 2}, y{3, 4};
/// auto pairs = wf::zip(x, y);
/// float third = wf::get<1>(pairs[0]);  // 3
/// ```
template <class... Ranges>
  requires(detail::all_have_axes<std::remove_cvref_t<Ranges>...> ||
           (reducible_range<Ranges> && ...))
auto zip(Ranges&&... ranges) {
  WARPFOLD_REQUIRE_LASTING("zip", Ranges...);
  if constexpr (detail::all_have_axes<std::remove_cvref_t<Ranges>...>) {
    return zipped_array<std::remove_cvref_t<Ranges>...>{
        detail::tuple_of(std::remove_cvref_t<Ranges>(ranges)...)};
  } else if constexpr ((sharded_view<view_of_t<Ranges>> && ...)) {
    return detail::zipped_shards(as_view(ranges)...);
  } else if constexpr (detail::check_unmasked<view_of_t<Ranges>...>() &&
                       (detail::check_copyable<typename view_of_t<Ranges>::value_type>() && ...)) {
    detail::require_one_order(ranges...);
    return zip_view<view_of_t<Ranges>...>(as_view(ranges)...);
  } else {
    return detail::refused{};
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class A = detail::braces, class B = detail::braces, class... More>
  requires(!detail::all_have_axes<A, B, More...> &&
           !(reducible_range<A> && reducible_range<B> && (reducible_range<More> && ...)))
auto zip(const A&, const B&, const More&...) {
  return detail::refuse_ranges<A, B, More...>();
}

}  // namespace warpfold

template <class... Arrays>
inline constexpr bool std::ranges::enable_borrowed_range<warpfold::zipped_array<Arrays...>> = true;
