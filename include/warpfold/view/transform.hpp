/// @file
/// A function of every element, applied after the load.
#pragma once

#include <warpfold/op/traits.hpp>
#include <warpfold/view/as_view.hpp>

namespace warpfold {

/// The elements `f(view[i])`. Loads are those of the view beneath, as wide as they were; `f` runs on
/// the registers. `f` must be callable where the policy runs (`__device__` for a GPU) and is copied
/// into the kernel's arguments.
template <view View, class F>
class transform_view {
 public:
  using value_type = detail::op_result_t<F, typename View::value_type>;
  static constexpr int chunk_size = View::chunk_size;
  using chunk_type = typename View::chunk_type;

  WARPFOLD_HD transform_view(View base, F f) : base_(base), f_(f) {}

  WARPFOLD_HD std::size_t size() const { return base_.size(); }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type operator[](std::size_t i) const { return apply(base_[i]); }
  WARPFOLD_HD std::size_t head() const { return base_.head(); }
  WARPFOLD_HD void load(chunk_type& c, std::size_t i, const cache_hint& hint) const {
    base_.load(c, i, hint);
  }
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const cache_hint& hint) const {
    base_.load_anywhere(c, i, hint);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type get(const chunk_type& c, int k) const { return apply(base_.get(c, k)); }

  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    base_.visit_memory(visit);
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD value_type apply(const T& x) const {
#if defined(__CUDA_ARCH__)
    static_assert(
        !detail::is_device_lambda<F>() ||
            detail::keeps_value<std::remove_cvref_t<decltype(f_(x))>, value_type>(),
        "warpfold: a __device__ lambda is taken to return its argument's type, and this one "
        "returns a wider one; make it __host__ __device__");
#endif
    return f_(x);
  }

  View base_;
  F f_;
};

static_assert(view<transform_view<contiguous_view<float>, float (*)(float)>>);

/// Each element of `range` as `f` sees it: `project(v, square{})`. Nothing is stored; a reduction
/// over it reads `range` once. A lambda that is only `__device__` is taken to return its argument's type,
/// since nvcc does not tell the host what it returns; one that returns a wider number does not compile.
template <class Range, class F>
auto project(const Range& range, F f) {
  auto base = as_view(range);
  return transform_view<decltype(base), F>(base, f);
}

}  // namespace warpfold
