/// @file
/// Shared by the host baselines: the checks, and the arguments that other libraries expect.
#pragma once

#include <functional>
#include <type_traits>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/baseline_function.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/view/iterator.hpp>

namespace warpfold::baseline {

/// `op` on values of type `R` only. Other libraries also combine two elements, which may be
/// narrower.
template <class R, class Op>
struct op_in {
  Op op;

  WARPFOLD_ANY_SIDE
  template <class A, class B>
  WARPFOLD_HD R operator()(const A& a, const B& b) const {
    return static_cast<R>(warpfold::detail::call(op, static_cast<R>(a), static_cast<R>(b)));
  }
};

/// The op of a reduction for other libraries. Sums of floating-point numbers are a `std::plus`,
/// which they recognize.
template <class Reduction>
auto op_for(const Reduction& r) {
  using R = typename Reduction::result_type;
  using Op = typename Reduction::op_type;
  if constexpr (std::is_same_v<Op, plus> && std::is_floating_point_v<R>) {
    return std::plus<R>{};
  } else {
    return op_in<R, Op>{r.op};
  }
}

/// Checks the call, then returns `reduce(first, last, start, op)`. `start` is the init or, without
/// one, the first element. The iterators are raw pointers if the view has them.
template <class Reduction, class Reduce>
typename Reduction::result_type run_on_host(const Reduction& r, const Reduce& reduce) {
  using R = typename Reduction::result_type;
  r.require_valid();
  runtime::check_host_memory(r);
  if (r.view.size() == 0) return r.empty_result();
  const auto first = begin_of(r.view);
  const auto last = first + static_cast<std::ptrdiff_t>(r.view.size());
  if constexpr (Reduction::has_init) {
    return reduce(first, last, r.template init_as<R>(), op_for(r));
  } else {
    return reduce(first + 1, last, static_cast<R>(r.view[0]), op_for(r));
  }
}

/// The same for a reduction with a function of its result.
template <class Reduction, class Reduce>
  requires has_finish<Reduction>
typename Reduction::result_type run_on_host(const Reduction& r, const Reduce& reduce) {
  return r.result_for(run_on_host(r.unfinished(), reduce));
}

/// Checks the call, then calls `transform(first, last, out, f)` with raw pointers if the view has
/// them.
template <class Transformation, class Transform>
void transform_on_host(const Transformation& t, const Transform& transform) {
  static_assert(
      has_output_pointer<Transformation>,
      "warpfold: this policy writes only to contiguous outputs; pass a span or a container");
  t.require_valid();
  runtime::check_host_memory(t);
  const auto first = begin_of(t.in);
  transform(first, first + static_cast<std::ptrdiff_t>(t.size()), t.out.data(),
            function_of<Transformation>{t.f});
}

/// Runs reductions and transformations with the algorithms of `Library`: `reduce(first, last,
/// start, op)` and `transform(first, last, out, f)`. Outputs of transformations must be contiguous.
template <class Library>
class host_baseline {
 public:
  WARPFOLD_ANY_SIDE
  template <class Work>
    requires(reduction_work<Work> || transformation_work<Work>)
  returned_t<Work> run(const Work& work) const {
    if constexpr (reduction_work<Work>) {
      return run_on_host(work, [](auto first, auto last, const auto& start, const auto& op) {
        return Library::reduce(first, last, start, op);
      });
    } else {
      transform_on_host(work, [](auto first, auto last, auto* out, const auto& f) {
        Library::transform(first, last, out, f);
      });
    }
  }

  template <class Work, class... Out>
    requires((reduction_work<Work> || transformation_work<Work>) && takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (sizeof...(Out) == 0) {
      run(work);
    } else {
      (runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output"), ...);
      ((*out = static_cast<Out>(run(work))), ...);
    }
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    plan.kernel = Library::kernel;
    plan.threads = Library::threads();
    plan.bytes = bytes_of(r.view);
  }
};

}  // namespace warpfold::baseline
