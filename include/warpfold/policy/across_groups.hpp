/// @file
/// How `wf::across` folds along an axis and of segments: each rank folds its elements to
/// accumulators, and the ranks exchange and combine these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/host/partial_results.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/work/axis_part.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/segment_part.hpp>

namespace warpfold::detail {

// The results of which a rank has elements, by their numbers in the whole.
struct result_range {
  std::size_t first, last;
  std::size_t continued;  // the first ones of these have elements on earlier ranks, too,
  std::size_t before;     // and this many there

  std::size_t size() const { return last - first; }
};

// The accumulators of all results, from those of each rank's elements.
template <class Op, class Value, class A>
class combined_parts {
 public:
  // Each rank sends its accumulators in pieces of this many bytes, or of one accumulator.
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;

  combined_parts(const Op& op, std::size_t results, const std::vector<result_range>& ranks)
      : fold_{op},
        ranks_(ranks),
        longest_(longest(ranks)),
        totals_(results, 1),
        heads_(ranks.size(), 1),
        own_(longest_, 1),
        gathered_(piece(), ranks.size()) {}

  // Where this rank writes its accumulators.
  A* own() const { return own_.at(0, 0); }

  // Exchanges the accumulators and combines them. Exceptions of the op wait for `finish`.
  template <class Communicator>
  void exchange(const Communicator& communicator) {
    const std::size_t mine = ranks_[static_cast<std::size_t>(communicator.rank())].size();
    std::memset(static_cast<void*>(own_.at(0, 0) + mine), 0, (longest_ - mine) * sizeof(A));
    for (std::size_t from = 0; from < longest_; from += piece()) {
      const std::size_t count = longest_ - from < piece() ? longest_ - from : piece();
      communicator.all_gather(own_.at(from, 0), count * sizeof(A), gathered_.at(0, 0));
      try {
        if (error_ == nullptr) add(from, count);
      } catch (...) {
        error_ = std::current_exception();
      }
    }
  }

  // Throws what the op has thrown, or completes the accumulators.
  void finish() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (are_aligned()) return;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (ranks_[r].size() != 0 && ranks_[r].continued != 0) combine(r, 0, *heads_.at(r, 0));
    }
  }

  const A& total(std::size_t result) const { return *totals_.at(result, 0); }

 private:
  static constexpr bool moves = lifts_indexed<Op, Value>;

  static std::size_t longest(const std::vector<result_range>& ranks) {
    std::size_t most = 0;
    for (const result_range& r : ranks) most = r.size() > most ? r.size() : most;
    return most;
  }
  std::size_t piece() const {
    const std::size_t most = piece_bytes > sizeof(A) ? piece_bytes / sizeof(A) : 1;
    return longest_ < most ? longest_ : most;
  }
  // True if all ranks have elements of the same results, whose accumulators then arrive in rank
  // order. Otherwise a result that a rank continues is its first one, and waits for the others.
  bool are_aligned() const {
    for (const result_range& r : ranks_) {
      if (r.continued > 1) return true;
    }
    return false;
  }

  void add(std::size_t from, std::size_t count) {
    const bool aligned = are_aligned();
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const A* const part = gathered_.at(0, 0) + r * count;
      for (std::size_t i = from; i < from + count && i < ranks_[r].size(); ++i) {
        const A& a = part[i - from];
        if (i >= ranks_[r].continued) {
          ::new (static_cast<void*>(totals_.at(ranks_[r].first + i, 0))) A(a);
        } else if (aligned) {
          combine(r, i, a);
        } else {
          ::new (static_cast<void*>(heads_.at(r, 0))) A(a);
        }
      }
    }
  }
  void combine(std::size_t r, std::size_t i, const A& a) const {
    A& total = *totals_.at(ranks_[r].first + i, 0);
    ::new (static_cast<void*>(&total)) A(fold_.apply(total, moved(a, ranks_[r].before)));
  }
  A moved(const A& a, [[maybe_unused]] std::size_t by) const {
    if constexpr (moves) {
      return moved_indices(fold_.op, a, by);
    } else {
      return a;
    }
  }

  warpfold::fold<Op, A> fold_;
  std::vector<result_range> ranks_;
  std::size_t longest_;
  host::partial_results<A> totals_, heads_, own_, gathered_;
  std::exception_ptr error_;
};

// True if an op can fold parts of the elements of a result; otherwise reports an error.
template <class Op, class Value, class A>
constexpr bool check_folds_parts() {
  constexpr bool can = !lifts_indexed<Op, Value> ||
                       requires(const Op& op, const A& a, std::size_t by) { op.moved(a, by); } ||
                       requires { requires Op::template moves_parts<Value, A>; };
  static_assert(can,
                "warpfold: across folds along an axis and of segments with ops that can move their "
                "indices; give the op `moved` (op/index_offset.hpp)");
  return can;
}
template <class Policy>
constexpr bool check_folds_on_host() {
  constexpr bool on_host = !requires(const Policy& p) { p.local().stream(); };
  static_assert(on_host,
                "warpfold: across folds along an axis and of segments on the host; pass wf::seq, "
                "wf::par or wf::emulated as the local policy");
  return on_host;
}

// What a rank tells the others about the results, in its frame.
struct results_note {
  std::uint64_t numbers[1 + max_axes] = {};

  bool operator==(const results_note&) const = default;
};
template <class Frame>
void set_note(Frame& frame, const results_note& note) {
  static_assert(sizeof note <= sizeof frame.state);
  std::memcpy(frame.state, &note, sizeof note);
}
// The first rank whose note differs from that of rank 0, or 0.
template <class Frames>
std::size_t rank_of_other_note(const Frames& frames) {
  std::size_t r = 1;
  while (r < frames.size() &&
         std::memcmp(frames[r].state, frames[0].state, sizeof(results_note)) == 0) {
    ++r;
  }
  return r < frames.size() ? r : 0;
}
template <class Frame>
message extents_in(const Frame& frame) {
  results_note note;
  std::memcpy(&note, frame.state, sizeof note);
  message m;
  for (std::uint64_t d = 0; d < note.numbers[0]; ++d) {
    m << (d == 0 ? "" : " x ") << note.numbers[1 + d];
  }
  return m;
}

// Folds this rank's elements with `fold_here(range, to)`, combines the accumulators of all ranks,
// and calls `write(parts)` after all ranks have done so.
template <class Value, class A, class Policy, class Meet, class Op, class FoldHere, class Write>
void combine_parts(const Policy& policy, const Meet& meet, const Op& op, std::size_t results,
                   const std::vector<result_range>& ranks, const FoldHere& fold_here,
                   const Write& write) {
  std::optional<combined_parts<Op, Value, A>> parts;
  const result_range& mine = ranks[static_cast<std::size_t>(policy.ranks().rank())];
  (void)meet([&](auto&) {
    parts.emplace(op, results, ranks);
    if (mine.size() != 0) fold_here(mine, parts->own());
  });
  parts->exchange(policy.ranks());
  (void)meet([&](auto&) { parts->finish(); });
  write(*parts);
}

// Folds along an axis of which each rank has a part.
template <class Policy, axis_part_work Work>
void fold_across(const Policy& policy, const Work& work) {
  using A = typename Work::accumulator;
  using value_type = typename Work::caller_value;
  using op_type = typename Work::caller_op;
  if constexpr (check_folds_on_host<Policy>() && check_folds_parts<op_type, value_type, A>()) {
    const auto meet = [&](const auto& fill) {
      return policy.template meet<kinds::axis_reduction, value_type, op_type, A>(fill);
    };
    const auto frames = meet([&](auto& frame) {
      runtime::check_host_memory(work);
      work.require_valid();
      frame.count = work.layout.length;
      results_note note{{static_cast<std::uint64_t>(work.kept.rank)}};
      for (int d = 0; d < work.kept.rank; ++d) note.numbers[1 + d] = work.kept.extent[d];
      set_note(frame, note);
    });
    const std::size_t results = work.size();
    if (const std::size_t other = rank_of_other_note(frames); other != 0) {
      throw rank_error(
          static_cast<int>(other),
          message("warpfold: rank ", other, " of ", frames.size(), " keeps the extents ",
                  extents_in(frames[other]).c_str(), ", but rank 0 ", extents_in(frames[0]).c_str(),
                  "; pass parts that differ along the folded axis only"));
    }
    std::size_t elements = 0;
    std::vector<result_range> ranks;
    for (const auto& frame : frames) {
      const std::size_t last = frame.count != 0 ? results : 0;
      ranks.push_back({0, last, elements != 0 ? last : 0, elements});
      elements += frame.count;
    }
    if (results == 0 || (elements == 0 && work.accumulates)) return;
    if (elements == 0) {
      static_cast<const typename Work::work_type&>(work).require_valid();
      if constexpr (Work::has_identity) {
        const A identity = work.fold_of_caller().start();
        for (std::size_t i = 0; i < results; ++i) work.write_number(i, identity);
      }
      return;
    }
    combine_parts<value_type, A>(
        policy, meet, work.op_of_caller, results, ranks,
        [&](const result_range&, A* to) { policy.local().run(work.partial_to(to)); },
        [&](const auto& parts) {
          for (std::size_t i = 0; i < results; ++i) work.write_number(i, parts.total(i));
        });
  }
}

// The segments of which the elements `begin` to `end - 1` of the whole are a part. The bounds do
// not decrease.
template <class Segments>
result_range segments_of_rank(const Segments& segments, std::size_t begin, std::size_t end) {
  // The first segment with `is(s)`, which then holds for all later ones.
  const auto first_with = [&](const auto& is) {
    std::size_t low = 0, high = segments.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  const auto begin_of = [&](std::size_t s) { return static_cast<std::size_t>(segments.begin(s)); };
  const std::size_t first =
      first_with([&](std::size_t s) { return static_cast<std::size_t>(segments.end(s)) > begin; });
  const std::size_t last = first_with([&](std::size_t s) { return begin_of(s) >= end; });
  if (begin == end || first >= last) return {0, 0, 0, 0};
  const std::size_t before = begin_of(first) < begin ? begin - begin_of(first) : 0;
  return {first, last, before != 0 ? std::size_t{1} : std::size_t{0}, before};
}

// The number of segments, and a hash of their bounds.
template <class Segments>
results_note note_of_segments(const Segments& segments) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t bound) {
    hash = (hash ^ bound) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  const std::size_t n = segments.size();
  if (n != 0) add(static_cast<std::uint64_t>(segments.begin(0)));
  for (std::size_t s = 0; s < n; ++s) add(static_cast<std::uint64_t>(segments.end(s)));
  return {{n, hash}};
}

template <class Segments>
inline constexpr bool are_by_offsets = false;
template <class Offsets>
inline constexpr bool are_by_offsets<segments_by_offsets<Offsets>> = true;

// Folds segments of the elements of all ranks.
template <class Policy, segmented_reduction_work Work>
void fold_across(const Policy& policy, const Work& work) {
  using A = typename Work::accumulator;
  using value_type = typename Work::value_type;
  using op_type = typename Work::op_type;
  using init_type = typename Work::init_type;
  using segments_type = typename Work::segments_type;
  static_assert(are_by_offsets<segments_type>,
                "warpfold: across folds segments that are given by offsets; pass the offsets of "
                "the whole, one more than there are segments");
  if constexpr (check_folds_on_host<Policy>() && check_folds_parts<op_type, value_type, A>()) {
    const auto meet = [&](const auto& fill) {
      return policy
          .template meet<tuple<kinds::segmented_reduction, init_type>, value_type, op_type, A>(
              fill);
    };
    const auto frames = meet([&](auto& frame) {
      runtime::check_host_segments(work);
      work.require_valid();
      if constexpr (Work::has_init) {
        frame.init = Policy::hash_of_init(work.template init_as<A>());
      }
      frame.count = work.view.size();
      set_note(frame, note_of_segments(work.segments));
    });
    if (const std::size_t other = rank_of_other_note(frames); other != 0) {
      throw rank_error(static_cast<int>(other),
                       message("warpfold: rank ", other, " of ", frames.size(),
                               " passes other offsets than rank 0; pass the offsets of the whole, "
                               "the same on every rank"));
    }
    const std::size_t results = work.size();
    std::size_t elements = 0;
    for (const auto& frame : frames) elements += frame.count;
    constexpr bool takes_empty = Work::takes_empty_segments;
    const std::size_t wrong =
        first_invalid_segment<takes_empty>(work.segments, elements, 0, results);
    if (wrong != results) refuse_segment(work.segments, elements, wrong);
    if (results == 0) return;

    std::vector<result_range> ranks;
    std::size_t end = 0, own_begin = 0;
    for (std::size_t r = 0; r < frames.size(); ++r) {
      if (static_cast<int>(r) == policy.ranks().rank()) own_begin = end;
      ranks.push_back(segments_of_rank(work.segments, end, end + frames[r].count));
      end += frames[r].count;
    }
    combine_parts<value_type, A>(
        policy, meet, work.op, results, ranks,
        [&](const result_range& own, A* to) {
          using clipped = clipped_segments<segments_type>;
          using part = segment_part<typename Work::view_type, clipped, op_type, init_type>;
          policy.local().run(part({work.view,
                                   clipped(work.segments, own.first, own.size(), own_begin,
                                           own_begin + work.view.size()),
                                   work.op,
                                   work.init,
                                   {contiguous_output<A>(to, own.size())}}));
        },
        [&](const auto& parts) {
          const host_stores stores;
          for (std::size_t s = 0; s < results; ++s) {
            if (work.segments.begin(s) == work.segments.end(s)) {
              work.write_empty(s, stores);
            } else {
              work.write(s, work.result(work.fold().state_of(parts.total(s))), stores);
            }
          }
        });
  }
}

}  // namespace warpfold::detail
