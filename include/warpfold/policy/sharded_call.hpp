/// @file
/// What the policies of several GPUs in one process share: the checks of a call, and the work of
/// each GPU.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/collective/exchanged_reduction.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/exchanged_nodes.hpp>
#include <warpfold/policy/communicator.hpp>
#include <warpfold/work/sharded_reduction.hpp>

namespace warpfold::detail {

// @throws invalid_argument if there are none or too many
inline int checked_rank_count(int count) {
  if (count >= 1 && count <= collective::mailboxes::most_ranks) return count;
  throw_error<invalid_argument>("warpfold: ", count, " GPUs; pass 1 to ",
                                collective::mailboxes::most_ranks);
}

template <class Work>
void require_one_shard_each(const Work& work, int gpus) {
  if (work.views.size() == static_cast<std::size_t>(gpus)) return;
  throw_error<invalid_range>("warpfold: ", work.views.size(), " shards for ", gpus,
                             " GPUs; pass one range for each GPU, some of which may be empty");
}

// True if kernels must run: false if the host knows that there is no element.
template <class Work>
bool exchanges(const Work& work) {
  return has_size_in_memory<typename Work::view_type> || work.size() != 0;
}

// The work of a rank's part, finished as the whole is.
template <class Work, class Part>
auto with_finish_of(const Work& work, const Part& part) {
  if constexpr (has_finish<Work>) {
    return finished_reduction<Part, std::remove_const_t<decltype(work.finish)>>(part, work.finish);
  } else {
    return part;
  }
}

// The work of GPU `i`, whose indices are those of the whole.
template <class Work>
auto exchanged_part(const Work& work, std::size_t i, const collective::mailboxes& boxes) {
  using view_type = typename Work::view_type;
  constexpr bool fits =
      sizeof(typename Work::state) + sizeof(std::size_t) <= collective::mailboxes::frame_bytes;
  static_assert(fits,
                "warpfold: accumulators of more than 1024 bytes do not fit an exchange of GPUs; "
                "fold smaller states");
  typename Work::of_part part = work;
  part.view = work.views[i];
  if constexpr (collective::needs_first_index<typename Work::of_part>) {
    static_assert(!has_size_in_memory<view_type>,
                  "warpfold: the indices of counted shards depend on their sizes, which only the "
                  "GPUs know; give the op `moved` (op/index_offset.hpp)");
    std::size_t before = 0;
    for (std::size_t k = 0; k < i; ++k) before += work.views[k].size();
    return collective::exchanged_reduction(
        with_finish_of(work, collective::reduction_from(part, before)), boxes);
  } else {
    return collective::exchanged_reduction(with_finish_of(work, part), boxes);
  }
}

// True if the declared order decides the bits of the result, and the host knows all sizes.
template <class Work>
inline constexpr bool may_exchange_nodes =
    depends_on_order<typename Work::of_part> && !has_size_in_memory<typename Work::view_type>;

// Launches the kernel of a GPU that folds its shard and exchanges.
// @param r what exchanged_part returned
// @param by the kernel that exchanges a state
template <class Work, class Reduction, class Kernel, class Sink, class Launcher>
void start_exchange(const Work& work, const Reduction& r, const Kernel& by, const Sink& sink,
                    Launcher& launcher) {
  if constexpr (may_exchange_nodes<Work> && kernel::in_declared_order_v<Kernel>) {
    const kernel::nodes_of_ranks nodes(work.views);
    if (!nodes.combine_in_rank_order()) {
      if constexpr (requires { by.table; }) by.table.check_for(launcher.gpu());
      return kernel::exchanged_nodes::enqueue(r, nodes, sink, launcher);
    }
  }
  by.enqueue(r, sink, launcher);
}

// @param letter what the kernel of `rank` wrote: 0, or 1 + the missing rank
inline void throw_if_missing(collective::letter letter, int rank, int ranks, double limit_s) {
  if (letter == 0) return;
  throw_error<communication_error>(
      "warpfold: GPU ", static_cast<long long>(letter) - 1, " of ", ranks,
      " did not send its state to GPU ", rank, " within ", static_cast<long long>(limit_s * 1000),
      " ms; look for earlier work that keeps its stream busy, or raise the "
      "time limit");
}

// The number of the part with the greatest `size_of(part)`.
template <class Parts, class SizeOf>
int largest_of(const Parts& parts, const SizeOf& size_of) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (size_of(parts[i]) > size_of(parts[largest])) largest = i;
  }
  return static_cast<int>(largest);
}

// The plan of the GPU with the largest shard. `on(rank)` makes its GPU the current one.
template <class Work, class Local, class On, class Plan>
void describe_shards(const Work& work, int gpus, const Local& local, const On& on, Plan& plan) {
  require_one_shard_each(work, gpus);
  const int largest = largest_of(work.views, [](const auto& view) { return view.size(); });
  [[maybe_unused]] const auto there = on(largest);
  typename Work::of_part part = work;
  part.view = work.views[static_cast<std::size_t>(largest)];
  std::size_t sent = sizeof(std::size_t) + sizeof(typename Work::state);
  const auto describe_part = [&] {
    if constexpr (may_exchange_nodes<Work> && requires { local.describe_nodes(part, plan); }) {
      const kernel::nodes_of_ranks nodes(work.views);
      if (!nodes.combine_in_rank_order()) {
        local.describe_nodes(part, plan);
        plan.kernel = kernel::exchanged_nodes::name();
        sent = kernel::exchanged_nodes::bytes_sent<typename Work::accumulator>(nodes);
        return;
      }
    }
    if constexpr (counted_work<typename Work::of_part>) {
      local.describe(settled_reduction<typename Work::of_part>(part), plan);
    } else {
      local.describe(part, plan);
    }
  };
  describe_part();
  plan.shard_bytes = plan.bytes;
  plan.bytes = 0;
  for (const auto& view : work.views) plan.bytes += bytes_of(view);
  plan.elements = work.size();
  plan.local = local.name();
  plan.ranks = gpus;
  plan.exchange = "mailboxes";
  plan.bytes_sent = static_cast<std::size_t>(gpus - 1) * 2 * sent;
}

// Memory for a result, which need not have a default constructor.
template <class T>
struct result_bytes {
  alignas(T) unsigned char bytes[sizeof(T)];

  T* pointer() { return std::launder(reinterpret_cast<T*>(bytes)); }
};

}  // namespace warpfold::detail
