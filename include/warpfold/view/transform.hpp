/// @file
/// `project(range, f)`: a function of every element, applied after the load.
#pragma once

#include <warpfold/core/callable.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/paired_order.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

class in_register;

namespace detail {

// Its result also needs no further guard.
template <>
inline constexpr bool only_selects<in_register> = true;

// True if the function declares that a call takes few instructions; others are unknown.
template <class F>
inline constexpr bool is_cheap = only_selects<F> || requires { requires F::is_cheap; };

}  // namespace detail

/// The elements `f(view[i])`. Loads are those of the underlying view, with the same width; `f` runs
/// on registers. `f` must be callable where the policy runs (`__device__` for a GPU) and is copied
/// into the kernel's arguments.
template <view View, class F>
class transform_view : public detail::view_over<View> {
  using base_type = detail::view_over<View>;
  using base_type::base_;

 public:
  using value_type = detail::op_result_t<F, typename View::value_type>;
  static constexpr bool computes_elements =
      !detail::only_selects<F> ||
      (detail::computes_elements<View>() && !std::is_same_v<F, in_register>);
  static constexpr bool has_unknown_cost = detail::has_unknown_cost<View>() || !detail::is_cheap<F>;
  using base_type::chunk_size;
  static constexpr int arrays = detail::arrays_of<View>();
  static constexpr std::size_t array_bytes = detail::array_bytes_of<View>();
  static constexpr bool prefers_staging = detail::prefers_staging<View>();
  static constexpr bool loads_before_size = detail::loads_before_size<View>;
  using chunk_type = typename View::chunk_type;
  using array_chunk = detail::array_chunk_of_t<View>;

  WARPFOLD_ANY_SIDE WARPFOLD_HD transform_view(View base, F f) : base_type(base), f_(f) {}

  WARPFOLD_HD const View& base() const { return base_; }
  WARPFOLD_HD const F& function() const { return f_; }
  inline WARPFOLD_HD void prefetch(std::size_t i, const auto& loads) const {
    detail::prefetch(base_, i, loads);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type operator[](std::size_t i) const { return apply(base_[i]); }
  WARPFOLD_HD std::size_t head() const { return base_.head(); }
  WARPFOLD_ANY_SIDE inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return apply(base_.at(i, loads));
  }
  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    base_.load(c, i, loads);
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    base_.load_anywhere(c, i, loads);
  }
  inline WARPFOLD_HD void load_misaligned(chunk_type& c, std::size_t i, const auto& loads) const {
    detail::load_misaligned(base_, c, i, loads);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type get(const chunk_type& c, int k) const { return apply(base_.get(c, k)); }

  template <std::size_t At, class T>
  void set_array(const T* data)
    requires requires(View& base) { base.template set_array<At>(data); }
  {
    base_.template set_array<At>(data);
  }
  void visit_columns(auto&& visit) const
    requires has_columns<View>
  {
    base_.visit_columns(visit);
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const {
    detail::name_call(f_, base_[0]);
    base_type::name_user_functions();
  }
#endif

 private:
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD value_type apply(const T& x) const {
#if defined(__CUDA_ARCH__)
    using result = std::remove_cvref_t<detail::call_result_t<F, const T&>>;
    constexpr bool same = !detail::is_device_lambda<F>() || std::is_same_v<result, value_type>;
    [[maybe_unused]] constexpr bool known = detail::check_known_result<F, same>();
#endif
    return detail::call(f_, x);
  }

  F f_;
};

/// `f(x)` for each element of an array or of an expression of arrays. It keeps the dimensions, for
/// `reduce_axis`. Where a range is expected, `view()` gives the elements in memory order.
template <class Array, class F>
struct projected_array {
  static constexpr bool is_array_expression = true;
  using value_type = detail::op_result_t<F, detail::array_element_t<Array>>;

  Array array;
  F function;

  auto view() const
    requires detail::converts_to_view<Array>
  {
    const auto elements = as_view(array);
    return transform_view<std::remove_const_t<decltype(elements)>, F>(elements, function);
  }
};

namespace detail {

template <class Array, class F>
struct ordering_mdspan<projected_array<Array, F>> : ordering_mdspan<Array> {
  static decltype(auto) of(const projected_array<Array, F>& a)
    requires ordering_mdspan<Array>::exists
  {
    return ordering_mdspan<Array>::of(a.array);
  }
};

template <class View, class F>
constexpr bool check_projection() {
  using T = typename View::value_type;
  if constexpr (!check_copyable<T>()) {
    return false;
  } else if constexpr (is_device_lambda<F>()) {
    return true;
  } else if constexpr (std::is_member_function_pointer_v<F>) {
    static_assert(never<F>,
                  "warpfold: the function is a pointer to a member function; pass a lambda that "
                  "calls it");
    return false;
  } else {
    constexpr bool takes_element = callable<F, const T&>;
    static_assert(takes_element,
                  "warpfold: the function cannot be called with an element of the range, nor with "
                  "the elements of a zip as its arguments");
    if constexpr (takes_element) {
      using result = call_result_t<F, T>;
      constexpr bool gives = !std::is_void_v<result>;
      static_assert(
          gives,
          "warpfold: the function of the elements returns nothing; return the value to reduce");
      constexpr bool is_value = !std::is_array_v<std::remove_reference_t<result>>;
      static_assert(is_value,
                    "warpfold: the function of the elements returns an array; return a std::array "
                    "or a struct");
      return gives && is_value;
    } else {
      return false;
    }
  }
}

}  // namespace detail

/// Returns a view of `f(x)` for each element `x` of `range`. Nothing is stored; a reduction of it
/// reads `range` once.
///
/// @param range must outlive the view
/// @param f called as `f(x)`; for an element of a zip, `f(x, y)` if it does not take the tuple.
///     Callable where the policy runs; copied into the kernel's arguments. If its call operator is
///     not const, each call gets a copy of its own. A lambda that is only `__device__` must return
///     its argument's type, because nvcc does not expose its return type to the host; otherwise
///     compilation fails
/// @return a view with the loads of `range`. For an mdspan, or an expression of mdspans: an
///     expression that keeps the dimensions, for `reduce_axis`. It is a range too, if the mdspans
///     are
///
/// ```cpp
/// std::vector<float> v{1, 2, 3};
/// auto squares = wf::sum(wf::seq, wf::project(v, [](float x) { return x * x; }));  // 14
/// ```
template <class Range, class F>
  requires(detail::has_axes<std::remove_cvref_t<Range>> || reducible_range<Range>)
auto project(Range&& range, F f) {
  WARPFOLD_REQUIRE_LASTING("project", Range);
  if constexpr (detail::has_axes<std::remove_cvref_t<Range>>) {
    using array = std::remove_cvref_t<Range>;
    if constexpr (detail::check_projection<detail::array_element<array>, F>()) {
      return projected_array<array, detail::function_object_t<F>>{range,
                                                                  detail::as_function_object(f)};
    } else {
      return detail::refused{};
    }
  } else {
    using base = view_of_t<Range>;
    if constexpr (requires(const base& b) { b.projected(f); }) {
      return as_view(range).projected(f);
    } else if constexpr (detail::check_projection<base, F>()) {
      return transform_view<base, detail::function_object_t<F>>(as_view(range),
                                                                detail::as_function_object(f));
    } else {
      return detail::refused{};
    }
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces, class F>
  requires(!detail::has_axes<Range> && !reducible_range<Range>)
auto project(const Range&, const F&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold

template <class Array, class F>
inline constexpr bool std::ranges::enable_borrowed_range<warpfold::projected_array<Array, F>> =
    true;
