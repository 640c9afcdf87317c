/// @file
/// Expressions of arrays: `project`, `zip` and `broadcast` of mdspans, taken apart into the arrays,
/// the function of their elements, and the shapes.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <warpfold/core/callable.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/view/broadcast.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

namespace detail {

// The functions below compute the value of a node of an expression from the elements of all arrays,
// a tuple. The arrays of the node start at `First` in the tuple. `arrays` is their number.

struct array_value {
  static constexpr int arrays = 1;
  static constexpr bool computes = false;

  template <std::size_t First, class Elements>
  WARPFOLD_HD constexpr auto value(const Elements& e) const {
    return warpfold::get<First>(e);
  }
#if defined(__CUDACC__)
  template <std::size_t First, class Elements>
  WARPFOLD_DEVICE void name_user_functions(const Elements&) const {}
#endif
};

// `project`: a function of another node's value.
template <class Node, class F>
struct projected_value {
  static constexpr int arrays = Node::arrays;
  static constexpr bool computes = !only_selects<F> || Node::computes;

  Node node;
  F f;

  WARPFOLD_ANY_SIDE
  template <std::size_t First, class Elements>
  WARPFOLD_HD constexpr auto value(const Elements& e) const {
    const auto x = node.template value<First>(e);
    using type = op_result_t<F, std::remove_const_t<decltype(x)>>;
#if defined(__CUDA_ARCH__)
    using result = std::remove_cvref_t<call_result_t<F, decltype(x)&>>;
    constexpr bool same = !is_device_lambda<F>() || std::is_same_v<result, type>;
    [[maybe_unused]] constexpr bool known = check_known_result<F, same>();
#endif
    return static_cast<type>(call(f, x));
  }
#if defined(__CUDACC__)
  template <std::size_t First, class Elements>
  WARPFOLD_DEVICE void name_user_functions(const Elements& e) const {
    name_call(f, node.template value<First>(e));
    node.template name_user_functions<First>(e);
  }
#endif
};

// `zip`: a tuple of the values of several nodes.
template <class... Nodes>
struct zipped_value {
  static constexpr int arrays = (Nodes::arrays + ...);
  static constexpr bool computes = (Nodes::computes || ...);

  tuple<Nodes...> nodes;

  WARPFOLD_ANY_SIDE
  template <std::size_t First, class Elements>
  WARPFOLD_HD constexpr auto value(const Elements& e) const {
    return value_of<First>(e, std::index_sequence_for<Nodes...>{});
  }
#if defined(__CUDACC__)
  template <std::size_t First, class Elements>
  WARPFOLD_DEVICE void name_user_functions(const Elements& e) const {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (warpfold::get<At>(nodes).template name_user_functions<First + before(At)>(e), ...);
    }(std::index_sequence_for<Nodes...>{});
  }
#endif

 private:
  static WARPFOLD_HD constexpr std::size_t before(std::size_t i) {
    constexpr int of_node[] = {Nodes::arrays...};
    std::size_t n = 0;
    for (std::size_t k = 0; k < i; ++k) n += static_cast<std::size_t>(of_node[k]);
    return n;
  }
  WARPFOLD_ANY_SIDE
  template <std::size_t First, class Elements, std::size_t... At>
  WARPFOLD_HD constexpr auto value_of(const Elements& e, std::index_sequence<At...>) const {
    return tuple_of(warpfold::get<At>(nodes).template value<First + before(At)>(e)...);
  }
};

template <class Function>
struct function_of_element {
  Function function;

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    return function.template value<0>(tuple<T>{x});
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const T& x) const {
    function.template name_user_functions<0>(tuple<T>{x});
  }
#endif
};

// The number of chunk elements for one word of the smallest of these types.
template <class... Ts>
constexpr int elements_of_words() {
  int most = 1;
  ((most = word_bytes % sizeof(Ts) == 0 && static_cast<int>(word_bytes / sizeof(Ts)) > most
               ? static_cast<int>(word_bytes / sizeof(Ts))
               : most),
   ...);
  return most;
}

}  // namespace detail

/// How a chunk of one array is loaded.
enum class array_load : unsigned char {
  elements,  ///< one by one, at the array's stride; once if the stride is 0
  words      ///< 16 bytes at a time: the elements are contiguous and start at a word
};

/// The first element of each array, and the function of the elements with the same indices.
template <class Function, class... Ts>
struct array_source {
  static constexpr int arrays = sizeof...(Ts);
  using function_type = Function;
  using elements = tuple<Ts...>;
  using value_type =
      decltype(std::declval<const Function&>().template value<0>(std::declval<const elements&>()));

  /// Elements per chunk: a word of the smallest elements.
  static constexpr int chunk_size = detail::elements_of_words<Ts...>();
  /// Words of a chunk in all arrays together.
  template <int Size>
  static constexpr int words =
      static_cast<int>((((sizeof(Ts) * Size + word_bytes - 1) / word_bytes) + ... + 0));
  template <int Size>
  using chunk_type = tuple<chunk<Ts, Size>...>;

  tuple<const Ts*...> data;
  Function function;

  /// Loads `Count` chunks: the `Size` elements from offset `at[u]` on, `step` apart in each array.
  /// Only the first `here` of each chunk exist, at least one; the others repeat the last one. The
  /// loads of one array follow each other, so that all of them are in flight.
  /// @tparam Words true if every array loads words and `here` is `Size`
  template <int Size, bool Words = false, std::size_t Count, int Places, class Loads>
  WARPFOLD_HD void load(chunk_type<Size> (&c)[Count], const array_offsets<Places> (&at)[Count],
                        const std::size_t* step, const array_load* how, int here,
                        const Loads& loads) const {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (load_array<At, Size, Words>(c, at, step[At], how[At], here, loads), ...);
    }(std::index_sequence_for<Ts...>{});
  }
  /// True if chunks of array `array` are whole words and its first element is at one.
  template <int Size>
  bool starts_at_words(int array) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return ((array == static_cast<int>(At) && chunk<Ts, Size>::fills_words &&
               detail::at_word(warpfold::get<At>(data))) ||
              ...);
    }(std::index_sequence_for<Ts...>{});
  }
  template <class Loads>
  WARPFOLD_HD void load_one(chunk_type<1>& c, const std::size_t* at, const Loads& loads) const {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (load_elements<1>(warpfold::get<At>(c), warpfold::get<At>(data) + at[At], 1, 1, loads), ...);
    }(std::index_sequence_for<Ts...>{});
  }

  /// Loads a chunk of one array element by element; with a `step` of 0, one element.
  template <int Size, class T, class Loads>
  static WARPFOLD_HD void load_elements(chunk<T, Size>& c, const T* from, std::size_t step,
                                        int here, const Loads& loads) {
    if (step == 0) {
      const T x = loads.load(from);
      WARPFOLD_UNROLL
      for (int k = 0; k < Size; ++k) ::new (static_cast<void*>(&c.elements[k])) T(x);
      return;
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < Size; ++k) {
      const int own = k < here ? k : here - 1;
      ::new (static_cast<void*>(&c.elements[k]))
          T(loads.load(from + static_cast<unsigned>(own) * step));
    }
  }

  WARPFOLD_ANY_SIDE
  template <int Size>
  WARPFOLD_HD value_type get(const chunk_type<Size>& c, int k) const {
    return get_of(c, k, std::index_sequence_for<Ts...>{});
  }
  /// The value at an offset in each array, on the host.
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type value(const std::size_t* at) const {
    return value_of(at, std::index_sequence_for<Ts...>{});
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions(const elements* e = nullptr) const {
    function.template name_user_functions<0>(*e);
  }
#endif

 private:
  template <std::size_t At, int Size, bool Words, std::size_t Count, class Offsets, class Loads>
  WARPFOLD_HD void load_array(chunk_type<Size> (&c)[Count], const Offsets& at, std::size_t step,
                              array_load how, int here, const Loads& loads) const {
    const auto* const from = warpfold::get<At>(data);
    const auto load_words = [&] {
      WARPFOLD_UNROLL
      for (std::size_t u = 0; u < Count; ++u) {
        detail::load_words(warpfold::get<At>(c[u]), from + at[u].of[At], loads);
      }
    };
    if constexpr (Words) {
      load_words();
    } else {
      using array_chunk = std::remove_cvref_t<decltype(warpfold::get<At>(c[0]))>;
      if constexpr (array_chunk::fills_words) {
        if (how == array_load::words && here == Size) return load_words();
      }
      WARPFOLD_UNROLL
      for (std::size_t u = 0; u < Count; ++u) {
        load_elements<Size>(warpfold::get<At>(c[u]), from + at[u].of[At], step, here, loads);
      }
    }
  }
  WARPFOLD_ANY_SIDE
  template <class Chunks, std::size_t... At>
  WARPFOLD_HD value_type get_of(const Chunks& c, int k, std::index_sequence<At...>) const {
    return function.template value<0>(detail::tuple_of(warpfold::get<At>(c).elements[k]...));
  }
  WARPFOLD_ANY_SIDE
  template <std::size_t... At>
  WARPFOLD_HD value_type value_of(const std::size_t* at, std::index_sequence<At...>) const {
    return function.template value<0>(detail::tuple_of(warpfold::get<At>(data)[at[At]]...));
  }
};

namespace detail {

// What a node of an expression contributes:
// - `source<Function, More...>`: the array_source of its arrays and then `More`;
// - `rank`: its dimensions, at least; `grows`: true if others may be added;
// - `check()`: false, and a compiler error, if its arrays cannot be loaded;
// - `function(node)`, of its value; `visit(node, f)` calls `f(data, shape, dims)` for each array:
//   dimension `d` of the shape is dimension `dims[d]` of the expression.
// - `counts`: the number of counts of its rows (view/counted.hpp), and `count(node)`, the first.
template <class Node>
struct array_node;

struct array_of_all_rows {
  static constexpr int counts = 0;
  static auto count(const auto&) { return nullptr; }
};

inline constexpr int own_dimensions[max_array_rank] = {0, 1, 2, 3, 4, 5, 6, 7};

template <class T>
constexpr bool check_array_elements() {
  constexpr bool copyable = std::is_trivially_copyable_v<T>;
  static_assert(copyable,
                "warpfold: the array's elements are not trivially copyable; use elements that are");
  return copyable && check_not_volatile<T>();
}

template <mdspan_like Mdspan>
struct array_node<Mdspan> : array_of_all_rows {
  using elements = tuple<std::remove_cv_t<typename Mdspan::element_type>>;
  using function_type = array_value;
  static constexpr int rank = static_cast<int>(Mdspan::rank());
  static constexpr bool grows = false;

  static constexpr bool check() {
    return check_mdspan<Mdspan>() && check_array_elements<typename Mdspan::element_type>();
  }
  static function_type function(const Mdspan&) { return {}; }
  static void visit(const Mdspan& m, const auto& f, const int* dims = own_dimensions) {
    f(m.data_handle(), shape_of(m), dims);
  }
};

template <class T>
struct array_node<strided_array<T>> : array_of_all_rows {
  using elements = tuple<std::remove_cv_t<T>>;
  using function_type = array_value;

  static constexpr bool check() { return check_array_elements<T>(); }
  static function_type function(const strided_array<T>&) { return {}; }
  static void visit(const strided_array<T>& a, const auto& f, const int* dims) {
    f(a.data, a.shape, dims);
  }
};

template <class Array, int... Dims>
struct array_node<broadcast_array<Array, Dims...>> : array_of_all_rows {
  using node = broadcast_array<Array, Dims...>;
  using elements = typename array_node<Array>::elements;
  using function_type = typename array_node<Array>::function_type;
  static constexpr int rank = [] {
    int most = -1;
    ((most = Dims > most ? Dims : most), ...);
    return most + 1;
  }();
  static constexpr bool grows = true;

  static constexpr bool check() { return array_node<Array>::check(); }
  static function_type function(const node& n) { return array_node<Array>::function(n.array); }
  static void visit(const node& n, const auto& f) {
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

  static constexpr int counts = array_node<Array>::counts;

  static constexpr bool check() { return array_node<Array>::check(); }
  static function_type function(const node& n) {
    return {array_node<Array>::function(n.array), n.function};
  }
  static void visit(const node& n, const auto& f) { array_node<Array>::visit(n.array, f); }
  static auto count(const node& n) { return array_node<Array>::count(n.array); }
};

template <class Array, class Count>
struct array_node<counted_array<Array, Count>> : array_node<Array> {
  using node = counted_array<Array, Count>;
  static constexpr int counts = array_node<Array>::counts + 1;

  static auto function(const node& n) { return array_node<Array>::function(n.array); }
  static void visit(const node& n, const auto& f) {
    array_node<Array>::visit(n.array, [&](const auto* data, array_shape s, const int* dims) {
      s.has_counted_rows = true;
      f(data, s, dims);
    });
  }
  static auto count(const node& n) { return n.count; }
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

  static constexpr int counts = (array_node<Arrays>::counts + ...);

  static constexpr bool check() {
    static_assert(
        one_rank,
        "warpfold: the arrays of an expression differ in rank; use wf::broadcast<Dims...> "
        "for those with fewer dimensions");
    return one_rank && (array_node<Arrays>::check() && ...);
  }
  static auto count(const node& n) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return first_count(array_node<Arrays>::count(warpfold::get<At>(n.arrays))...);
    }(std::index_sequence_for<Arrays...>{});
  }
  static function_type function(const node& n) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) -> function_type {
      return {tuple_of(array_node<Arrays>::function(warpfold::get<At>(n.arrays))...)};
    }(std::index_sequence_for<Arrays...>{});
  }
  static void visit(const node& n, const auto& f) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (array_node<Arrays>::visit(warpfold::get<At>(n.arrays), f), ...);
    }(std::index_sequence_for<Arrays...>{});
  }

 private:
  template <class First, class... Rest>
  static auto first_count(const First& first, const Rest&... rest) {
    if constexpr (std::is_null_pointer_v<First> && sizeof...(Rest) != 0) {
      return first_count(rest...);
    } else {
      return first;
    }
  }
};

// True if at most one array of an expression has a count; otherwise reports an error.
template <class Node>
constexpr bool check_counts() {
  constexpr bool one = array_node<Node>::counts < 2;
  static_assert(one,
                "warpfold: the arrays of an expression have several counts; pass one: "
                "counted(zip(a, b), count)");
  return one;
}

template <class Function, class Elements>
struct source_of_elements;
template <class Function, class... Ts>
struct source_of_elements<Function, tuple<Ts...>> {
  using type = array_source<Function, Ts...>;

  static type make(const void* const* data, const Function& f) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) -> type {
      return {tuple_of(static_cast<const Ts*>(data[At])...), f};
    }(std::index_sequence_for<Ts...>{});
  }
  static constexpr std::size_t bytes[] = {sizeof(Ts)...};
};
template <class Node>
using array_source_t = typename source_of_elements<typename array_node<Node>::function_type,
                                                   typename array_node<Node>::elements>::type;

template <class Node>
struct flat_expression {
  using source_type = array_source_t<Node>;
  static constexpr int arrays = source_type::arrays;

  source_type source;
  // Of each array. All have the extents of the expression; where an array repeats, its stride is 0.
  array_shape shapes[std::size_t{arrays}];

  array_shape whole() const {
    array_shape extents = shapes[0];
    for (std::size_t& stride : extents.stride) stride = 0;
    return extents;
  }
};

// @throws invalid_range if extents differ, no array has a dimension, or a stride is negative
template <class Node>
flat_expression<Node> flat(const Node& node) {
  using own = array_node<Node>;
  using made = source_of_elements<typename own::function_type, typename own::elements>;
  constexpr int arrays = flat_expression<Node>::arrays;
  std::size_t extent[max_array_rank] = {};
  bool known[max_array_rank] = {};
  bool has_counted_rows = false;
  array_shape shapes[std::size_t{arrays}];
  const void* data[std::size_t{arrays}] = {};
  int array = 0;
  own::visit(node, [&](const auto* first, const array_shape& s, const int* dims) {
    s.require_countable("an array", made::bytes[array]);
    data[array] = first;
    has_counted_rows = has_counted_rows || s.has_counted_rows;
    for (int d = 0; d < s.rank; ++d) {
      const int to = dims[d];
      shapes[array].stride[to] = s.stride[d];
      if (known[to] && extent[to] != s.extent[d]) {
        throw_error<invalid_range>("warpfold: the arrays of an expression have extents of ",
                                   extent[to], " and ", s.extent[d], " in dimension ", to,
                                   "; pass arrays of the same extents, or broadcast one of them");
      }
      known[to] = true;
      extent[to] = s.extent[d];
    }
    ++array;
  });
  flat_expression<Node> e{made::make(data, own::function(node)), {}};
  for (int d = 0; d < own::rank; ++d) {
    if (!known[d]) {
      throw_error<invalid_range>(
          "warpfold: every array of the expression repeats along dimension ", d,
          ", so its extent is not known; pass an array that has this dimension");
    }
    for (array_shape& shape : shapes) shape.extent[d] = extent[d];
  }
  for (int a = 0; a < arrays; ++a) {
    shapes[a].rank = own::rank;
    shapes[a].has_counted_rows = has_counted_rows;
    e.shapes[a] = shapes[a];
  }
  return e;
}

}  // namespace detail

}  // namespace warpfold
