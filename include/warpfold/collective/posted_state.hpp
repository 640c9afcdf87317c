/// @file
/// A block's state as posts, in global memory, for the block that folds them all.
///
/// A post is 16 bytes that are written and read at once: 12 bytes of the state and a mark that they
/// have been written. Only the marks order the words of a state, so no fence is needed (H100: 1 to
/// 1.5 us less than a ticket). An empty state is a bit beside the mark, not a word.
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

  /// Returns the state stored at `from`, after it has been written. `any` is some state, for types
  /// without a default constructor.
  WARPFOLD_DEVICE static State await(const post* from, const State& any) {
    State s = any;
    (void)await_bytes(from, &s);
    return s;
  }

  /// The same for types whose bytes are their value.
  WARPFOLD_DEVICE static State await(const post* from) {
    chunk<State, 1> s;
    (void)await_bytes(from, &s.elements[0]);
    return s.elements[0];
  }

  /// Reads the state at `from` once. Returns false, and leaves `s` unchanged, if it was not written
  /// yet. Several calls have their reads under way at the same time.
  WARPFOLD_DEVICE static bool load(const post* from, State& s) {
    post p[std::size_t{posts}];
    if (!try_posts(from, p, mark)) return false;
    copy_bytes(p, &s);
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

  WARPFOLD_HD static constexpr std::size_t bytes_of(int i) {
    const std::size_t left = sizeof(State) - static_cast<std::size_t>(i) * bytes_a_post;
    return left < bytes_a_post ? left : bytes_a_post;
  }
  WARPFOLD_DEVICE static void store_bytes(post* to, const void* from, unsigned long long marks) {
    WARPFOLD_UNROLL
    for (int i = 0; i < posts; ++i) {
      post p{0, marks};
      __builtin_memcpy(&p, static_cast<const char*>(from) + i * bytes_a_post, bytes_of(i));
      store_post(to + i, p);
    }
  }
  WARPFOLD_DEVICE static unsigned long long await_bytes(const post* from, void* to) {
    post p[std::size_t{posts}];
    await_posts(from, p, mark);
    copy_bytes(p, to);
    return p[0].high;
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
  WARPFOLD_DEVICE static bool load(const post* from, warpfold::detail::maybe<A>& s) {
    post p[std::size_t{posts}];
    if (!try_posts(from, p, value_posts::mark)) return false;
    value_posts::copy_bytes(p, &s.nothing);
    s.mark[0] = (p[0].high & value_posts::seen) != 0;
    return true;
  }
  WARPFOLD_DEVICE static void clear(post* at) { value_posts::clear(at); }
};

}  // namespace warpfold::collective
