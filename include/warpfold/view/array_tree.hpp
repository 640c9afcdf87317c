/// @file
/// Takes an expression of arrays apart: its arrays, the function of their elements, its extents.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/view/array_source.hpp>
#include <warpfold/view/axis_shape.hpp>
#include <warpfold/view/broadcast.hpp>
#include <warpfold/view/element_check.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold::detail {

// What a node of an expression contributes:
// - `source<Function, More...>`: the array_source of its arrays and then `More`;
// - `rank`: its dimensions, at least; `grows`: true if others may be added;
// - `function(node)`, of its value; `visit(node, f)` calls `f(data, shape, dims)` for each array:
//   dimension `d` of the shape is dimension `dims[d]` of the expression.
template <class Node>
struct array_node;

inline constexpr int own_dimensions[max_array_rank] = {0, 1, 2, 3, 4, 5, 6, 7};

template <mdspan_like Mdspan>
struct array_node<Mdspan> {
  using elements = tuple<std::remove_cv_t<typename Mdspan::element_type>>;
  using function_type = array_value;
  static constexpr int rank = static_cast<int>(Mdspan::rank());
  static constexpr bool grows = false;

  static function_type function(const Mdspan&) { return {}; }
  template <class Visit>
  static void visit(const Mdspan& m, const Visit& f, const int* dims = own_dimensions) {
    f(m.data_handle(), shape_of(m), dims);
  }
};

template <class T>
struct array_node<array_of_range<T>> {
  using elements = tuple<std::remove_cv_t<T>>;
  using function_type = array_value;

  static function_type function(const array_of_range<T>&) { return {}; }
  template <class Visit>
  static void visit(const array_of_range<T>& a, const Visit& f, const int* dims) {
    axis_shape shape;
    shape.rank = 1;
    shape.extent[0] = a.size;
    shape.stride[0] = 1;
    f(a.data, shape, dims);
  }
};

template <class Array, int... Dims>
struct array_node<broadcast_array<Array, Dims...>> {
  using node = broadcast_array<Array, Dims...>;
  using elements = typename array_node<Array>::elements;
  using function_type = typename array_node<Array>::function_type;
  static constexpr int rank = [] {
    int most = -1;
    ((most = Dims > most ? Dims : most), ...);
    return most + 1;
  }();
  static constexpr bool grows = true;

  static function_type function(const node& n) { return array_node<Array>::function(n.array); }
  template <class Visit>
  static void visit(const node& n, const Visit& f) {
    static constexpr int dims[] = {Dims..., 0};
    array_node<Array>::visit(n.array, f, dims);
  }
};

template <class Array, class F>
struct array_node<projected_array<Array, F>> {
  using node = projected_array<Array, F>;
  using elements = typename array_node<Array>::elements;
  using function_type = projected_value<typename array_node<Array>::function_type, F>;
  static constexpr int rank = array_node<Array>::rank;
  static constexpr bool grows = array_node<Array>::grows;

  static function_type function(const node& n) {
    return {array_node<Array>::function(n.array), n.function};
  }
  template <class Visit>
  static void visit(const node& n, const Visit& f) {
    array_node<Array>::visit(n.array, f);
  }
};

template <class... As, class... Bs>
tuple<As..., Bs...> joined(const tuple<As...>&, const tuple<Bs...>&);
template <class First, class... Rest>
struct joined_tuples {
  using type = First;
};
template <class First, class Second, class... Rest>
struct joined_tuples<First, Second, Rest...>
    : joined_tuples<decltype(joined(std::declval<First>(), std::declval<Second>())), Rest...> {};

template <class... Arrays>
struct array_node<zipped_array<Arrays...>> {
  using node = zipped_array<Arrays...>;
  using elements = typename joined_tuples<typename array_node<Arrays>::elements...>::type;
  using function_type = zipped_value<typename array_node<Arrays>::function_type...>;
  // The rank of the arrays that have one, which is the same for all; else what `broadcast` needs.
  static constexpr bool grows = (array_node<Arrays>::grows && ...);
  static constexpr int rank = [] {
    int most = 0, fixed = -1;
    ((most = array_node<Arrays>::rank > most ? array_node<Arrays>::rank : most), ...);
    ((fixed = array_node<Arrays>::grows ? fixed : array_node<Arrays>::rank), ...);
    return fixed < 0 ? most : fixed;
  }();
  static constexpr bool one_rank =
      ((array_node<Arrays>::grows ? array_node<Arrays>::rank <= rank
                                  : array_node<Arrays>::rank == rank) &&
       ...);

  static function_type function(const node& n) {
    return function_of(n, std::index_sequence_for<Arrays...>{});
  }
  template <class Visit>
  static void visit(const node& n, const Visit& f) {
    visit_all(n, f, std::index_sequence_for<Arrays...>{});
  }

 private:
  template <std::size_t... At>
  static function_type function_of(const node& n, std::index_sequence<At...>) {
    return {tuple_of(array_node<Arrays>::function(warpfold::get<At>(n.arrays))...)};
  }
  template <class Visit, std::size_t... At>
  static void visit_all(const node& n, const Visit& f, std::index_sequence<At...>) {
    (array_node<Arrays>::visit(warpfold::get<At>(n.arrays), f), ...);
  }
};

template <class Function, class Elements>
struct source_of_elements;
template <class Function, class... Ts>
struct source_of_elements<Function, tuple<Ts...>> {
  using type = array_source<Function, Ts...>;

  template <std::size_t... At>
  static type make(const void* const* data, const Function& f, std::index_sequence<At...>) {
    return {tuple_of(static_cast<const Ts*>(data[At])...), f};
  }
  static type make(const void* const* data, const Function& f) {
    return make(data, f, std::index_sequence_for<Ts...>{});
  }
  static constexpr std::size_t bytes[] = {sizeof(Ts)...};
};
template <class Node>
using array_source_t = typename source_of_elements<typename array_node<Node>::function_type,
                                                   typename array_node<Node>::elements>::type;

// The extents of an expression, and the strides of each array: 0 where it repeats.
template <int Arrays>
struct array_shape {
  int rank = 0;
  std::size_t extent[max_array_rank] = {};
  std::size_t stride[std::size_t{Arrays}][max_array_rank] = {};

  std::size_t span(int array) const {  // elements from the first to the last
    std::size_t last = 0;
    for (int d = 0; d < rank; ++d) {
      if (extent[d] == 0) return 0;
      last += (extent[d] - 1) * stride[array][d];
    }
    return last + 1;
  }
};

// The array_source and the shape of an expression.
template <class Node>
struct flat_expression {
  using source_type = array_source_t<Node>;
  static constexpr int arrays = source_type::arrays;

  source_type source;
  array_shape<arrays> shape;
};

// @throws invalid_range if extents differ, no array has a dimension, or a stride is negative
template <class Node>
flat_expression<Node> flat(const Node& node) {
  using own = array_node<Node>;
  using made = source_of_elements<typename own::function_type, typename own::elements>;
  constexpr int arrays = flat_expression<Node>::arrays;
  array_shape<arrays> shape;
  shape.rank = own::rank;
  bool known[max_array_rank] = {};
  const void* data[std::size_t{arrays}] = {};
  int array = 0;
  own::visit(node, [&](const auto* first, const axis_shape& s, const int* dims) {
    s.require_countable("an array", made::bytes[array]);
    data[array] = first;
    for (int d = 0; d < s.rank; ++d) {
      const int to = dims[d];
      shape.stride[array][to] = s.stride[d];
      if (known[to] && shape.extent[to] != s.extent[d]) {
        throw invalid_range("warpfold: the arrays of an expression have extents of ",
                            shape.extent[to], " and ", s.extent[d], " in dimension ", to,
                            "; pass arrays of the same extents, or broadcast one of them");
      }
      known[to] = true;
      shape.extent[to] = s.extent[d];
    }
    ++array;
  });
  for (int d = 0; d < shape.rank; ++d) {
    if (known[d]) continue;
    throw invalid_range("warpfold: every array of the expression repeats along dimension ", d,
                        ", so its extent is not known; pass an array that has this dimension");
  }
  return {made::make(data, own::function(node)), shape};
}

// The checks of each array of an expression.
template <class Mdspan>
struct array_check {
  static constexpr bool check() {
    constexpr bool copyable = std::is_trivially_copyable_v<typename Mdspan::value_type>;
    static_assert(
        copyable,
        "warpfold: the array's elements are not trivially copyable; use elements that are");
    return copyable && check_not_volatile<typename Mdspan::value_type>();
  }
};
template <mdspan_like Mdspan>
struct array_check<Mdspan> {
  static constexpr bool check() {
    constexpr bool plain =
        std::is_pointer_v<typename Mdspan::data_handle_type> &&
        std::is_same_v<typename Mdspan::reference, typename Mdspan::element_type&>;
    static_assert(plain,
                  "warpfold: the mdspan's accessor is not default_accessor, and the call would not "
                  "use it; use default_accessor, and project");
    constexpr bool strided = Mdspan::is_always_strided();
    static_assert(strided,
                  "warpfold: the mdspan's layout has no strides; use layout_right, layout_left or "
                  "layout_stride");
    constexpr bool copyable = std::is_trivially_copyable_v<typename Mdspan::element_type>;
    static_assert(
        copyable,
        "warpfold: the array's elements are not trivially copyable; use elements that are");
    constexpr bool loadable = check_not_volatile<typename Mdspan::element_type>();
    return plain && strided && copyable && loadable;
  }
};
template <class Array, class F>
struct array_check<projected_array<Array, F>> : array_check<Array> {};
template <class Array, int... Dims>
struct array_check<broadcast_array<Array, Dims...>> : array_check<Array> {};
template <class... Arrays>
struct array_check<zipped_array<Arrays...>> {
  static constexpr bool check() {
    constexpr bool one_rank = array_node<zipped_array<Arrays...>>::one_rank;
    static_assert(
        one_rank,
        "warpfold: the arrays of an expression differ in rank; use wf::broadcast<Dims...> "
        "for those with fewer dimensions");
    return one_rank && (array_check<Arrays>::check() && ...);
  }
};

// The checks of an mdspan that is written.
template <mdspan_like Out>
constexpr bool check_array_output() {
  constexpr bool plain = std::is_pointer_v<typename Out::data_handle_type> &&
                         std::is_same_v<typename Out::reference, typename Out::element_type&>;
  static_assert(plain,
                "warpfold: the output's accessor is not default_accessor, and the call would not "
                "use it; use default_accessor");
  constexpr bool strided = Out::is_always_strided();
  static_assert(strided,
                "warpfold: the output's layout has no strides; use layout_right, layout_left or "
                "layout_stride");
  using element_type = typename Out::element_type;
  constexpr bool writable = std::is_same_v<element_type, std::remove_cv_t<element_type>>;
  static_assert(writable,
                "warpfold: the output's elements are const or volatile; pass an output that can "
                "be written");
  return plain && strided && writable;
}

}  // namespace warpfold::detail
