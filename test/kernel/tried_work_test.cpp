// Which work is tried with small states: groups of exact ops, and not those of other or derived
// ops, and states that are too large to fold all groups again.
#include <warpfold/kernel/tried_work.hpp>

#include <doctest/doctest.h>

#include <type_traits>

#include <warpfold/op/exact.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_segments.hpp>

namespace wf = warpfold;

namespace {

struct derived : wf::exact_plus<void> {};

template <class T>
bool tries_segments(const auto& op) {
  const wf::contiguous_view<const T> v(nullptr, 0);
  const wf::segments_by_offsets offsets(wf::contiguous_view<const int>(nullptr, 0));
  using op_type = std::remove_cvref_t<decltype(op)>;
  return wf::kernel::tries_groups<wf::segmented_reduction<
      std::remove_const_t<decltype(v)>, std::remove_const_t<decltype(offsets)>, op_type,
      wf::no_init, wf::contiguous_output<T>>>;
}
template <class T>
bool tries_classes(const auto& op) {
  using op_type = std::remove_cvref_t<decltype(op)>;
  return wf::kernel::tries_groups<
      wf::class_reduction<wf::contiguous_view<const int>, wf::contiguous_view<const T>, op_type,
                          wf::contiguous_output<T>>>;
}

}  // namespace

TEST_CASE("exact ops are tried, and others are not") {
  CHECK(tries_segments<float>(wf::plus{}.exact()));
  CHECK(tries_segments<double>(wf::plus{}.exact<float>()));
  CHECK(tries_segments<float>(wf::exact_squares_op<float>{}));
  CHECK(!tries_segments<float>(wf::plus{}));
  CHECK(!tries_segments<float>(derived{}));
  CHECK(tries_classes<float>(wf::plus{}.exact()));
  CHECK(!tries_classes<float>(wf::maximum{}));
}

TEST_CASE("classes and lists fold all groups again, so their states must fit") {
  CHECK(tries_segments<double>(wf::exact_squares_op<double>{}));  // 1112 bytes
  CHECK(!tries_classes<double>(wf::exact_squares_op<double>{}));
  CHECK(tries_classes<float>(wf::exact_squares_op<double>{}));
}

TEST_CASE("outputs that accumulate are folded once, and so not tried") {
  using work =
      wf::segmented_reduction<wf::contiguous_view<const float>,
                              wf::segments_by_offsets<wf::contiguous_view<const int>>,
                              wf::exact_plus<void>, wf::no_init, wf::contiguous_output<float>>;
  CHECK(wf::kernel::tries_groups<work>);
  CHECK(
      !wf::kernel::tries_groups<wf::accumulating_segmented_reduction<
          wf::contiguous_view<const float>, wf::segments_by_offsets<wf::contiguous_view<const int>>,
          wf::exact_plus<void>, wf::contiguous_output<float>>>);
}
