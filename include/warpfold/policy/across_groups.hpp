/// @file
/// How `wf::across` folds along an axis and of segments: each rank folds its elements of each
/// result, and the ranks exchange and combine these folds.
#pragma once

#include <warpfold/core/needs_exceptions.hpp>  // first: it reports a lack of them

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/policy/local_memory.hpp>
#include <warpfold/work/axis_part.hpp>
#include <warpfold/work/combined_segments.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/segment_part.hpp>

namespace warpfold::detail {

// The results of which a rank has elements, by their numbers.
struct result_range {
  std::size_t first, last;
  std::size_t continued;  // the first ones of these also have elements on earlier ranks:
  std::size_t before;     // this many
};

// Tells the other ranks the number of results and a hash of their shape.
template <class Frame>
void set_shape(Frame& frame, std::size_t results, std::uint64_t hash) {
  const std::uint64_t shape[2] = {results, hash};
  std::memcpy(frame.state, shape, sizeof shape);
}
// @param text `text(rank)` is the error of a rank of another shape
// @throws rank_error if the shape of a rank differs from that of rank 0
template <class Frames>
void require_one_shape(const Frames& frames, const auto& text) {
  for (std::size_t r = 1; r < frames.size(); ++r) {
    if (std::memcmp(frames[r].state, frames[0].state, 2 * sizeof(std::uint64_t)) == 0) continue;
    throw_error<rank_error>(static_cast<int>(r), text(r));
  }
}
inline std::uint64_t hash_with(std::uint64_t hash, std::uint64_t x) {
  hash = (hash ^ x) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

// True if the op can fold parts of the elements of a result; otherwise reports an error.
template <class Op, class T, class A>
constexpr bool check_folds_parts() {
  constexpr bool moves = !lifts_indexed<Op, T> || moves_indices_of<Op, T, A>;
  static_assert(moves,
                "warpfold: across folds along an axis and of segments with ops that can move their "
                "indices; give the op `moved` (op/index_offset.hpp)");
  return moves;
}
// The accumulator for elements whose indices are `by` greater.
template <class T, class Op, class A>
A moved_part(const Op& op, const A& a, [[maybe_unused]] std::size_t by) {
  if constexpr (lifts_indexed<Op, T>) {
    return moved_indices(op, a, by);
  } else {
    return a;
  }
}

// Memory for this rank's folds, for those of all results, and for a piece of those of each rank.
template <class S>
struct exchanged_folds {
  host::partial_results<S> own, all, gathered;

  exchanged_folds(std::size_t longest, std::size_t results, std::size_t piece, std::size_t ranks)
      : own(longest, 1), all(results, 1), gathered(piece * ranks, 1) {}
};

// Makes this rank's folds with `fold_here(range, to)`, combines those of all ranks with
// `combine(fold, next, elements before)`, and calls `write(folds)` if no rank has thrown. The first
// and the last one use memory of the local policy; the ranks exchange and combine on the host.
template <class S, class Policy, class Meet, class FoldHere, class Combine, class Write>
void exchange_folds(const Policy& policy, const Meet& meet, std::size_t results,
                    const std::vector<result_range>& ranks, const FoldHere& fold_here,
                    const Combine& combine, const Write& write) {
  using local_type = std::remove_cvref_t<decltype(policy.local())>;
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  constexpr std::size_t most = piece_bytes > sizeof(S) ? piece_bytes / sizeof(S) : 1;
  std::size_t longest = 0;
  for (const auto& r : ranks) longest = r.last - r.first > longest ? r.last - r.first : longest;
  const std::size_t piece = longest < most ? longest : most;
  const result_range& mine = ranks[static_cast<std::size_t>(policy.ranks().rank())];
  const std::size_t size = mine.last - mine.first;
  std::optional<exchanged_folds<S>> folds;
  (void)meet([&](auto&) {
    folds.emplace(longest, results, piece, ranks.size());
    S* const own = folds->own.at(0, 0);
    if (size != 0) {
      const local_copy<S, local_type> there(policy.local(), own, size);
      fold_here(mine, there.data());
      there.to_host();
    }
    std::memset(static_cast<void*>(own + size), 0, (longest - size) * sizeof(S));
  });

  // The last results come first. A result that continues on the next rank is the last one of this
  // rank, so its folds arrive in rank order.
  std::exception_ptr error;
  for (std::size_t sent = 0; sent < longest; sent += piece) {
    const std::size_t count = longest - sent < piece ? longest - sent : piece;
    const std::size_t from = size > sent + count ? size - sent - count : 0;
    policy.ranks().all_gather(folds->own.at(from, 0), count * sizeof(S), folds->gathered.at(0, 0));
    for (std::size_t r = 0; r < ranks.size() && error == nullptr; ++r) {
      const std::size_t end = ranks[r].last - ranks[r].first;
      if (end <= sent) continue;
      const std::size_t begin = end > sent + count ? end - sent - count : 0;
      try {
        for (std::size_t i = begin; i < end - sent; ++i) {
          const S& next = *folds->gathered.at(r * count + i - begin, 0);
          S* const to = folds->all.at(ranks[r].first + i, 0);
          // A copy: a result made in place would overwrite an operand of the op.
          const S fold = i < ranks[r].continued ? combine(*to, next, ranks[r].before) : next;
          ::new (static_cast<void*>(to)) S(fold);
        }
      } catch (...) {
        error = std::current_exception();
      }
    }
  }
  (void)meet([&](auto&) {
    if (error != nullptr) std::rethrow_exception(error);
  });
  const local_copy<S, local_type> there(policy.local(), folds->all.at(0, 0), results);
  there.from_host();
  write(there.data());
}

// Folds along an axis of which each rank has a part.
template <class Policy, axis_part_work Work>
void fold_across(const Policy& policy, const Work& work) {
  using A = typename Work::accumulator;
  using T = typename Work::caller_value;
  using op_type = typename Work::caller_op;
  if constexpr (check_folds_parts<op_type, T, A>()) {
    const auto meet = [&](const auto& fill) {
      return policy.template meet<kinds::axis_reduction, T, op_type, A>(fill);
    };
    const std::size_t results = work.size();
    const auto frames = meet([&](auto& frame) {
      check_local_memory(policy.local(), work);
      frame.count = work.layout.length;
      std::uint64_t hash = 0;
      for (int d = 0; d < work.kept.rank; ++d) hash = hash_with(hash, work.kept.extent[d]);
      set_shape(frame, results, hash);
    });
    require_one_shape(frames, [&](std::size_t rank) {
      return message("warpfold: rank ", rank, " of ", frames.size(),
                     " keeps other extents than rank 0; pass parts of one array, which differ "
                     "along the folded axis only");
    });
    std::size_t elements = 0;
    std::vector<result_range> ranks;
    for (const auto& frame : frames) {
      const std::size_t last = frame.count != 0 ? results : 0;
      ranks.push_back({0, last, elements != 0 ? last : 0, elements});
      elements += frame.count;
    }
    if (results == 0 || (elements == 0 && work.accumulates)) return;
    if (elements == 0) {
      policy.local().run(static_cast<const typename Work::work_type&>(work));
      return;
    }
    const fold<op_type, A> f{work.own_op};
    exchange_folds<A>(
        policy, meet, results, ranks,
        [&](const result_range&, A* to) { policy.local().run(work.partial_to(to)); },
        [&](const A& a, const A& next, std::size_t before) {
          return f.apply(a, moved_part<T>(f.op, next, before));
        },
        [&](const A* all) { policy.local().run(work.rows(all, 1, {})); });
  }
}

// The segments that have elements among the elements `begin` to `end - 1` of the whole. The bounds
// do not decrease.
template <class Segments>
result_range segments_of_rank(const Segments& segments, std::size_t begin, std::size_t end) {
  // The first segment with `is(s)`, which then holds for all later ones.
  const auto first_with = [&](const auto& is) {
    std::size_t low = 0, high = segments.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      is(middle) ? high = middle : low = middle + 1;
    }
    return low;
  };
  const auto bound = [](const auto& at) { return static_cast<std::size_t>(at); };
  const std::size_t first =
      first_with([&](std::size_t s) { return bound(segments.end(s)) > begin; });
  const std::size_t last =
      first_with([&](std::size_t s) { return bound(segments.begin(s)) >= end; });
  if (begin == end || first >= last) return {0, 0, 0, 0};
  const std::size_t from = bound(segments.begin(first));
  return {first, last, std::size_t{from < begin}, from < begin ? begin - from : 0};
}

// Folds segments of the elements of all ranks.
template <class Policy, segmented_reduction_work Work>
void fold_across(const Policy& policy, const Work& work) {
  using A = typename Work::accumulator;
  using state = typename Work::state;
  using T = typename Work::value_type;
  using op_type = typename Work::op_type;
  using init_type = typename Work::init_type;
  constexpr bool by_offsets = requires { work.segments.offsets(); };
  static_assert(by_offsets,
                "warpfold: across folds segments that are given by offsets; pass the offsets of "
                "the whole, one more than there are segments");
  if constexpr (by_offsets && check_folds_parts<op_type, T, A>()) {
    const auto meet = [&](const auto& fill) {
      return policy.template meet<tuple<kinds::segmented_reduction, init_type>, T, op_type, A>(
          fill);
    };
    using local_type = std::remove_cvref_t<decltype(policy.local())>;
    std::optional<local_segments<typename Work::segments_type, local_type>> bounds;
    const std::size_t results = work.size();
    const auto frames = meet([&](auto& frame) {
      check_local_memory(policy.local(), work);
      bounds.emplace(policy.local(), work.segments);
      const auto& segments = bounds->get();
      if constexpr (Work::has_init && !(folds_on_gpu<local_type> && is_stored<init_type>)) {
        frame.init = Policy::hash_of_init(work.template init_as<A>());
      }
      frame.count = work.view.size();
      std::uint64_t hash = 0;
      for (std::size_t s = 0; s < results; ++s) {
        hash = hash_with(hash, static_cast<std::uint64_t>(segments.end(s)));
      }
      if (results != 0) hash = hash_with(hash, static_cast<std::uint64_t>(segments.begin(0)));
      set_shape(frame, results, hash);
    });
    require_one_shape(frames, [&](std::size_t rank) {
      return message("warpfold: rank ", rank, " of ", frames.size(),
                     " passes other offsets than rank 0; pass the offsets of the whole, the same "
                     "on every rank");
    });
    const auto& segments = bounds->get();
    std::size_t elements = 0;
    for (const auto& frame : frames) elements += frame.count;
    require_valid_segments<Work::takes_empty_segments>(segments, elements);
    if (results == 0) return;

    std::vector<result_range> ranks;
    std::size_t end = 0, begin = 0;  // of the last rank so far; of this rank
    for (const auto& frame : frames) {
      if (static_cast<int>(ranks.size()) == policy.ranks().rank()) begin = end;
      ranks.push_back(segments_of_rank(segments, end, end + frame.count));
      end += frame.count;
    }
    const auto f = work.fold();
    exchange_folds<state>(
        policy, meet, results, ranks,
        [&](const result_range& own, state* to) {
          const auto clipped = clipped_segments(work.segments, own.first, own.last,
                                                {begin, begin + work.view.size()});
          policy.local().run(
              segment_part<Work, std::remove_const_t<decltype(clipped)>>(work, clipped, to));
        },
        [&](const state& s, const state& next, std::size_t before) {
          return f.combine(s, f.state_of(moved_part<T>(f.op, f.value(next), before)));
        },
        [&](const state* all) {
          if constexpr (folds_on_gpu<local_type>) {
            policy.local().run(combined_segments(work, all, 1, {}));
          } else {
            for (std::size_t s = 0; s < results; ++s) {
              if (segments.begin(s) == segments.end(s)) {
                work.write_empty(s, host_stores{});
              } else {
                work.write(s, work.result(all[s]), host_stores{});
              }
            }
          }
        });
  }
}

}  // namespace warpfold::detail
