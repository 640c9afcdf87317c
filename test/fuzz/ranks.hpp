/// @file
/// A policy that deals a range to threads as ranks, which reduce it with wf::across.
#pragma once

#include <warpfold/policy/par.hpp>
#include <warpfold/view/part.hpp>

#include "contract/ranks.hpp"

namespace fuzz {

namespace wf = warpfold;

struct ranks_policy {
  static constexpr const char* name() { return "ranks"; }

  template <wf::reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    using result = typename Reduction::result_type;
    const std::size_t n = r.view.size();
    const int count = 1 + static_cast<int>(n % 4);
    std::mt19937 random(static_cast<unsigned>(n));
    const auto bounds = test::dealt(n, count, random);
    const auto all = test::on_ranks(count, [&](auto rank) {
      const std::size_t i = static_cast<std::size_t>(rank.rank());
      const auto part = part_of_work(r, bounds[i], bounds[i + 1] - bounds[i]);
      return std::vector<result>{wf::across(rank, wf::par).run(part)};
    });
    const std::size_t chosen = n / 4 % static_cast<std::size_t>(count);
    if (all.errors[chosen] != nullptr) std::rethrow_exception(all.errors[chosen]);
    return all.values[chosen][0];
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
  template <class View>
  static auto part_of_view(const View& v, std::size_t first, std::size_t size) {
    if constexpr (requires { typename View::lifting_op; }) {
      return wf::lifted_view(wf::part_of(v.elements(), first, size), v.function().op);
    } else {
      return wf::part_of(v, first, size);
    }
  }
  template <class Reduction>
  static auto part_of_work(const Reduction& r, std::size_t first, std::size_t size) {
    if constexpr (wf::has_finish<Reduction>) {
      const auto part = part_of_work(r.unfinished(), first, size);
      return wf::finished_reduction(part, r.finish);
    } else {
      const auto view = part_of_view(r.view, first, size);
      return wf::reduction<std::remove_const_t<decltype(view)>, typename Reduction::op_type,
                           std::remove_const_t<decltype(r.init)>>{view, r.op, r.init};
    }
  }
};

inline constexpr ranks_policy ranks{};

}  // namespace fuzz
