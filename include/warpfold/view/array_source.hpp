/// @file
/// The source of an expression of arrays as kernels see it: the first element of each array, and
/// the function of the elements with the same indices.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <warpfold/core/callable.hpp>
#include <warpfold/view/array_dimensions.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

namespace detail {

// The functions below compute the value of a node of an expression from the elements of all arrays,
// a tuple. The arrays of the node start at `First` in the tuple. `arrays` is their number.

// An array: its element.
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
    name_nodes<First>(e, std::index_sequence_for<Nodes...>{});
  }
#endif

 private:
  // The number of arrays of the nodes before node `At`.
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
#if defined(__CUDACC__)
  template <std::size_t First, class Elements, std::size_t... At>
  WARPFOLD_DEVICE void name_nodes(const Elements& e, std::index_sequence<At...>) const {
    (warpfold::get<At>(nodes).template name_user_functions<First + before(At)>(e), ...);
  }
#endif
};

// The function of an expression of one array, applied to one element.
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

  /// Loads the `Size` elements from offset `at` on, `step` apart in each array. Only the first
  /// `here` of them exist, at least one; the others repeat the last one.
  template <int Size, class Loads>
  WARPFOLD_HD void load(chunk_type<Size>& c, const std::size_t* at, const std::size_t* step,
                        const array_load* how, int here, const Loads& loads) const {
    load_all<Size>(c, at, step, how, here, loads, std::index_sequence_for<Ts...>{});
  }
  /// Loads one element.
  template <class Loads>
  WARPFOLD_HD void load_one(chunk_type<1>& c, const std::size_t* at, const Loads& loads) const {
    load_all_ones(c, at, loads, std::index_sequence_for<Ts...>{});
  }

  /// Loads a chunk of one array in words.
  template <int Size, class T, class Loads>
  static WARPFOLD_HD void load_words(chunk<T, Size>& c, const T* from, const Loads& loads) {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
    WARPFOLD_UNROLL
    for (int w = 0; w < chunk<T, Size>::words; ++w) {
      c.as_words[w] = loads.load_word(bytes + static_cast<std::size_t>(w) * word_bytes);
    }
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

  /// Value `k` of a loaded chunk.
  WARPFOLD_ANY_SIDE
  template <int Size>
  WARPFOLD_HD value_type get(const chunk_type<Size>& c, int k) const {
    return get_of(c, k, std::index_sequence_for<Ts...>{});
  }
  /// The value at an offset in each array, on the host.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type value(const std::size_t* at) const {
    return value_of(at, std::index_sequence_for<Ts...>{});
  }

#if defined(__CUDACC__)
  /// See kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const elements* e = nullptr) const {
    function.template name_user_functions<0>(*e);
  }
#endif

 private:
  template <int Size, class Loads, std::size_t... At>
  WARPFOLD_HD void load_all(chunk_type<Size>& c, const std::size_t* at, const std::size_t* step,
                            const array_load* how, int here, const Loads& loads,
                            std::index_sequence<At...>) const {
    (load_array<Size>(warpfold::get<At>(c), warpfold::get<At>(data) + at[At], step[At], how[At],
                      here, loads),
     ...);
  }
  template <int Size, class T, class Loads>
  static WARPFOLD_HD void load_array(chunk<T, Size>& c, const T* from, std::size_t step,
                                     array_load how, int here, const Loads& loads) {
    if constexpr (chunk<T, Size>::fills_words) {
      if (how == array_load::words && here == Size) return load_words<Size>(c, from, loads);
    }
    load_elements<Size>(c, from, step, here, loads);
  }
  template <class Loads, std::size_t... At>
  WARPFOLD_HD void load_all_ones(chunk_type<1>& c, const std::size_t* at, const Loads& loads,
                                 std::index_sequence<At...>) const {
    ((::new (static_cast<void*>(&warpfold::get<At>(c).elements[0]))
          Ts(loads.load(warpfold::get<At>(data) + at[At]))),
     ...);
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

}  // namespace warpfold
