/// @file
/// A policy that deals a range to emulated GPUs, which reduce it as shards.
#pragma once

#include <warpfold/policy/emulated_devices.hpp>

#include "contract/ranks.hpp"
#include "fuzz/part_of_work.hpp"

namespace fuzz {

namespace wf = warpfold;

struct gpus_policy {
  static constexpr const char* name() { return "gpus"; }
  static constexpr bool combines_parts = true;

  template <wf::reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    const auto bounds = dealt(r.view.size());
    const auto part = [&](std::size_t i) {
      return part_of_work(unfinished(r), bounds[i], bounds[i + 1] - bounds[i]);
    };
    wf::sharded_reduction all(part(0));
    for (std::size_t i = 1; i + 1 < bounds.size(); ++i) all.views.push_back(part(i).view);
    const auto policy = policy_for(bounds);
    if constexpr (wf::has_finish<Reduction>) {
      return policy.run(wf::finished_reduction(all, r.finish));
    } else {
      return policy.run(all);
    }
  }
  template <wf::counted_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return run(wf::settled_on_host(r));
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }

  template <is_fold_of_one_array Work>
  void run(const Work& w) const {
    const auto bounds = dealt(w.layout.length);
    wf::sharded_axis<Work> all;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      all.parts.push_back(part_of_axis(w, bounds[i], bounds[i + 1] - bounds[i]));
    }
    policy_for(bounds).run(all);
  }
  template <class View, class Segments, class Op, class Init, class... Outs>
  void run(const wf::segmented_reduction<View, Segments, Op, Init, Outs...>& s) const {
    const auto bounds = dealt(s.view.size());
    const auto part = [&](std::size_t i) {
      return wf::part_of(s.view, bounds[i], bounds[i + 1] - bounds[i]);
    };
    using view = decltype(part(0));
    std::vector<view> parts;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) parts.push_back(part(i));
    using sharded = wf::segmented_reduction<wf::shards_view<view>, Segments, Op, Init, Outs...>;
    policy_for(bounds).run(sharded{wf::shards_view<view>(parts), s.segments, s.op, s.init, s.outs});
  }
  template <class Work>
  void enqueue(const Work& work) const {
    run(work);
  }

 private:
  // Deals `n` elements to 1 to 3 GPUs.
  static std::vector<std::size_t> dealt(std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    return test::dealt(n, 1 + static_cast<int>(n % 3), random);
  }
  static auto policy_for(const std::vector<std::size_t>& bounds) {
    return wf::across(wf::emulated_devices(static_cast<int>(bounds.size()) - 1, 100));
  }
  template <class Reduction>
  static const auto& unfinished(const Reduction& r) {
    if constexpr (wf::has_finish<Reduction>) {
      return r.unfinished();
    } else {
      return r;
    }
  }
};

inline constexpr gpus_policy gpus{};

}  // namespace fuzz
