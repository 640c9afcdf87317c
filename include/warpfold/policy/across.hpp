/// @file
/// `wf::across(communicator)`: one reduction of ranges that lie on several ranks. The ranks are the
/// threads of a process (policy/thread_ranks.hpp), MPI processes (policy/mpi.hpp), or those of
/// another `communicator`.
#pragma once

#include <warpfold/core/needs_exceptions.hpp>  // first: it reports a lack of them

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <type_traits>
#include <vector>

#include <cxxabi.h>

#include <warpfold/collective/rank_state.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/policy/across_groups.hpp>
#include <warpfold/policy/communicator.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/counted_range.hpp>
#include <warpfold/policy/gathered_nodes.hpp>
#include <warpfold/policy/host_frame.hpp>
#include <warpfold/policy/local_memory.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/work/reduction.hpp>
#include <warpfold/work/state_reduction.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold {

namespace detail {

// Loads that the host makes through a local policy with a GPU.
template <class Local>
struct loads_of {
  const Local& local;

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD T load(const T* from) const {
    T x;
    local.load(from, &x);
    return x;
  }
};

// True for the states of exact(), which integer sums combine.
template <class State>
concept adds_as_integers = requires(State& s) {
  State::word_count;
  s.normalize();
  { s.words() } -> std::same_as<std::int64_t*>;
};

}  // namespace detail

/// Reduces the ranges of all ranks of a communicator. Each rank folds its own range with `Local`,
/// the ranks exchange the folds, and each combines them. Every rank calls, with its own range, and
/// gets the same result. `across` makes one.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Order: the declared one (op/fold_order.hpp) of the ranks' elements in rank order: the bits of
///   `wf::seq` on one rank, however the elements are divided, whatever local policy each rank has.
///   Ranges that read no memory have it too. Operands keep their sides. With a named kernel other
///   than `kernel::in_order`: `Local`'s on each rank, and then the states in rank order. Then the
///   bits depend on the ranks' sizes and on `Local`. If only some ranks name such a kernel, the
///   others combine their nodes of the whole from left to right first. With `exact()` the bits
///   never depend on the ranks.
/// - Indices: those of the whole, in rank order.
/// - Empty ranges: some may be empty; their states are skipped. If all are, the call does what
///   `reduce` does for an empty range.
/// - Init: combined once, after the states. It must be the same on every rank. That of `value_at`
///   is read once, before any rank writes its result.
/// - Faults: see `across`.
///
/// Takes `reduce`, `reduce_async` and all named functions that call them, `reduce_axis` and
/// `reduce_segments`. `transform` runs locally. Folds by key and by class do not compile.
template <communicator Communicator, class Local = seq_policy, class Check = detail::any_count>
class across_policy {
  static_assert(
      returns_states<Local>,
      "warpfold: across cannot fold with this policy; pass wf::device, wf::seq, wf::par or "
      "wf::emulated");

  template <class Work>
  static constexpr bool transforms = detail::is_of_kind<Work, kinds::transformation>;

 public:
  static constexpr std::size_t unknown = ~std::size_t{0};

  constexpr across_policy(const Communicator& ranks, const Local& local, const Check& check = {},
                          std::size_t first = unknown, std::size_t whole = unknown)
      : ranks_(ranks), local_(local), check_(check), first_(first), whole_(whole) {}

  static constexpr const char* name() { return "across"; }
  static constexpr bool combines_parts = true;

  constexpr const Communicator& ranks() const { return ranks_; }
  constexpr const Local& local() const { return local_; }

  /// Returns the same policy for a local range whose first element has this index in the whole.
  /// Without it, the index is the sum of the sizes of the ranks before. It changes indices, not the
  /// order. All ranks call it, or none.
  constexpr across_policy starting_at(std::size_t index) const {
    return {ranks_, local_, check_, index};
  }
  /// The same, and the call throws if all ranks together have not `whole` elements. Calls with
  /// wf::nccl need `whole` for the declared order.
  constexpr across_policy starting_at(std::size_t index, std::size_t whole) const {
    return {ranks_, local_, check_, index, whole};
  }

  /// Returns the same policy, which calls `check(n)` on every rank with the number of elements of
  /// all ranks, before it makes the result. For functions that need some elements.
  template <class OtherCheck>
  constexpr across_policy<Communicator, Local, OtherCheck> requiring(
      const OtherCheck& check) const {
    return {ranks_, local_, check, first_, whole_};
  }

  /// - A whole range: every rank gets the result. Of a view/counted.hpp, the number of elements is
  ///   the sum of the ranks' counts.
  /// - `transform`: each rank transforms its own range; nothing is exchanged.
  /// - `reduce_axis` (`axis_part`): the ranks' arrays are parts of one array. They follow one
  ///   another in rank order along the folded axis (of several, along the first one), and have
  ///   equal extents along the kept axes. An index along the axis is that of the whole. If the
  ///   ranks have parts of a kept axis instead, they have nothing to exchange: call with `local()`.
  /// - `reduce_segments`: every rank passes its own elements and the offsets of the whole. Offsets
  ///   count the elements of all ranks in rank order. A segment may lie on several ranks.
  ///
  /// Of the last two:
  /// - Result: every rank gets all results. `accumulate(out)` combines them once with what this
  ///   rank's output holds. Nothing is written unless all ranks have folded and combined.
  /// - Order: `Local`'s on each rank, and then the accumulators in rank order.
  /// - Cost: the local fold, three exchanges of 128 bytes, and one of the accumulators, in pieces
  ///   of up to 1 MB from each rank. A rank sends an accumulator for each result of which it has
  ///   elements, and allocates one or two for each result. With `wf::device` the accumulators, and
  ///   the offsets of segments, are copied to the host, which combines; a kernel writes the
  ///   results.
  /// @throws rank_error,communication_error see `across`. Also if the kept extents, the offsets or
  ///     the inits of the ranks differ
  template <class Work>
    requires(reduction_work<Work> || counted_work<Work> || transforms<Work> ||
             axis_part_work<Work> || segmented_reduction_work<Work>)
  returned_t<Work> run(const Work& work) const {
    if constexpr (reduction_work<Work> || counted_work<Work>) {
      return run_all(work, [] {});
    } else if constexpr (transforms<Work>) {
      local_.run(work);
    } else {
      detail::fold_across(*this, work);
    }
  }
  template <class Work, class... Out>
    requires((reduction_work<Work> || counted_work<Work> || transforms<Work> ||
              axis_part_work<Work> || segmented_reduction_work<Work>) &&
             takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (reduction_work<Work> || counted_work<Work>) {
      write(work, out...);
    } else if constexpr (transforms<Work>) {
      local_.enqueue(work);
    } else {
      run(work);
    }
  }

  /// Takes part in an exchange of frames, which `fill(frame)` fills. Returns those of all ranks.
  /// Throws on every rank if `fill` throws on one, or if the ranks' types differ.
  template <class... Types, class Fill>
  auto meet(const Fill& fill) const {
    const char* const text = detail::call_text<Types...>();
    detail::host_frame mine{};
    mine.call = detail::call_hash(text, 0, false);
    return join(text, mine, [&](detail::host_frame& frame) {
      if (first_ != unknown) {
        throw_error<invalid_argument>(
            "warpfold: starting_at applies to folds of a whole range only; pass across(ranks)");
      }
      fill(frame);
    });
  }
  template <class A>
  static std::uint64_t hash_of_init(const A& init) {
    return detail::init_hash(init);
  }

  /// Takes part in an exchange of what the ranks' calls have found, and throws on every rank if
  /// `fill` throws on one, or if the ranks make different calls. For policies that exchange in
  /// another way.
  /// @param text,mine the types of the call, and their hashes
  template <class Fill>
  void agree(const char* text, const detail::host_frame& mine, const Fill& fill) const {
    (void)join(text, mine, [&](detail::host_frame&) { fill(); });
  }

  /// Takes part in a call, and throws `e` here and a `rank_error` on the other ranks. For an error
  /// that is found before `run`.
  template <class Error>
  [[noreturn]] void refuse(const Error& e) const {
    (void)join("", no_frame(), [&](detail::host_frame&) { throw e; });
    throw e;
  }
  /// Calls `make(then)`, which calls `then(policy, work)`. If `make` throws before, all ranks
  /// throw.
  template <class Make, class Then>
  void make_on_all_ranks(const Make& make, const Then& then) const {
    bool is_made = false;
    try {
      make([&](const auto& own, const auto& work) {
        is_made = true;
        then(own, work);
      });
    } catch (const invalid_range& e) {
      if (is_made) throw;
      refuse(e);
    }
  }

  template <class Work, class Plan>
    requires(reduction_work<Work> || axis_part_work<Work> || segmented_reduction_work<Work>)
  void describe(const Work& work, Plan& plan) const {
    if constexpr (axis_part_work<Work>) {
      local_.describe(work.partial, plan);
    } else if constexpr (requires { local_.describe_nodes(work, plan); } && sends_nodes<Work>()) {
      local_.describe_nodes(work, plan);
    } else {
      local_.describe(work, plan);
    }
    plan.local = local_.name();
    plan.ranks = ranks_.size();
    if constexpr (reduction_work<Work>) {
      plan.bytes_sent = bytes_sent(work);
      plan.exchange = exchange<Work>();
    } else {
      plan.exchange = "all-gathers";
      plan.bytes_sent = 3 * sizeof(detail::host_frame) +
                        work.size() * sizeof(typename Work::accumulator);  // at most
    }
  }

 private:
  using frames = detail::gathered_frames;
  // True if the local policy folds nodes of the declared order. Not a test of `fold_nodes`: nvcc's
  // pass for the GPU finds none in a generic lambda, and the kernel would be missing.
  static constexpr bool folds_nodes = requires { requires Local::folds_nodes; };
  static constexpr std::size_t text_bytes = 1024;

  template <class Reduction>
  struct types {
    using base = typename decltype([] {
      if constexpr (has_finish<Reduction>) {
        return std::type_identity<typename Reduction::unfinished_type>{};
      } else {
        return std::type_identity<Reduction>{};
      }
    }())::type;
    using view = typename base::view_type;
    using op = typename base::op_type;
    using state = typename base::state;
    static constexpr bool is_reduced = detail::adds_as_integers<state>;
    static constexpr bool fits = sizeof(state) <= detail::host_frame::most_state_bytes;
    // True if the declared order decides the bits.
    static constexpr bool is_ordered = !is_reduced && detail::depends_on_order<base>;
    static constexpr bool has_nodes = is_ordered && folds_nodes;
    static constexpr bool needs_first = collective::needs_first_index<base>;
    static constexpr bool counts_first = is_ordered || needs_first;
    // True if one exchange has the sizes and the states, unless a rank sends nodes.
    static constexpr bool may_end_first = is_ordered && !needs_first;
    static constexpr bool sends_sizes_first = counts_first && (has_nodes || !may_end_first);
  };

  template <class Work>
  static constexpr bool sends_nodes() {
    if constexpr (reduction_work<Work>) {
      return types<Work>::has_nodes;
    } else {
      return false;
    }
  }

  // Writes the result to memory of the host or, with a GPU, of the device.
  template <class Reduction, class Out>
  void write(const Reduction& r, Out* out) const {
    if constexpr (detail::folds_on_gpu<Local>) {
      local_.store(static_cast<Out>(run_all(r, [&] { local_.check_output(out); })), out);
    } else {
      *out = static_cast<Out>(run_all(
          r, [&] { runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output"); }));
    }
  }

  // What a rank sends: in its frames, and after them. For nodes, the maximum for this rank's size;
  // it sends more if another rank has more of them.
  template <class Reduction>
  static std::size_t bytes_sent(const Reduction& r) {
    using t = types<Reduction>;
    const std::size_t frame_bytes = (t::sends_sizes_first ? 2 : 1) * sizeof(detail::host_frame);
    if constexpr (t::has_nodes) {
      const std::size_t nodes = 2 * static_cast<std::size_t>(std::bit_width(r.view.size())) + 1;
      const std::size_t bytes = nodes * sizeof(typename t::base::accumulator);
      return frame_bytes + (bytes <= detail::host_frame::most_state_bytes ? 0 : bytes);
    } else {
      return frame_bytes + (t::is_reduced || !t::fits ? sizeof(typename t::state) : 0);
    }
  }

  template <class Reduction>
  static constexpr const char* exchange() {
    using t = types<Reduction>;
    constexpr const char* all_gathers[] = {"an all-gather", "two all-gathers", "three all-gathers"};
    constexpr const char* with_all_reduce[] = {"an all-gather and an all-reduce",
                                               "two all-gathers and an all-reduce"};
    constexpr int sizes = t::sends_sizes_first;
    if constexpr (t::has_nodes && t::fits) {
      return "two or three all-gathers";
    } else {
      return t::is_reduced ? with_all_reduce[sizes] : all_gathers[sizes + !t::fits];
    }
  }

  static detail::host_frame no_frame() { return {}; }

  // Calls `fill`, which may throw, and exchanges the frames. Throws on every rank if `fill` threw
  // on one, or if the ranks make different calls.
  // @param text the types of this call
  template <class Fill>
  frames join(const char* text, detail::host_frame mine, const Fill& fill) const {
    std::exception_ptr own;
    message why(text);
    try {
      fill(mine);
    } catch (const std::exception& e) {
      own = std::current_exception();
      why = message(e.what());
    } catch (...) {
      own = std::current_exception();
      why = message("an exception that is no std::exception");
    }
    mine.failed = own != nullptr;
    // A rank that has failed throws its own error, also if the exchange fails.
    const auto gather = [&](const void* sent, std::size_t bytes, void* gathered) {
      try {
        ranks_.all_gather(sent, bytes, gathered);
      } catch (...) {
        if (own == nullptr) throw;
        std::rethrow_exception(own);
      }
    };
    frames all(static_cast<std::size_t>(ranks_.size()));
    gather(&mine, sizeof mine, all.data());
    int failed = -1, other = -1, other_init = -1;
    for (int r = ranks_.size() - 1; r >= 0; --r) {
      const detail::host_frame& f = all[static_cast<std::size_t>(r)];
      if (f.failed != 0) failed = r;
      if (f.call != all[0].call) other = r;
      if (f.init != all[0].init) other_init = r;
    }
    if (failed < 0 && other < 0 && other_init < 0) return all;

    // A frame's bytes at a time, so that nothing is allocated.
    char sent[text_bytes] = {}, of_zero[text_bytes] = {}, of_wrong[text_bytes] = {};
    copy_text(sent, text_bytes, why.c_str());
    const int wrong = failed >= 0 ? failed : other >= 0 ? other : other_init;
    constexpr std::size_t part = sizeof(detail::host_frame);
    for (std::size_t at = 0; at < text_bytes; at += part) {
      gather(sent + at, part, all.data());
      std::memcpy(of_zero + at, &all[0], part);
      std::memcpy(of_wrong + at, &all[static_cast<std::size_t>(wrong)], part);
    }
    if (own != nullptr) std::rethrow_exception(own);
    if (failed >= 0) {
      throw_error<rank_error>(failed, message("warpfold: rank ", failed, " of ", ranks_.size(),
                                              " threw: ", static_cast<const char*>(of_wrong)));
    }
    if (other >= 0) {
      throw_error<rank_error>(
          other, message("warpfold: rank ", other, " of ", ranks_.size(),
                         " makes another call than rank 0; make the same calls, with "
                         "the same op and types, on every rank. Rank ",
                         other, ": ", shortened(of_wrong), "; rank 0: ", shortened(of_zero)));
    }
    throw_error<rank_error>(other_init,
                            message("warpfold: rank ", other_init, " of ", ranks_.size(),
                                    " passes another init than rank 0; pass the same init on "
                                    "every rank"));
  }

  // Copies as much of a text as fits, without its final zero.
  static void copy_text(char* to, std::size_t size, const char* text) {
    std::memcpy(to, text, (std::min)(std::strlen(text), size - 1));
  }

  // The beginning of the types of a call, as C++ writes them.
  static message shortened(const char* text) {
    constexpr std::size_t most = 300;
    int status = 0;
    char* const readable = abi::__cxa_demangle(text, nullptr, nullptr, &status);
    char shown[most + 1] = {};
    copy_text(shown, most + 1, status == 0 ? readable : text);
    std::free(readable);
    return message(static_cast<const char*>(shown));
  }

  template <class Reduction, class BeforeFold>
  typename Reduction::result_type run_all(const Reduction& r, const BeforeFold& before) const {
    using t = types<Reduction>;
    using base = typename t::base;
    using state = typename t::state;
    const char* const text = detail::call_text<typename t::view, typename t::op, state,
                                               typename Reduction::result_type>();
    const bool is_placed = first_ != unknown;
    detail::host_frame mine{};
    mine.call = detail::call_hash(text, sizeof(state), is_placed);

    Reduction whole = r;
    base& own = whole;
    [[maybe_unused]] maybe_value<detail::init_value_t<decltype(r.init)>> init;
    const auto settle = [&](detail::host_frame& frame) {
      before();
      if constexpr (!detail::folds_on_gpu<Local>) runtime::check_host_memory(own);
      if constexpr (base::is_init_stored) {
        // A copy: another rank may write its result to the init before this rank uses it.
        if constexpr (detail::folds_on_gpu<Local>) {
          local_.check(r);
          local_.load(r.init.from, &init.get());
        } else {
          init.set(*r.init.from);
        }
        own.init.from = &init.get();
      }
      if constexpr (base::has_init) {
        frame.init = detail::init_hash(own.template init_as<typename base::accumulator>());
      }
      if constexpr (detail::has_size_in_memory<typename t::view>) {
        if constexpr (!detail::folds_on_gpu<Local>) {
          (void)detail::size_read_on_host(own.view);
          own.view.read_size_on_host();
        } else if constexpr (t::has_nodes) {
          local_.check(state_reduction<base>(own));
          own.view.read_size(detail::loads_of<Local>{local_});
        }
      }
      frame.count = own.view.size();
    };
    static_assert(!(detail::folds_on_gpu<Local> && t::needs_first && !t::has_nodes &&
                    detail::has_size_in_memory<typename t::view>),
                  "warpfold: the indices of counted ranges depend on their sizes, which only the "
                  "GPUs know; give the op `moved` (op/index_offset.hpp)");
    maybe_value<state> folded;
    std::vector<unsigned char> states;  // of all ranks, if a frame does not hold them
    const auto fold_and_fill = [&](detail::host_frame& frame, std::size_t first) {
      if constexpr (!t::is_reduced && !t::fits) {
        states.resize(static_cast<std::size_t>(ranks_.size()) * sizeof(state));
      }
      if constexpr (!t::has_nodes) folded.set(fold_here(own, first, frame));
      if constexpr (!t::is_reduced && t::fits) {
        std::memcpy(frame.state, &folded.get(), sizeof(state));
      }
    };
    // The sizes of all ranks, if they decide what is folded. A rank that folds no nodes needs none
    // to fold its elements.
    const frames sizes = t::counts_first ? join(text, mine,
                                                [&](detail::host_frame& frame) {
                                                  settle(frame);
                                                  if constexpr (t::has_nodes)
                                                    frame.has_nodes = true;
                                                  if constexpr (t::may_end_first && !t::has_nodes) {
                                                    fold_and_fill(frame, is_placed ? first_ : 0);
                                                  }
                                                  mine = frame;
                                                })
                                         : frames(0);
    detail::gathered_nodes<base> nodes(sizes, static_cast<std::size_t>(ranks_.rank()));
    const bool is_done =
        t::may_end_first &&
        std::none_of(sizes.begin(), sizes.end(), [](const auto& f) { return f.has_nodes != 0; });

    const frames all = is_done ? sizes : join(text, mine, [&](detail::host_frame& frame) {
      if constexpr (!t::counts_first) settle(frame);
      if constexpr (t::has_nodes) {
        if constexpr (!t::fits) {
          states.resize(static_cast<std::size_t>(ranks_.size()) * sizeof(state));
        }
        folded.set(fold_own_nodes(own, nodes));
        if (nodes.fit_frame()) return nodes.copy_to(frame);
        if constexpr (t::fits) std::memcpy(frame.state, &folded.get(), sizeof(state));
      } else if constexpr (!t::may_end_first) {
        fold_and_fill(frame, is_placed ? first_ : nodes.before());
      }
    });
    std::size_t count = 0;
    for (const auto& f : all) count += f.count;
    if (whole_ != unknown && count != whole_) {
      throw_error<invalid_argument>("warpfold: all ranks together have ", count,
                                    " elements, but starting_at was given ", whole_,
                                    "; pass the elements of all ranks");
    }
    if (count == 0) {
      check_(count);
      return whole.empty_result();
    }
    // The check may throw on some ranks only, so it follows the last exchange.
    if constexpr (t::has_nodes) {
      if (std::all_of(all.begin(), all.end(), [](const auto& f) { return f.has_nodes != 0; })) {
        if (!nodes.fit_frame()) ranks_.all_gather(nodes.own(), nodes.bytes(), nodes.gathered());
        check_(count);
        return whole.result(nodes.folded(own, all, is_placed));
      }
    }
    if constexpr (t::is_reduced) {
      state& sum = folded.get();
      sum.normalize();
      ranks_.all_reduce(sum.words(), state::word_count);
      check_(count);
      return whole.result(sum);
    } else if constexpr (t::fits) {
      check_(count);
      return whole.result(combined(own, all, all[0].state, sizeof(detail::host_frame)));
    } else {
      ranks_.all_gather(&folded.get(), sizeof(state), states.data());
      check_(count);
      return whole.result(combined(own, all, states.data(), sizeof(state)));
    }
  }

  // A value that need not have a default constructor.
  template <class T>
  class maybe_value {
   public:
    void set(const T& x) { std::memcpy(bytes_, &x, sizeof(T)); }
    T& get() { return *std::launder(reinterpret_cast<T*>(bytes_)); }

   private:
    alignas(T) unsigned char bytes_[sizeof(T)];
  };

  // The state of this rank's elements, folded with the index `first` for the first one.
  template <class Reduction>
  typename Reduction::state fold_here(const Reduction& own, std::size_t first,
                                      detail::host_frame& frame) const {
    using t = types<Reduction>;
    if constexpr (t::needs_first) {
      return state_of(collective::reduction_from(own, first), frame);
    } else {
      return collective::states_in_order<Reduction>::moved(own, state_of(own, frame), first);
    }
  }
  // Folds this rank's nodes into `nodes`, and returns the state of its elements. The indices begin
  // at 0, unless `starting_at` or the op fixes them.
  template <class Reduction, class Nodes>
  typename Reduction::state fold_own_nodes(const Reduction& own, Nodes& nodes) const {
    if constexpr (types<Reduction>::needs_first) {
      const std::size_t first = first_ != unknown ? first_ : nodes.before();
      return nodes.fold(collective::reduction_from(own, first), local_, 0);
    } else {
      return nodes.fold(own, local_, first_ != unknown ? first_ : 0);
    }
  }
  template <class Reduction>
  typename Reduction::state state_of(const Reduction& own, detail::host_frame& frame) const {
    if constexpr (detail::folds_on_gpu<Local>) {
      // The kernel may read the number of elements.
      const auto s = local_.run(collective::rank_state_reduction<Reduction>(own));
      frame.count = s.count();
      return s.of;
    } else {
      return local_.run(state_reduction<Reduction>(own));
    }
  }

  // The state of a rank's elements, or of the nodes that it sent.
  template <class Reduction>
  static typename Reduction::state state_in(const Reduction& own, const detail::host_frame& frame,
                                            const unsigned char* bytes) {
    using accumulator = typename Reduction::accumulator;
    if (frame.node_count == 0) return detail::from_bytes<typename Reduction::state>(bytes);
    const auto fold = own.fold();
    accumulator total = detail::from_bytes<accumulator>(frame.state);
    for (std::uint32_t k = 1; k < frame.node_count; ++k) {
      total = fold.apply(total, detail::from_bytes<accumulator>(frame.state + k * sizeof total));
    }
    return fold.state_of(total);
  }

  // The state of all ranks' elements.
  template <class Reduction>
  typename Reduction::state combined(const Reduction& own, const frames& all,
                                     const unsigned char* states, std::size_t stride) const {
    using state = typename Reduction::state;
    collective::states_in_order<Reduction> total(own, detail::from_bytes<state>(states));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].count == 0) continue;  // its bytes are no state
      const state s = state_in(own, all[i], states + i * stride);
      if (first_ == unknown) {
        total.add_at_zero(s, all[i].count);
      } else {
        total.add(s, all[i].count);
      }
    }
    return total.total();
  }

  Communicator ranks_;
  Local local_;
  [[no_unique_address]] Check check_;
  std::size_t first_, whole_;
};

/// Returns a policy that reduces the ranges of all ranks: `reduce(across(ranks), range, op)` on
/// each rank, with this rank's range, gives the result of all of them on each.
///
/// @param ranks this rank's communicator: `thread_ranks[i]`, `wf::mpi(comm)` or your own
/// @param local the policy that folds this rank's range: `wf::device`, `wf::seq`, `wf::par` or
///     `wf::emulated`. Ranks may have different ones
/// @return the policy; see `across_policy`
///
/// - Cost: the local fold and one exchange of 128 bytes for each rank. A state of more than 96
///   bytes is sent in a second exchange, and one of `exact()` is added up in it: 128 bytes, 200 for
///   `dot` and `norm_2`; 584 and 1112 for `double`. An op with `lift(x, i)` but without `moved`
///   needs the sizes first, in one more exchange. So does every op without `same_in_any_order`
///   (sums of floats, and ops of your own), unless all ranks name a kernel with another order. Each
///   rank then sends as many nodes of the tree as the rank that has most of them: at most
///   2 log2 n + 1 for n elements, in the second frame or, if they take more than 96 bytes, after
///   it.
/// - `wf::device`: a GPU for each rank, whose folds travel through pinned host memory. One launch
///   folds all nodes of a rank, in parts that the host combines (kernel/nodes.hpp). The call waits,
///   also `reduce_async`, and cannot be captured.
/// - A rank that throws (a null pointer, an op that throws) throws its own exception. All other
///   ranks throw `rank_error` with that rank and its message. An empty range without a result, or
///   too few elements for a mean, throw the same on all ranks.
/// - Ranks that call with another op, view, other types or another init throw `rank_error`. Ops and
///   views are compared by the names of their types (`typeid`), inits by their bytes if these tell.
///   Values inside ops and views, such as captures of lambdas, are not compared.
/// - An error before the policy gets the range, for example a negative count of elements, is thrown
///   on that rank only; the other ranks wait for it.
/// @throws rank_error as above; the communicator stays usable
/// @throws communication_error if a rank does not call within the engine's time limit
///
/// ```cpp
/// #include <warpfold/policy/across.hpp>
/// #include <warpfold/policy/thread_ranks.hpp>
///
/// std::vector<float> part{1, 2, 3};
/// wf::thread_ranks ranks(1);
/// float sum = wf::reduce(wf::across(ranks[0], wf::seq), part);  // 6
/// ```
template <communicator Communicator, class Local = seq_policy>
constexpr across_policy<Communicator, Local> across(const Communicator& ranks,
                                                    const Local& local = {}) {
  return {ranks, local};
}

// Misuse of the above is one error.
template <class Ranks, class Local = seq_policy>
  requires(!communicator<Ranks>)
constexpr Local across(const Ranks&, const Local& local = {}) {
  static_assert(detail::never<Ranks>,
                "warpfold: across takes the communicator of this rank; pass ranks[i] of a "
                "thread_ranks, wf::mpi(comm) or your own");
  return local;
}

}  // namespace warpfold
