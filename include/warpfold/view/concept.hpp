/// @file
/// The `view` concept: where elements come from, and how a thread loads a chunk of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/core/callable.hpp>
#include <warpfold/core/config.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold {

/// Returned by `head()` of a view whose loads are equally fast from any element.
inline constexpr std::size_t any_head = static_cast<std::size_t>(-1);

namespace detail {
struct ignore_memory {
  void operator()(const void*, std::size_t, std::size_t) const {}
};
struct ignore_columns {
  void operator()(const void*, std::size_t) const {}
};
}  // namespace detail

/// A view, or output view, that has `visit_columns`; see below.
template <class V>
concept has_columns = requires(const V& v) { v.visit_columns(detail::ignore_columns{}); };

/// A sequence of elements that a kernel can read, on the host and on the GPU.
///
/// Required members:
/// - `value_type`, `size()` (in elements) and `view[i]`: the elements.
/// - `chunk_size`: elements per `load`; a power of two up to 32, so that a warp can load the rest
///   at either end, one element per thread.
/// - `chunk_type`: the registers that `load` fills; default constructible.
/// - `head()`: number of elements before the first one at which loads are aligned; less than
///   `chunk_size`, or `any_head`.
/// - `load(chunk, i, loads)`: starts loading elements `i` to `i + chunk_size - 1`, where
///   `i - head()` is a multiple of `chunk_size`. `loads` is a `global_loads` or a similar class:
///   pass it on, or load words and elements with it.
/// - `load_anywhere(chunk, i, loads)`: the same for any `i`; narrower loads if the address is not
///   aligned.
/// - `at(i, loads)`: element `i`, loaded with `loads`.
/// - `get(chunk, k)`: element `k` of a loaded chunk. Computing an element (a projection, a tuple)
///   happens here, after the loads.
/// - `visit_memory(f)`: calls `f(pointer, bytes, alignment)` for each array that is read, so that a
///   policy can check access. A view that hides its memory calls nothing.
///
/// Optional members:
/// - `arrays` and `array_bytes`: the number of arrays that `visit_memory` visits, and the bytes of
///   an element in all of them. Kernels that copy arrays before the view reads them use these. A
///   view with an `array_chunk` needs neither.
/// - `array_chunk`: the type of a chunk of the array, for views that compute element `i` from
///   element `i` of one array, and perhaps from `i`. Kernels then copy that array ahead of the
///   threads, or stage it in shared memory, where that is faster. `void` means the same as no
///   member.
/// - `load_misaligned(chunk, i, loads)`: as `load_anywhere`, without a test: the caller knows that
///   no chunk of the launch is aligned.
/// - `widest_load(architecture)`: bytes of its widest loads in code for that architecture (90 is
///   9.0), if they can be wider than a word.
/// - `computes_elements`: false if the view only loads elements and computes none. The default is
///   false for contiguous views and true for all others. op/in_register.hpp guards computed
///   elements.
/// - `has_unknown_cost`: true if an element is the result of a function whose cost the library
///   does not know. Kernels then spread the elements over more threads. Views that wrap others
///   forward it. The default is false.
/// - `prefers_staging`: true for views made by `wf::staged`.
/// - `tells_memory`: true if `visit_memory` visits all arrays that the view reads. The emulation
///   then reports loads from other addresses as errors.
/// - `visit_columns(f)`: calls `f(pointer, element_bytes)` for each array. Only for views that
///   compute element `i` from the elements `i` of some arrays and read nothing else but their size.
///   Without it a view cannot be transformed in place.
/// - `reduced_type`, `values()`, `with(values)` and `projected(f)`: only for views whose elements
///   may be missing (view/where.hpp). The type of the elements that a reduction folds; the view of
///   all of them; and the same view of other values.
/// - `has_size_in_memory`: true if the kernel reads the number of elements; see view/counted.hpp.
///   `read_size(loads)` reads it in a kernel, and `read_size_on_host()` on the host.
///   `visit_sizes(f)` calls `f(pointer, bytes, alignment)` for the number; `visit_memory` does too.
/// - `loads_before_size`: true if a kernel may load elements up to the limit before it reads that
///   number. `prefetch(i, loads)`, optional, starts to copy element `i` to the L2 cache.
/// - `is_contiguous`: true if the elements are exactly those at `data()`, contiguous, for libraries
///   that need a pointer.
///
/// Views are passed to kernels by value, as bytes. The concept does not require them to be
/// trivially copyable: nvcc's extended lambdas and Thrust's transform_iterator are not, and copying
/// their bytes works.
template <class V>
concept view =
    std::copy_constructible<V> &&
    requires(const V& v, typename V::chunk_type& chunk, std::size_t i, const global_loads& loads) {
      typename V::value_type;
      { v.size() } -> std::convertible_to<std::size_t>;
      { v[i] } -> std::convertible_to<typename V::value_type>;
      { V::chunk_size } -> std::convertible_to<int>;
      { v.head() } -> std::convertible_to<std::size_t>;
      v.load(chunk, i, loads);
      v.load_anywhere(chunk, i, loads);
      { v.at(i, loads) } -> std::convertible_to<typename V::value_type>;
      { v.get(chunk, 0) } -> std::convertible_to<typename V::value_type>;
      v.visit_memory(detail::ignore_memory{});
    } && (V::chunk_size >= 1 && V::chunk_size <= 32 && (V::chunk_size & (V::chunk_size - 1)) == 0);

/// A view whose elements may be missing: reductions fold those that are not.
template <class V>
concept masked_elements = requires { typename V::reduced_type; };

/// A range in parts, one for each GPU (view/shards.hpp).
template <class V>
concept sharded_view = requires { typename V::shard_type; };

namespace detail {

// The type of the elements that a reduction of a view folds.
template <class View>
struct reduced {
  using type = typename View::value_type;
};
template <masked_elements View>
struct reduced<View> {
  using type = typename View::reduced_type;
};
template <class View>
using reduced_t = typename reduced<View>::type;

template <class View>
constexpr int arrays_of() {
  if constexpr (requires { View::arrays; }) {
    return View::arrays;
  } else {
    return 1;
  }
}
template <class View>
struct array_chunk_of {
  using type = void;
};
template <class View>
  requires requires { typename View::array_chunk; }
struct array_chunk_of<View> {
  using type = typename View::array_chunk;
};
/// The chunk of the one array that a view reads, or `void`.
template <class View>
using array_chunk_of_t = typename array_chunk_of<View>::type;
template <class View>
constexpr std::size_t array_bytes_of() {
  if constexpr (requires { View::array_bytes; }) {
    return View::array_bytes;
  } else if constexpr (!std::is_void_v<array_chunk_of_t<View>>) {
    return sizeof(typename array_chunk_of_t<View>::element);
  } else {
    return 0;
  }
}
// True if the view may compute its elements instead of only loading them.
template <class View>
constexpr bool computes_elements() {
  if constexpr (requires { View::computes_elements; }) {
    return View::computes_elements;
  } else {
    return !requires { requires View::is_contiguous; };
  }
}
template <class View>
constexpr bool has_unknown_cost() {
  return requires { requires View::has_unknown_cost; };
}
template <class View>
constexpr bool prefers_staging() {
  return requires { requires View::prefers_staging; };
}

template <class View>
inline constexpr bool has_size_in_memory = requires { requires View::has_size_in_memory; };
WARPFOLD_HD void read_size(auto& view, const auto& loads) {
  if constexpr (requires { view.read_size(loads); }) view.read_size(loads);
}
// True if a kernel may load elements up to the limit before it reads the size.
template <class View>
inline constexpr bool loads_before_size = requires { requires View::loads_before_size; };
// Starts to copy element `i` to the L2 cache, if the view has `prefetch`.
WARPFOLD_HD void prefetch(const auto& view, std::size_t i, const auto& loads) {
  if constexpr (requires { view.prefetch(i, loads); }) view.prefetch(i, loads);
}
// Loads a chunk of which the caller knows that its address is not aligned.
WARPFOLD_HD void load_misaligned(const auto& view, auto& chunk, std::size_t i, const auto& loads) {
  if constexpr (requires { view.load_misaligned(chunk, i, loads); }) {
    view.load_misaligned(chunk, i, loads);
  } else {
    view.load_anywhere(chunk, i, loads);
  }
}
void read_size_on_host(auto& view) {
  if constexpr (requires { view.read_size_on_host(); }) view.read_size_on_host();
}
void visit_sizes(const auto& view, const auto& visit) {
  if constexpr (requires { view.visit_sizes(visit); }) view.visit_sizes(visit);
}

}  // namespace detail

/// Bytes of the widest loads of a view, in code for an architecture (90 is 9.0; 0 for none).
template <class View>
constexpr std::size_t widest_load(int architecture) {
  if constexpr (requires { View::widest_load(architecture); }) {
    return View::widest_load(architecture);
  } else {
    return word_bytes;
  }
}

/// True if `View` declares that it visits all memory that it reads.
template <class View>
inline constexpr bool tells_memory_v = requires { requires View::tells_memory; };

/// Bytes of memory that a view reads; 0 if it hides its memory.
std::size_t bytes_of(const auto& view) {
  std::size_t total = 0;
  view.visit_memory([&](const void*, std::size_t bytes, std::size_t) { total += bytes; });
  return total;
}

/// The loading members of a view that loads one element at a time. Derive a view `V` from
/// `element_loads<V, T>` and give it `size()`, `operator[]` and `visit_memory`. If `operator[]`
/// returns a reference, elements are loaded through it with `loads`, and the emulation sees the
/// load. Otherwise give it `at`, too, if `operator[]` reads memory.
template <class V, class T>
struct element_loads {
  using value_type = T;
  static constexpr int chunk_size = 1;
  using chunk_type = chunk<T, 1>;

  WARPFOLD_HD std::size_t head() const { return any_head; }

  WARPFOLD_ANY_SIDE inline WARPFOLD_HD T at(std::size_t i, const auto& loads) const {
    const V& view = static_cast<const V&>(*this);
    if constexpr (std::is_same_v<decltype(view[i]), const T&> ||
                  std::is_same_v<decltype(view[i]), T&>) {
      return loads.load(&view[i]);
    } else {
      return view[i];
    }
  }
  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    ::new (static_cast<void*>(&c.elements[0])) T(static_cast<const V&>(*this).at(i, loads));
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    load(c, i, loads);
  }
  WARPFOLD_HD const T& get(const chunk_type& c, int) const { return c.elements[0]; }
};

namespace detail {

// Members that a view forwards to the view it wraps. `computes_elements` and
// `has_unknown_cost` are true of a function of the elements, too.
template <class View>
class view_over {
 public:
  static constexpr bool tells_memory = tells_memory_v<View>;
  static constexpr bool has_size_in_memory = detail::has_size_in_memory<View>;
  static constexpr bool computes_elements = detail::computes_elements<View>();
  static constexpr bool has_unknown_cost = detail::has_unknown_cost<View>();
  static constexpr int chunk_size = View::chunk_size;
  static constexpr std::size_t widest_load(int architecture) {
    return warpfold::widest_load<View>(architecture);
  }

  WARPFOLD_ANY_SIDE WARPFOLD_HD explicit view_over(const View& base) : base_(base) {}

  WARPFOLD_HD std::size_t size() const { return base_.size(); }
  inline WARPFOLD_HD void read_size(const auto& loads) { detail::read_size(base_, loads); }
  void read_size_on_host() { detail::read_size_on_host(base_); }
  void visit_sizes(const auto& visit) const { detail::visit_sizes(base_, visit); }
  void visit_memory(auto&& visit) const { base_.visit_memory(visit); }
#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    if constexpr (names_functions<View>) base_.name_user_functions();
  }
#endif

 protected:
  View base_;
};

}  // namespace detail

/// The division of a view: aligned chunks, and a head and a tail that are shorter than a chunk.
struct partition {
  std::size_t head;
  std::size_t chunks;
  std::size_t tail;
};

/// The partition of a view. Computed on the host, once per launch, unless the kernel reads the
/// size: on the GPU it takes fifty instructions before the first load.
template <class View>
WARPFOLD_HD partition partition_of(const View& view) {
  constexpr std::size_t size = View::chunk_size;
  const std::size_t n = view.size();
  std::size_t head = view.head();
  if (head == any_head) head = 0;
  if (head > n) head = n;
  const std::size_t chunks = (n - head) / size;
  return {head, chunks, n - head - chunks * size};
}

/// The bytes that a kernel loads from a view, which determine its launch shape. If the view hides
/// its memory or has none, the bytes of its chunks.
template <class View>
std::size_t loaded_bytes(const View& view) {
  constexpr std::size_t size = View::chunk_size;
  const std::size_t in_chunks = (view.size() + size - 1) / size * sizeof(typename View::chunk_type);
  const std::size_t known = bytes_of(view);
  return known != 0 ? known : in_chunks;
}

}  // namespace warpfold
