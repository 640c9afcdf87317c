/// @file
/// A block's state as posts, in global memory, for the block that folds them all. A post is 16
/// bytes that are written and read at once: 12 bytes of the state and a mark that they have been
/// written, so no fence is needed (H100: 1 to 1.5 us less than a ticket). An empty state is a bit
/// beside the mark. Words that hold no state have a mark, too: readers must use all words
/// (load_post).
#pragma once

#include <warpfold/collective/memory_order.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// `State` as posts. Empty posts are zero.
template <class State>
struct posted_state {
  static constexpr int bytes_a_post = 12;
  static constexpr int posts = (sizeof(State) + bytes_a_post - 1) / bytes_a_post;

  WARPFOLD_DEVICE static void store(post* to, const State& s) { store_bytes(to, &s, mark); }

  /// What a thread has read of a state, perhaps before it was written.
  struct read_state {
    post of[std::size_t{posts}];
  };

  /// Returns the state at `from`, once written. `any`: for types without a default constructor.
  WARPFOLD_DEVICE static State await(const post* from, const State& any) {
    State s = any;
    (void)await_bytes(from, &s);
    return s;
  }
  /// The same without such a state, into uninitialized memory.
  WARPFOLD_DEVICE static State await(const post* from) {
    chunk<State, 1> s;
    (void)await_bytes(from, &s.elements[0]);
    return s.elements[0];
  }

  /// Reads the state at `from` once. Several calls have their reads under way at the same time.
  WARPFOLD_DEVICE static read_state read(const post* from) {
    read_state r;
    read_posts(from, r.of, marks_of);
    return r;
  }
  /// Sets `s` to what was read. Returns false, and leaves `s` unchanged, if it was not written yet.
  WARPFOLD_DEVICE static bool take(const read_state& r, State& s) {
    if (!is_written(r)) return false;
    copy_bytes(r.of, &s);
    return true;
  }

  WARPFOLD_DEVICE static void clear(post* at) {
    WARPFOLD_UNROLL
    for (int i = 0; i < posts; ++i) store_post(at + i, post{0, 0});
  }

 private:
  template <class>
  friend struct posted_state;

  static constexpr unsigned long long mark = 1ull << 63;  // in the last four bytes
  static constexpr unsigned long long seen = 1ull << 62;
  static constexpr unsigned long long middle_mark = 1ull << 31;  // of the third word

  WARPFOLD_HD static constexpr std::size_t bytes_of(int i) {
    const std::size_t left = sizeof(State) - static_cast<std::size_t>(i) * bytes_a_post;
    return left < bytes_a_post ? left : bytes_a_post;
  }
  // Bit 63 is set if all words of post `i` that hold no state have their mark.
  WARPFOLD_DEVICE static unsigned long long marks_of(const post& p, int i) {
    unsigned long long marks = p.high;
    if (bytes_of(i) <= 8) marks &= p.high << 32;
    if (bytes_of(i) <= 4) marks &= p.low;
    return marks;
  }
  WARPFOLD_DEVICE static void store_bytes(post* to, const void* from, unsigned long long marks) {
    WARPFOLD_UNROLL
    for (int i = 0; i < posts; ++i) {
      const std::size_t bytes = bytes_of(i);
      post p{bytes <= 4 ? mark : 0, bytes <= 8 ? marks | middle_mark : marks};
      __builtin_memcpy(&p, static_cast<const char*>(from) + i * bytes_a_post, bytes);
      store_post(to + i, p);
    }
  }
  WARPFOLD_DEVICE static unsigned long long await_bytes(const post* from, void* to) {
    post p[std::size_t{posts}];
    await_posts(from, p, marks_of);
    copy_bytes(p, to);
    return p[0].high;
  }
  WARPFOLD_DEVICE static bool is_written(const read_state& r) {
    unsigned long long marks = mark;
    WARPFOLD_UNROLL
    for (int i = 0; i < posts; ++i) marks &= marks_of(r.of[i], i);
    return marks != 0;
  }
  WARPFOLD_DEVICE static void copy_bytes(const post* from, void* to) {
    WARPFOLD_UNROLL
    for (int i = 0; i < posts; ++i) {
      __builtin_memcpy(static_cast<char*>(to) + i * bytes_a_post, from + i, bytes_of(i));
    }
  }
};

/// An optional value: the value, and a bit.
template <class A>
struct posted_state<warpfold::detail::maybe<A>> {
  using value_posts = posted_state<A>;
  static constexpr int posts = value_posts::posts;

  WARPFOLD_DEVICE static void store(post* to, const warpfold::detail::maybe<A>& s) {
    value_posts::store_bytes(
        to, &s.value, s.engaged() ? value_posts::mark | value_posts::seen : value_posts::mark);
  }
  WARPFOLD_DEVICE static warpfold::detail::maybe<A> await(const post* from,
                                                          const warpfold::detail::maybe<A>&) {
    return await(from);
  }
  WARPFOLD_DEVICE static warpfold::detail::maybe<A> await(const post* from) {
    warpfold::detail::maybe<A> s;
    s.mark[0] = (value_posts::await_bytes(from, &s.nothing) & value_posts::seen) != 0;
    return s;
  }
  WARPFOLD_DEVICE static auto read(const post* from) { return value_posts::read(from); }
  WARPFOLD_DEVICE static bool take(const typename value_posts::read_state& r,
                                   warpfold::detail::maybe<A>& s) {
    if (!value_posts::is_written(r)) return false;
    warpfold::detail::maybe<A> taken;
    value_posts::copy_bytes(r.of, &taken.nothing);
    taken.mark[0] = (r.of[0].high & value_posts::seen) != 0;
    s = taken;
    return true;
  }
  WARPFOLD_DEVICE static void clear(post* at) { value_posts::clear(at); }
};

}  // namespace warpfold::collective
