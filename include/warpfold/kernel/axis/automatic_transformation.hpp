/// @file
/// The library's choice of kernels for a fold along an axis whose elements are written.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/transformed_rows.hpp>
#include <warpfold/kernel/axis/transformed_terms.hpp>
#include <warpfold/kernel/axis/transformed_tiles.hpp>
#include <warpfold/kernel/choice.hpp>
#include <warpfold/op/group_terms.hpp>
#include <warpfold/work/axis_transformation.hpp>

namespace warpfold::kernel {

namespace detail {

// A launcher whose scratch memory is `memory`; or one that only adds up the bytes asked for.
template <class Launcher>
class launcher_with_scratch {
 public:
  launcher_with_scratch(Launcher& of, void* memory, bool measures)
      : of_(of), memory_(memory), measures_(measures) {}

  std::size_t bytes() const { return bytes_; }

  const auto& gpu() const { return of_.gpu(); }
  collective::grid_storage grid() const {
    return measures_ ? collective::grid_storage{} : of_.grid();
  }
  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    bytes_ += count * sizeof(T);
    return {static_cast<T*>(memory_), count};
  }
  void launch(const char* kernel, const auto& body, const launch_shape& shape) {
    if (!measures_) of_.launch(kernel, body, shape);
  }

 private:
  Launcher& of_;
  void* memory_;
  bool measures_;
  std::size_t bytes_ = 0;
};

}  // namespace detail

/// Chooses one launch if it can hold each row. Otherwise the folds go to scratch memory: the kernel
/// of the fold's kind runs first, then that of the transformation's (kernel/choice.hpp).
struct automatic_axis_transformation {
  /// Launches one to three times; not at all if there is nothing to do.
  template <class AxisTransformation, class Launcher>
  void enqueue(const AxisTransformation& t, Launcher& launcher) const {
    if (t.is_empty()) return;
    using rows_type = typename AxisTransformation::rows_type;
    if constexpr (warpfold::detail::has_group_terms<typename rows_type::op_type,
                                                    typename rows_type::value_type>) {
      if (transformed_terms{}.enqueue(t, launcher)) return;
      if (transformed_tiles{}.enqueue(t, launcher)) return;
    }
    if (transformed_rows{}.enqueue(t, launcher)) return;

    using folded_type = typename AxisTransformation::folded_type;
    constexpr std::size_t line = 256;
    struct alignas(16) word {
      unsigned char bytes[16];
    };
    static_assert(alignof(folded_type) <= line && line % sizeof(word) == 0);
    detail::launcher_with_scratch<Launcher> meter(launcher, nullptr, true);
    using fold_choice = chosen<typename AxisTransformation::reduction_type>;
    fold_choice{}.enqueue(t.reduction, meter);
    const std::size_t folds = (t.size() * sizeof(folded_type) + line - 1) / line * line;
    word* const memory =
        launcher.template scratch<word>((folds + meter.bytes() + 15) / sizeof(word)).data;

    AxisTransformation own = t;
    own.use_folds(reinterpret_cast<folded_type*>(memory));
    detail::launcher_with_scratch<Launcher> first(launcher, memory + folds / sizeof(word), false);
    fold_choice{}.enqueue(own.reduction, first);
    using write_choice = chosen<typename AxisTransformation::transformation_type>;
    write_choice{}.enqueue(own.transformation, launcher);
  }
};

}  // namespace warpfold::kernel
