/// @file
/// The part of oneTBB that `wf::par` uses, implemented with std::thread for ThreadSanitizer.
/// Debian's oneTBB is compiled without the sanitizer, which therefore does not see its
/// synchronization and reports each task as a race. Threads take parts with relaxed atomics, which
/// establish no order. The sanitizer thus reports two parts that access the same memory even if one
/// runs after the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tbb {

struct simple_partitioner {};
struct auto_partitioner {};
struct split {};

struct task_group_context {
  enum kind { isolated };
  explicit task_group_context(kind) {}
};

namespace this_task_arena {
inline int max_concurrency() { return 4; }
}  // namespace this_task_arena

template <class I>
class blocked_range {
 public:
  blocked_range(I begin, I end, std::size_t grain) : begin_(begin), end_(end), grain_(grain) {}
  blocked_range(blocked_range& whole, split)
      : begin_(whole.begin_ + (whole.end_ - whole.begin_) / 2),
        end_(whole.end_),
        grain_(whole.grain_) {
    whole.end_ = begin_;
  }

  I begin() const { return begin_; }
  I end() const { return end_; }
  bool is_divisible() const { return grain_ < static_cast<std::size_t>(end_ - begin_); }

 private:
  I begin_;
  I end_;
  std::size_t grain_;
};

namespace detail {

// Calls work(i) for each i below n, from some threads; what it throws reaches the caller.
template <class Work>
void run(std::size_t n, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex guard;
  const auto take = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < n;) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(guard);
        thrown = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int k = 1; k < this_task_arena::max_concurrency(); ++k) threads.emplace_back(take);
  take();
  for (std::thread& one : threads) one.join();
  if (thrown) std::rethrow_exception(thrown);
}

template <class Range>
void divide(Range range, std::vector<Range>& parts) {
  if (!range.is_divisible()) {
    parts.push_back(range);
    return;
  }
  const Range second(range, split{});
  divide(range, parts);
  divide(second, parts);
}

template <class Range, class Value, class Combine>
Value combined(Range range, const std::vector<Value>& values, std::size_t& next,
               const Combine& combine) {
  if (!range.is_divisible()) return values[next++];
  const Range second(range, split{});
  const Value first = combined(range, values, next, combine);
  return combine(first, combined(second, values, next, combine));
}

}  // namespace detail

template <class Range, class Body, class Partitioner>
void parallel_for(const Range& range, const Body& body, Partitioner, task_group_context&) {
  std::vector<Range> parts;
  detail::divide(range, parts);
  detail::run(parts.size(), [&](std::size_t i) { body(parts[i]); });
}

template <class Range, class Value, class Body, class Combine>
Value parallel_deterministic_reduce(const Range& range, const Value& start, const Body& body,
                                    const Combine& combine, simple_partitioner,
                                    task_group_context&) {
  struct result {
    Value value;  // not an element of a vector<bool>
  };
  std::vector<Range> parts;
  detail::divide(range, parts);
  std::vector<result> results(parts.size(), result{start});
  detail::run(parts.size(), [&](std::size_t i) { results[i].value = body(parts[i], start); });
  std::size_t next = 0;
  return detail::combined(
             range, results, next,
             [&](const result& a, const result& b) { return result{combine(a.value, b.value)}; })
      .value;
}

}  // namespace tbb
