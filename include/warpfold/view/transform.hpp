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
  WARPFOLD_HD value_type operator[](std::size_t i) const { return f_(base_[i]); }
  WARPFOLD_HD std::size_t head() const { return base_.head(); }
  WARPFOLD_HD void load(chunk_type& c, std::size_t i, const cache_hint& hint) const {
    base_.load(c, i, hint);
  }
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const cache_hint& hint) const {
    base_.load_anywhere(c, i, hint);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD value_type get(const chunk_type& c, int k) const { return f_(base_.get(c, k)); }

  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    base_.visit_memory(visit);
  }

 private:
  View base_;
  F f_;
};

/// Each element of `range` as `f` sees it: `project(v, square{})`. Nothing is stored; a reduction
/// over it reads `range` once.
template <class Range, class F>
auto project(const Range& range, F f) {
  auto base = as_view(range);
  return transform_view<decltype(base), F>(base, f);
}

}  // namespace warpfold
