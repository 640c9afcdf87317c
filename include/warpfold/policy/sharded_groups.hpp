/// @file
/// How the GPUs of one process fold along an axis and of segments: each folds its shard to one
/// state of each result, and one GPU combines the states of all.
#pragma once

#include <cstddef>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/op/combining.hpp>
#include <warpfold/policy/across_groups.hpp>
#include <warpfold/policy/local_memory.hpp>
#include <warpfold/policy/sharded_call.hpp>
#include <warpfold/view/shards.hpp>
#include <warpfold/work/axis_part.hpp>
#include <warpfold/work/combined_segments.hpp>
#include <warpfold/work/segment_part.hpp>

namespace warpfold {

/// The parts of an axis on several GPUs of one process, in their order.
template <axis_part_work Part>
struct sharded_axis {
  using part_type = Part;

  std::vector<Part> parts;
};

}  // namespace warpfold

namespace warpfold::detail {

// Work of several results whose elements are in shards.
template <class Work>
concept sharded_groups_work = sharded_axis_work<Work> || (segmented_reduction_work<Work> &&
                                                          sharded_view<typename Work::view_type>);

// The fold of segments of one shard.
template <class View, class Segments, class Op, class Init, class... Outs>
auto of_shard(const segmented_reduction<shards_view<View>, Segments, Op, Init, Outs...>& work,
              std::size_t i) {
  return segmented_reduction<View, Segments, Op, Init, Outs...>{work.view.parts()[i], work.segments,
                                                                work.op, work.init, work.outs};
}
template <class View, class Segments, class Op, class... Outs>
auto of_shard(
    const accumulating_segmented_reduction<shards_view<View>, Segments, Op, Outs...>& work,
    std::size_t i) {
  using base = segmented_reduction<shards_view<View>, Segments, Op, no_init, Outs...>;
  return accumulating_segmented_reduction<View, Segments, Op, Outs...>(
      of_shard(static_cast<const base&>(work), i));
}

inline void require_one_array_each(std::size_t arrays, int gpus) {
  if (arrays == static_cast<std::size_t>(gpus)) return;
  throw_error<invalid_range>("warpfold: ", arrays, " shards for ", gpus,
                             " GPUs; pass one for each GPU, some of which may be empty");
}

// The shards that have elements, and where these begin in the whole.
struct shards_with_elements {
  std::vector<int> ranks;
  part_offsets offsets;
  std::size_t elements = 0;

  template <class Parts, class SizeOf>
  shards_with_elements(const Parts& parts, const SizeOf& size_of) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (size_of(parts[i]) == 0) continue;
      offsets.of[ranks.size()] = elements;
      elements += size_of(parts[i]);
      ranks.push_back(static_cast<int>(i));
    }
  }
};

// Calls `gpus.combine<State>(ranks, results, fold, write)`, which calls `fold(rank, local, to)` for
// each of these ranks, and then `write(local, states)` with the rows of all.
template <class Gpus, sharded_axis_work Work>
void fold_shards(const Gpus& gpus, const Work& work) {
  using part = typename Work::part_type;
  using A = typename part::accumulator;
  if constexpr (check_folds_parts<typename part::caller_op, typename part::caller_value, A>()) {
    const auto& parts = work.parts;
    require_one_array_each(parts.size(), gpus.size());
    const part& first = parts[0];
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (int d = 0; d < first.kept.rank; ++d) {
        if (parts[i].kept.extent[d] == first.kept.extent[d]) continue;
        throw_error<invalid_range>(
            "warpfold: shard ", i, " keeps an extent of ", parts[i].kept.extent[d],
            ", and shard 0 one of ", first.kept.extent[d],
            "; pass parts of the folded axis. Parts of a kept axis have nothing to "
            "exchange: call reduce_axis for each of them with its own GPU");
      }
    }
    const shards_with_elements some(parts, [](const part& p) { return p.layout.length; });
    const std::size_t results = first.size();
    if (results == 0 || (some.elements == 0 && first.accumulates)) return;
    if (some.elements == 0) {
      gpus.write([&](const auto& local) {
        local.enqueue(static_cast<const typename part::work_type&>(first));
      });
      return;
    }
    gpus.template combine<A>(
        some.ranks, results,
        [&](int rank, const auto& local, A* to) {
          local.enqueue(parts[static_cast<std::size_t>(rank)].partial_to(to));
        },
        [&](const auto& local, const A* rows) {
          local.enqueue(first.rows(rows, some.ranks.size(), some.offsets));
        });
  }
}

template <class Gpus, segmented_reduction_work Work>
void fold_shards(const Gpus& gpus, const Work& work) {
  using state = typename Work::state;
  if constexpr (check_folds_parts<typename Work::op_type, typename Work::value_type,
                                  typename Work::accumulator>()) {
    const auto& shards = work.view.parts();
    require_one_array_each(shards.size(), gpus.size());
    if (work.view.block() != 0) {
      throw_error<invalid_range>(
          "warpfold: the shards have blocks of ", work.view.block(),
          " elements in turn, but segments need contiguous ones; use a wf::sharded "
          "without block_cyclic");
    }
    const std::size_t results = work.size();
    if (results == 0) return;
    const shards_with_elements some(shards, [](const auto& shard) { return shard.size(); });
    const auto first = of_shard(work, 0);
    if (some.elements == 0) {
      gpus.write([&](const auto& local) { local.enqueue(first); });
      return;
    }
    std::size_t begin = 0;
    gpus.template combine<state>(
        some.ranks, results,
        [&](int rank, const auto& local, state* to) {
          const auto own = of_shard(work, static_cast<std::size_t>(rank));
          const auto clipped =
              clipped_segments(work.segments, 0, results, {begin, begin + own.view.size()});
          begin += own.view.size();
          local.enqueue(segment_part(own, clipped, to));
        },
        [&](const auto& local, const state* rows) {
          local.enqueue(combined_segments(first, rows, some.ranks.size(), some.offsets));
        });
  }
}

// Notes the launches of the GPU with the largest shard, and those of the GPU that writes.
template <class Local, class On, class Plan>
struct planned_rows {
  int count, largest, writer;
  Local local;
  const On& on;  // on(rank) makes its GPU the current one
  Plan& plan;

  struct notes {
    const Local& local;
    Plan& plan;

    template <class Work>
    void enqueue(const Work& work) const {
      local.describe(work, plan);
    }
  };

  int size() const { return count; }
  template <class Write>
  void write(const Write& write) const {
    [[maybe_unused]] const auto there = on(writer);
    write(notes{local, plan});
  }
  template <class State, class Fold, class Write>
  void combine(const std::vector<int>& ranks, std::size_t results, const Fold& fold,
               const Write& write) const {
    plan.bytes_sent = results * sizeof(State);
    {
      [[maybe_unused]] const auto there = on(largest);
      fold(largest, notes{local, plan}, static_cast<State*>(nullptr));
    }
    [[maybe_unused]] const auto there = on(writer);
    // wf::device checks that the GPU can read the rows.
    const local_copy<State, Local> rows(local, nullptr, results * ranks.size());
    write(notes{local, plan}, static_cast<const State*>(rows.data()));
  }
};

template <sharded_groups_work Work, class Local, class On, class Plan>
void describe_shards(const Work& work, int gpus, int writer, const Local& local, const On& on,
                     Plan& plan) {
  const auto note = [&](const auto& parts, const auto& size_of, const auto& bytes_of_part) {
    const int largest = largest_of(parts, size_of);
    plan.local = local.name();
    plan.ranks = gpus;
    plan.exchange = "copies to the GPU that writes";
    plan.shard_bytes = bytes_of_part(parts[static_cast<std::size_t>(largest)]);
    fold_shards(planned_rows<Local, On, Plan>{gpus, largest, writer, local, on, plan}, work);
  };
  if constexpr (sharded_axis_work<Work>) {
    note(
        work.parts, [](const auto& part) { return part.layout.length; },
        [](const auto& part) { return part.bytes(); });
  } else {
    note(
        work.view.parts(), [](const auto& part) { return part.size(); },
        [](const auto& part) { return bytes_of(part); });
  }
}

}  // namespace warpfold::detail
