/// @file
/// What the policies of host threads have in common.
#pragma once

#include <warpfold/host/loops.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/counted_range.hpp>
#include <warpfold/runtime/reachable.hpp>

namespace warpfold {

/// Runs the host loop of each kind of work (host/loops.hpp) on `Threads`.
template <class Threads>
class host_policy {
 public:
  static constexpr bool reads_size_on_host = true;
  static constexpr bool returns_states = true;

  /// Exceptions of the op reach the caller after all threads have stopped calling it.
  /// @throws invalid_range also if the count of a view/counted.hpp is negative or larger than the
  ///     range
  WARPFOLD_ANY_SIDE
  template <class Work>
    requires(reduction_work<Work> || counted_work<Work> || has_host_loop<Work>)
  returned_t<Work> run(const Work& work) const {
    if constexpr (counted_work<Work>) {
      return run(settled_on_host(work));
    } else {
      work.require_valid();
      runtime::check_host_memory(work);
      if constexpr (reduction_work<Work>) {
        if (work.view.size() == 0) return work.empty_result();
        return Threads::fold(work);
      } else {
        return host::loop<Work>::run(work, Threads{});
      }
    }
  }

  /// See `policy`. Does not check the memory of the elements.
  static constexpr bool folds_nodes =
      requires(const detail::probe_reduction& r) { Threads::fold_node(r, 0, 0); };
  WARPFOLD_ANY_SIDE
  template <class Reduction, class Use>
    requires folds_nodes
  void fold_nodes(const Reduction& r, std::size_t before, std::size_t whole, const Use& use) const {
    detail::for_each_node(before, before + r.view.size(), whole,
                          [&](std::size_t from, std::size_t to) {
                            use(Threads::fold_node(r, from - before, to - before));
                          });
  }

  /// @param out where the result or the number of runs goes; other work has an output of its own
  template <class Work, class... Out>
    requires((reduction_work<Work> || counted_work<Work> || has_host_loop<Work>) &&
             takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (sizeof...(Out) == 0) {
      run(work);
    } else {
      (runtime::check_host_pointer(out, sizeof(Out), alignof(Out), Work::kind::output), ...);
      ((*out = static_cast<Out>(run(work))), ...);
    }
  }

  template <class Work, class Plan>
    requires(reduction_work<Work> ||
             requires(const Work& work, Plan& plan) {
               host::loop<Work>::describe(work, Threads{}, plan);
             })
  void describe(const Work& work, Plan& plan) const {
    if constexpr (reduction_work<Work>) {
      Threads::describe(work, plan);
      plan.bytes = bytes_of(work.view);
    } else {
      host::loop<Work>::describe(work, Threads{}, plan);
    }
  }
};

}  // namespace warpfold
