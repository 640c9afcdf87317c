/// @file
/// The `policy` concept, and how a policy of another library becomes one of this library.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

namespace detail {
struct probe_op {
  template <class T>
  WARPFOLD_HD T identity() const {
    return T{};
  }
  WARPFOLD_HD int operator()(int a, int) const { return a; }
};
using probe_reduction = reduction<contiguous_view<int>, probe_op, no_init>;
}  // namespace detail

/// A policy decides who runs a piece of work, on which stream and with which memory. It is a value:
/// cheap to copy and safe to share between threads.
///
/// - `name()`: the name in plans, a `const char*` to text that lives as long as the program.
/// - `run(work)`: does the work and waits. For a `reduction` it returns the `result_type`.
/// - `enqueue(work)`: does the work; a policy with streams does not wait. For a `reduction` it is
///   `enqueue(work, out)`, which writes the result to `*out`.
/// - `describe(work, plan)`, optional: fills the fields of a `plan` (see explain.hpp) that it
///   knows.
/// - `reads_size_on_host`, optional: true if it reads the size of a counted range on the host, so
///   that `min` and its like can throw for a count of 0 (policy/counted_range.hpp).
/// - `returns_states`, optional: true if `run` can return a state (work/state_reduction.hpp), so
///   that `across` can use the policy on each rank.
/// - `fold_nodes(r, before, whole, use)`, optional: for a reduction `r` of the elements that begin
///   at index `before` of `whole` elements. Calls `use(a)` with the accumulator of each node of the
///   declared order that they consist of (op/fold_order.hpp), from left to right. With
///   `folds_nodes = true`, `across` has that order.
/// - `combines_parts`, optional: true if its ranks each pass a part of the elements. `reduce_axis`
///   then makes an `axis_part` (work/axis_part.hpp).
/// - `prefers_segment_rows`, optional: true if segments of one size are run as an `axis_reduction`
///   where possible (work/segment_rows.hpp).
///
/// A policy has one `run` for all work that it takes (work/kinds.hpp): `returned_t<Work> run(const
/// Work&)`, constrained by `reduction_work`, `has_host_loop` (host/loops.hpp), `has_kernel`
/// (kernel/choice.hpp) or by kinds. The `run` of a `key_reduction_work` returns the number of runs,
/// and `enqueue(work, out)` writes it. A policy must take reductions; calls with other kinds of
/// work do not compile unless it takes them too. The concept only checks that `run` can be called.
/// A template `run` reports unsupported work when it is instantiated.
///
/// Sizes of work that is `sized_in_memory` are read by its host loop or its kernel. A policy that
/// runs neither leaves such work out, as the concepts of the other kinds do.
///
/// A policy gets a reduction's result from `work.result(state)`, and reads the init with
/// `work.init_as<A>()`, where the work runs: the init may be in device memory. If the policy calls
/// neither, it must handle a `finished_reduction` (work/reduction.hpp).
///
/// Before it starts anything, a policy calls `work.require_valid()`, and then
/// `runtime::check_host_memory(work)` to check that it can access the memory. `check_gpu(work)`
/// does both for a GPU.
template <class Policy>
concept policy =
    std::copyable<Policy> && requires(const Policy& p, const detail::probe_reduction& r, int* out) {
      { p.name() } -> std::convertible_to<const char*>;
      p.run(r);
      p.enqueue(r, out);
    };

/// A policy that takes work: `enqueue` has an output if `run` returns something.
template <class Policy, class Work>
concept runs = requires(const Policy& p, const Work& work) {
  p.enqueue(work);
  p.run(work);
} || requires(const Policy& p, const Work& work, returned_t<Work>* out) {
  requires !std::is_void_v<returned_t<Work>>;
  { p.run(work) } -> std::same_as<returned_t<Work>>;
  p.enqueue(work, out);
};

/// Specialize this for a policy of another library, with a static function `convert(p)` that
/// returns a policy of this library. `warpfold/drop_in.hpp` does so for Thrust and the standard
/// library.
template <class Policy>
struct adopted_policy;

/// Returns the policy to use for `p`: the result of `adopted_policy`, or `p` itself.
template <class Policy>
auto as_policy(const Policy& p) {
  if constexpr (requires { adopted_policy<Policy>::convert(p); }) {
    return adopted_policy<Policy>::convert(p);
  } else {
    return p;
  }
}

namespace detail {

// Calls `check` with the number of elements of a range, and returns the policy to use. A policy
// whose ranks each pass a part of the range calls it with the number of elements of all parts.
template <class Policy, class View, class Check>
auto requiring_count(const Policy& policy, const View& view, const Check& check) {
  if constexpr (requires { as_policy(policy).requiring(check); }) {
    return as_policy(policy).requiring(check);
  } else {
    check(view.size());
    return policy;
  }
}

// Throws `e`: on every rank, if the policy has several.
template <class Policy, class Error>
[[noreturn]] void refuse_on_all_ranks(const Policy& policy, const Error& e) {
  if constexpr (requires { as_policy(policy).refuse(e); }) as_policy(policy).refuse(e);
  throw_error<Error>(e);
}

// The last step of a call: to run the work that it has made, or to enqueue it.
inline constexpr auto run_now = [](const auto& policy, const auto& work) { policy.run(work); };
inline constexpr auto enqueue_now = [](const auto& policy, const auto& work) {
  policy.enqueue(work);
};

// Calls `make(then)`, which calls `then` with work. If `make` throws before, all ranks of the
// policy throw.
template <class Policy, class Make, class Then>
void make_on_all_ranks(const Policy& policy, const Make& make, const Then& then) {
  if constexpr (requires { as_policy(policy).make_on_all_ranks(make, then); }) {
    as_policy(policy).make_on_all_ranks(make, then);
  } else {
    make(then);
  }
}

}  // namespace detail

/// A type that `reduce` accepts as its first argument.
template <class Policy>
concept policy_like = requires(const Policy& p) { adopted_policy<Policy>::convert(p); } ||
                      requires(const Policy& p) { p.name(); };

}  // namespace warpfold
