/// @file
/// The work object of `transform`: a view, an output view and a function. `transform` makes one and
/// hands it to the policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/results.hpp>

namespace warpfold {

namespace detail {

// The result of `f(x...)` as an `Out`.
WARPFOLD_ANY_SIDE
template <class Out, class F, class... Arguments>
WARPFOLD_HD Out call_as(const F& f, const Arguments&... x) {
#if defined(__CUDA_ARCH__)
  // The result type of a __device__ lambda is not known on the host.
  using result = call_result_t<F, const Arguments&...>;
  constexpr bool converts = std::is_constructible_v<Out, result>;
  static_assert(converts,
                "warpfold: the function's result cannot be converted to the output's elements, "
                "or the function returns nothing");
#else
  constexpr bool converts = true;
#endif
  if constexpr (!converts) {
    __builtin_unreachable();
  } else {
    return static_cast<Out>(call(f, x...));
  }
}

}  // namespace detail

/// A transformation, ready for a policy to run: `out[i] = f(in[i])` for each element of `in`.
/// Kernels take it by value, as bytes.
template <view InView, output_view OutView, class F>
struct transformation {
  using kind = kinds::transformation;
  using in_view = InView;
  using view_type = InView;
  using out_view = OutView;
  using function_type = F;
  using in_type = typename InView::value_type;
  using out_type = typename OutView::value_type;

  static constexpr bool tells_memory = tells_memory_v<InView>;
  static constexpr bool has_size_in_memory = detail::has_size_in_memory<InView>;

  InView in;
  OutView out;
  F f;

  /// Number of elements that are read and written; if it lies in memory, its limit until it is
  /// read.
  WARPFOLD_HD std::size_t size() const { return in.size(); }
  /// Reads the size on the host.
  /// @throws invalid_range if it is negative or larger than the range
  void read_size_on_host()
    requires has_size_in_memory
  {
    in.read_size_on_host();
  }
  /// Checks the size that lies in memory.
  void require_valid_data() const
    requires has_size_in_memory
  {
    auto checked = in;
    checked.read_size_on_host();
  }

  /// The output's element for an input element.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD out_type apply(const in_type& x) const { return apply(f, x); }
  WARPFOLD_ANY_SIDE
  static WARPFOLD_HD out_type apply(const F& f, const in_type& x) {
    return detail::call_as<out_type>(f, x);
  }

#if defined(__CUDACC__)
  /// Names its function, and those of its views. Never executed; see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const in_type* x = nullptr) const {
    detail::name_call_as<out_type>(f, *x);
    if constexpr (detail::names_functions<decltype(in)>) in.name_user_functions();
    if constexpr (detail::names_functions<decltype(out)>) out.name_user_functions();
  }
#endif

  /// Transforms the elements in [begin, end) in order, on the calling host thread.
  WARPFOLD_ANY_SIDE
  void run_on_host(std::size_t begin, std::size_t end) const {
    // a local copy: the compiler sees that stores cannot change it
    const transformation own = *this;
    const host_stores stores;
    const auto write = [&](std::size_t i, const in_type& x) {
      own.out.store_at(i, own.apply(x), stores);
    };
    if constexpr (requires { own.in.visit_values(begin, end, write); }) {
      own.in.visit_values(begin, end, write);  // finds places faster than one by one
    } else {
      for (std::size_t i = begin; i < end; ++i) write(i, own.in[i]);
    }
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    in.visit_memory(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    out.visit_memory(visit);
  }
  /// Calls `visit(pointer, bytes)` for each piece of memory that is written, if the output declares
  /// its memory.
  template <class Visit>
  void visit_written_elements(const Visit& visit) const {
    visit_memory_of(out, [&](const void* p, std::size_t bytes, std::size_t) { visit(p, bytes); });
  }

  /// @throws invalid_range if `out` has fewer elements than `in` may have, overlaps it other than
  ///     element for element, or overlaps its size
  void require_valid() const {
    if (out.size() < size()) {
      throw_error<invalid_range>("warpfold: the output has ", out.size(),
                                 " elements, but the range has ", size(),
                                 "; pass an output of that many elements");
    }
    visit_memory_of(out, [&](const void* to, std::size_t bytes, std::size_t step) {
      visit_memory_of(in, [&](const void* from, std::size_t from_bytes, std::size_t from_step) {
        const bool in_place = to == from && step == from_step && step != 0;
        if (in_place || !detail::overlap(to, bytes, from, from_bytes)) return;
        throw_error<invalid_range>(
            "warpfold: the output at ", to, " (", bytes, " bytes) overlaps the range at ", from,
            " (", from_bytes,
            " bytes), but not element for element: elements would be read after "
            "they are overwritten. Pass an output outside the range, or one that "
            "starts where the range starts, has elements of the same size and has no gaps");
      });
      detail::visit_sizes(in, [&](const void* count, std::size_t count_bytes, std::size_t) {
        detail::require_outside_input(to, bytes, count, count_bytes);
      });
    });
  }

 private:
  // Calls `f(pointer, bytes, step)` for the memory of a view's first `size()` elements. `step` is
  // the size of an element in bytes, or 0 if the view does not declare which bytes belong to which
  // element.
  template <class View, class Visit>
  void visit_memory_of(const View& view, const Visit& visit) const {
    const std::size_t n = size();
    if constexpr (requires { view.visit_arrays(visit); }) {
      view.visit_arrays(visit);
    } else if constexpr (has_columns<View>) {
      view.visit_columns([&](const void* p, std::size_t step) {
        constexpr std::size_t all = static_cast<std::size_t>(-1);
        visit(p, n > all / step ? all : n * step, step);
      });
    } else if (n != 0) {
      view.visit_memory([&](const void* p, std::size_t bytes, std::size_t) { visit(p, bytes, 0); });
    }
  }
};

}  // namespace warpfold
