/// @file
/// A policy that deals a range to threads as ranks, which reduce it with wf::across: with wf::par,
/// and of a whole range also with wf::emulated, unless under ThreadSanitizer, which does not know
/// that a fiber switches stacks.
#pragma once

#include <cstring>

#include <warpfold/policy/par.hpp>
#include <warpfold/work/segmented_reduction.hpp>

#if !defined(__SANITIZE_THREAD__) && __has_include(<boost/context/fiber.hpp>)
#include <warpfold/policy/emulated.hpp>
#endif

#include "contract/ranks.hpp"
#include "fuzz/part_of_work.hpp"

namespace fuzz {

namespace wf = warpfold;

#if !defined(__SANITIZE_THREAD__) && __has_include(<boost/context/fiber.hpp>)
inline constexpr auto& second_local = wf::emulated;
#else
inline constexpr auto& second_local = wf::par;
#endif

struct ranks_policy {
  static constexpr const char* name() { return "ranks"; }
  static constexpr bool combines_parts = true;

  template <wf::reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    using result = typename Reduction::result_type;
    return dealt(r.view.size(), [&](const auto& policy, std::size_t first, std::size_t size) {
      const auto part = part_of_work(r, first, size);
      if (policy.ranks().rank() % 2 == 0) return std::vector<result>{policy.run(part)};
      return std::vector<result>{wf::across(policy.ranks(), second_local).run(part)};
    })[0];
  }
  template <wf::counted_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return run(wf::settled_on_host(r));
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }

  /// Of one array, to an output without gaps.
  template <wf::axis_part_work Work>
    requires is_fold_of_one_array<Work>
  void run(const Work& w) const {
    using result = typename Work::out_type;
    const auto all =
        dealt(w.layout.length, [&](const auto& policy, std::size_t first, std::size_t size) {
          std::vector<unsigned char> out(w.size() * sizeof(result));
          Work part = part_of_axis(w, first, size);
          part.out = part.rows.to.head.data = reinterpret_cast<result*>(out.data());
          policy.run(part);
          return out;
        });
    if (!all.empty()) std::memcpy(static_cast<void*>(w.out), all.data(), all.size());
  }
  template <class View, class Segments, class Op, class Init, class Result>
  void run(const wf::segmented_reduction<View, Segments, Op, Init, wf::contiguous_output<Result>>&
               s) const {
    const auto all =
        dealt(s.view.size(), [&](const auto& policy, std::size_t first, std::size_t size) {
          std::vector<unsigned char> out(s.size() * sizeof(Result));
          const wf::contiguous_output<Result> to(reinterpret_cast<Result*>(out.data()), s.size());
          const auto view = wf::part_of(s.view, first, size);
          policy.run(wf::segmented_reduction<std::remove_const_t<decltype(view)>, Segments, Op,
                                             Init, wf::contiguous_output<Result>>{
              view, s.segments, s.op, s.init, {to}});
          return out;
        });
    if (!all.empty()) std::memcpy(static_cast<void*>(s.outs.head.data()), all.data(), all.size());
  }
  template <class Work>
  void enqueue(const Work& work) const {
    run(work);
  }

 private:
  // Deals `n` elements to ranks, and returns what `f(policy, first, size)` returns on one of them.
  template <class F>
  static auto dealt(std::size_t n, const F& f) {
    const int count = 1 + static_cast<int>(n % 4);
    std::mt19937 random(static_cast<unsigned>(n));
    const auto bounds = test::dealt(n, count, random);
    const auto all = test::on_ranks(count, [&](auto rank) {
      const std::size_t i = static_cast<std::size_t>(rank.rank());
      return f(wf::across(rank, wf::par), bounds[i], bounds[i + 1] - bounds[i]);
    });
    const std::size_t chosen = n / 4 % static_cast<std::size_t>(count);
    if (all.errors[chosen] != nullptr) std::rethrow_exception(all.errors[chosen]);
    return all.values[chosen];
  }
};

inline constexpr ranks_policy ranks{};

}  // namespace fuzz
