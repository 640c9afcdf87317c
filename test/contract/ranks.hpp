/// @file
/// Threads as ranks: `on_ranks` runs a function as every rank, and `dealt` splits a range among
/// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <exception>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>

namespace test {

/// What `f` returned or threw on each rank.
template <class T>
struct of_ranks {
  std::deque<T> values;  // written by threads: a vector<bool> would share its words
  std::vector<std::exception_ptr> errors;

  /// True if no rank threw and all have this value.
  bool all_are(const T& expected) const {
    for (std::size_t r = 0; r < values.size(); ++r) {
      if (errors[r] != nullptr || !(values[r] == expected)) return false;
    }
    return true;
  }
  /// The text of the exception of type E that the rank threw, or what it did instead.
  template <class E>
  std::string thrown_by(std::size_t rank) const {
    if (errors[rank] == nullptr) return "nothing was thrown";
    try {
      std::rethrow_exception(errors[rank]);
    } catch (const E& e) {
      return e.what();
    } catch (const std::exception& e) {
      return std::string("another type was thrown: ") + e.what();
    }
  }
};

/// Calls `f(communicator)` as each rank of a group, on a thread of its own.
template <class F>
auto on_ranks(warpfold::thread_ranks& group, const F& f) {
  using T = decltype(f(group[0]));
  const auto size = static_cast<std::size_t>(group.size());
  of_ranks<T> all{std::deque<T>(size), std::vector<std::exception_ptr>(size)};
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      try {
        all.values[r] = f(group[static_cast<int>(r)]);
      } catch (...) {
        all.errors[r] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return all;
}
template <class F>
auto on_ranks(int size, const F& f) {
  warpfold::thread_ranks group(size, 20);
  return on_ranks(group, f);
}

/// Parts of a range of `n` elements: where each begins, and the end. Some are empty.
inline std::vector<std::size_t> dealt(std::size_t n, int ranks, std::mt19937& random) {
  std::vector<std::size_t> bounds{0};
  for (int r = 1; r < ranks; ++r) {
    bounds.push_back(random() % 4 == 0 ? bounds.back() : random() % (n + 1));
  }
  bounds.push_back(n);
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

/// The part of rank `rank`.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, const std::vector<std::size_t>& bounds,
                       int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {all.begin() + static_cast<std::ptrdiff_t>(bounds[r]),
          all.begin() + static_cast<std::ptrdiff_t>(bounds[r + 1])};
}

}  // namespace test
