/// @file
/// Segments of one size as the rows of a matrix, which policies for `reduce_axis` fold.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/op/after.hpp>
#include <warpfold/view/expression.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/expression_reduction.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::detail {

// The arrays of a view, as those of an expression (view/expression.hpp): an array, or projections
// and zips of arrays.
template <class View>
struct row_arrays {
  static constexpr bool exist = false;
};

template <class View>
  requires requires(const View& v) {
    requires View::is_contiguous;
    requires std::is_same_v<decltype(v.data()), const typename View::value_type*>;
  }
struct row_arrays<View> {
  static constexpr bool exist = true;
  using elements = tuple<typename View::value_type>;
  using function_type = array_value;

  static function_type function(const View&) { return {}; }
  static void find(const View& v, const void**& data) { *data++ = v.data(); }
};

template <class View, class F>
  requires row_arrays<View>::exist
struct row_arrays<transform_view<View, F>> {
  static constexpr bool exist = true;
  using elements = typename row_arrays<View>::elements;
  using function_type = projected_value<typename row_arrays<View>::function_type, F>;

  static function_type function(const transform_view<View, F>& v) {
    return {row_arrays<View>::function(v.base()), v.function()};
  }
  static void find(const transform_view<View, F>& v, const void**& data) {
    row_arrays<View>::find(v.base(), data);
  }
};

template <class... Views>
  requires(row_arrays<Views>::exist && ...)
struct row_arrays<zip_view<Views...>> {
  static constexpr bool exist = true;
  using elements = typename joined_tuples<typename row_arrays<Views>::elements...>::type;
  using function_type = zipped_value<typename row_arrays<Views>::function_type...>;

  static function_type function(const zip_view<Views...>& v) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) -> function_type {
      return {tuple_of(row_arrays<Views>::function(warpfold::get<At>(v.views()))...)};
    }(std::index_sequence_for<Views...>{});
  }
  static void find(const zip_view<Views...>& v, const void**& data) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (row_arrays<Views>::find(warpfold::get<At>(v.views()), data), ...);
    }(std::index_sequence_for<Views...>{});
  }
};

// The memory of an output with one dimension.
template <class T>
struct row_target {
  T* data;
  std::size_t step;
  std::size_t span;

  array_shape shape(std::size_t rows) const { return shape_of_line(rows, step); }
};
template <class T>
row_target<T> row_target_of(const contiguous_output<T>& out) {
  return {out.data(), 1, out.size()};
}
// @throws invalid_range if the output has more dimensions
template <class T>
row_target<T> row_target_of(const strided_output<T>& out) {
  const auto& dims = out.dimensions();
  if (dims.count != 1) {
    throw_error<invalid_range>("warpfold: the output of reduce_segments has ", dims.count,
                               " dimensions; pass one with an element for each segment");
  }
  return {out.data(), dims.dims[0].stride[0], out.span()};
}

template <class Work>
inline constexpr bool accumulates_rows = false;
template <class... Parts>
inline constexpr bool accumulates_rows<accumulating_segmented_reduction<Parts...>> = true;

// The rows of a segmented reduction.
template <class Work, class... Outs>
struct segment_rows {
  using arrays_type = row_arrays<typename Work::view_type>;
  using elements = typename arrays_type::elements;
  using function_type = typename arrays_type::function_type;
  using op_type = typename Work::op_type;

  static constexpr int arrays = function_type::arrays;
  static constexpr bool are_one_array = arrays == 1 && sizeof...(Outs) == 1;
  // reduce_axis has no init for several arrays or outputs.
  static constexpr bool exist = are_one_array || !Work::has_init;

  static auto of(const Work& work) {
    if constexpr (are_one_array) {
      return of_one_array(work, row_target_of(work.outs.head));
    } else {
      return of_expression(work, std::index_sequence_for<Outs...>{});
    }
  }

 private:
  static std::size_t length(const Work& work) { return work.segments.length(); }
  static array_shape shape(const Work& work) {
    array_shape s;
    s.rank = 2;
    s.extent[0] = work.size();
    s.extent[1] = length(work);
    return s.row_major();
  }
  static auto source(const Work& work) {
    const void* data[std::size_t{arrays}];
    const void** next = data;
    arrays_type::find(work.view, next);
    return source_of_elements<function_type, elements>::make(data,
                                                             arrays_type::function(work.view));
  }
  static auto row_op(const Work& work) {
    if constexpr (std::is_same_v<function_type, array_value>) {
      return work.op;
    } else {
      using function = function_of_element<function_type>;
      return op_after<op_type, function>{work.op, {arrays_type::function(work.view)}};
    }
  }

  template <class Out>
  static auto of_one_array(const Work& work, const row_target<Out>& to) {
    const auto op = row_op(work);
    using T = std::remove_cvref_t<decltype(elements::head)>;
    using axis_type =
        axis_reduction<T, std::remove_const_t<decltype(op)>, Out, typename Work::result_type>;
    const std::size_t rows = work.size();
    const axis_type axis{
        source(work).data.head,
        to.data,
        layout_of(length(work), 1, shape_of_line(rows, length(work)), to.shape(rows)),
        rows * length(work),
        rows == 0 ? 0 : to.span,
        op};
    if constexpr (accumulates_rows<Work>) {
      return accumulated(axis);
    } else if constexpr (Work::has_init) {
      return initialized_axis_reduction<T, std::remove_const_t<decltype(op)>, Out,
                                        typename Work::result_type, typename Work::init_type>{
          {axis}, work.init};
    } else {
      return axis;
    }
  }

  template <std::size_t... At>
  static auto of_expression(const Work& work, std::index_sequence<At...>) {
    const auto from = source(work);
    using type = expression_reduction<std::remove_const_t<decltype(from)>, op_type,
                                      typename Outs::value_type...>;
    const array_shape to[] = {row_target_of(warpfold::get<At>(work.outs)).shape(work.size())...};
    constexpr bool folds[] = {false, true};
    array_shape shapes[std::size_t{type::arrays}];
    for (array_shape& s : shapes) s = shape(work);
    type rows{from,
              tuple_of(warpfold::get<At>(work.outs).data()...),
              layout_of<type::arrays, type::outs>(
                  shapes, folds, source_of_elements<function_type, elements>::bytes, to),
              {},
              work.op};
    for (int a = 0; a < type::arrays; ++a) rows.span[a] = shapes[a].span();
    ((rows.span[type::arrays + static_cast<int>(At)] =
          row_target_of(warpfold::get<At>(work.outs)).span),
     ...);
    if constexpr (accumulates_rows<Work>) {
      return accumulated(rows);
    } else {
      return rows;
    }
  }
};

template <class Out>
inline constexpr bool is_row_target = requires(const Out& out) { row_target_of(out); };

template <class Work>
struct rows_of_work {
  static constexpr bool exist = false;
};
template <class View, class Op, class Init, class... Outs>
  requires(row_arrays<View>::exist && (is_row_target<Outs> && ...))
struct rows_of_work<segmented_reduction<View, segments_by_size, Op, Init, Outs...>>
    : segment_rows<segmented_reduction<View, segments_by_size, Op, Init, Outs...>, Outs...> {};
template <class View, class Op, class... Outs>
  requires(row_arrays<View>::exist && (is_row_target<Outs> && ...))
struct rows_of_work<accumulating_segmented_reduction<View, segments_by_size, Op, Outs...>>
    : segment_rows<accumulating_segmented_reduction<View, segments_by_size, Op, Outs...>, Outs...> {
};

}  // namespace warpfold::detail

namespace warpfold {

/// True if the segments of a `segmented_reduction` are rows that `reduce_axis` can fold: they have
/// one size, and their elements come from arrays by projections and zips. With an init, from one
/// array to one output.
template <class Work>
concept has_segment_rows = detail::rows_of_work<Work>::exist;

/// Returns the fold along an axis that gives the same results. Ops with an index get the index
/// within the row, which is that within the segment.
template <has_segment_rows Work>
auto segment_rows_of(const Work& work) {
  return detail::rows_of_work<Work>::of(work);
}

}  // namespace warpfold
