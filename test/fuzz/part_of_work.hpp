/// @file
/// The reduction of a part of a range or of an axis, as the call would make it for that part alone.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/reduce.hpp>
#include <warpfold/view/part.hpp>
#include <warpfold/work/axis_part.hpp>

namespace fuzz {

namespace wf = warpfold;

template <class View>
auto part_of_view(const View& v, std::size_t first, std::size_t size) {
  if constexpr (requires { typename View::lifting_op; }) {
    return wf::lifted_view(wf::part_of(v.elements(), first, size), v.function().op);
  } else {
    return wf::part_of(v, first, size);
  }
}
template <class Reduction>
auto part_of_work(const Reduction& r, std::size_t first, std::size_t size) {
  if constexpr (wf::has_finish<Reduction>) {
    const auto part = part_of_work(r.unfinished(), first, size);
    return wf::finished_reduction(part, r.finish);
  } else {
    const auto view = part_of_view(r.view, first, size);
    return wf::reduction<std::remove_const_t<decltype(view)>, typename Reduction::op_type,
                         std::remove_const_t<decltype(r.init)>>{view, r.op, r.init};
  }
}

// An axis_part of one array, to one output.
template <class Work>
concept is_fold_of_one_array = wf::axis_part_work<Work> && requires(const Work& w) {
  w.in;
  w.rows.to.head;
};
template <class Axis>
void cut_axis(Axis& a, std::size_t first, std::size_t size) {
  a.in += first * a.layout.step;
  a.in_span = size == 0 ? 0 : a.in_span - first * a.layout.step;
  a.layout.length = size;
  if (size < 2) a.layout.step = 0;
}
template <is_fold_of_one_array Work>
Work part_of_axis(const Work& w, std::size_t first, std::size_t size) {
  Work part = w;
  cut_axis(part, first, size);
  cut_axis(part.partial, first, size);
  return part;
}

}  // namespace fuzz
