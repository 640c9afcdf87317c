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
    const std::size_t n = r.view.size();
    const int count = 1 + static_cast<int>(n % 3);
    std::mt19937 random(static_cast<unsigned>(n));
    const auto bounds = test::dealt(n, count, random);
    const auto part = [&](std::size_t i) {
      return part_of_work(unfinished(r), bounds[i], bounds[i + 1] - bounds[i]);
    };
    wf::sharded_reduction all(part(0));
    for (std::size_t i = 1; i + 1 < bounds.size(); ++i) all.views.push_back(part(i).view);
    const auto policy = wf::across(wf::emulated_devices(count, 100));
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

 private:
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
