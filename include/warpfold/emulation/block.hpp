/// @file
/// needs: boost_context
/// Runs one block at a time on one host thread: its threads are fibers that run until they must
/// wait.
///
/// Empty for nvcc, which does not need it: fibers add two seconds to the compile time of a
/// translation unit.
#pragma once

#if !defined(__CUDACC__)

#include <warpfold/core/needs_exceptions.hpp>  // first: it reports a lack of them

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#include <warpfold/core/launch_shape.hpp>
#include <warpfold/emulation/access_counter.hpp>
#include <warpfold/emulation/annotated_stack.hpp>
#include <warpfold/emulation/emulation_error.hpp>
#include <warpfold/emulation/names.hpp>
#include <warpfold/emulation/race_checker.hpp>

namespace warpfold::emulation {

/// Global memory that a launch may use.
struct memory_range {
  const std::byte* begin;
  const std::byte* end;
  bool writable;
};

/// The body of a kernel of any type. The emulation is compiled once for all bodies of a source
/// file, not once for each.
struct any_body {
  const void* body;
  void (*run)(const void* body);
  bool& (*is_running)();  ///< whether a body of this type runs on the calling host thread

  template <class Body>
  static any_body of(const Body& body) {
    return {&body, [](const void* b) { (*static_cast<const Body*>(b))(); },
            []() -> bool& {
              static thread_local bool running = false;
              return running;
            }};
  }
};

/// The state that all blocks of a launch share.
struct launch_state {
  launched launch;
  std::vector<memory_range> memory;
  bool checks_loads =
      true;  ///< false if the range hides its memory, so that any address may be valid
  bool checks_races = true;  ///< also of reads of uninitialized shared memory
  bool counts = false;
  std::atomic<bool> failed = false;  ///< the other blocks stop too
};

/// The stacks of fibers that have ended, for reuse.
class stack_pool {
 public:
  ~stack_pool() {
    for (boost::context::stack_context& s : idle_) allocator_.deallocate(s);
  }
  boost::context::stack_context allocate() {
    if (idle_.empty()) return allocator_.allocate();
    const boost::context::stack_context s = idle_.back();
    idle_.pop_back();
    return s;
  }
  void deallocate(boost::context::stack_context& s) noexcept { idle_.push_back(s); }

 private:
  // Twice the maximum local memory of a CUDA thread. Untouched pages cost nothing, and the guard
  // page below the end turns an overflow into a fault.
  static constexpr std::size_t bytes = 1024 * 1024;
  boost::context::protected_fixedsize_stack allocator_{bytes};
  std::vector<boost::context::stack_context> idle_;
};

/// Runs blocks of one launch, one after another.
class block final : public thread {
 public:
  explicit block(launch_state& launch)
      : launch_(launch),
        threads_(static_cast<unsigned>(launch.launch.shape.block.count())),
        lanes_(threads_),
        dynamic_((launch.launch.shape.shared_bytes + sizeof(line) - 1) / sizeof(line)) {
    counter_.start_launch();
  }
  block(const block&) = delete;  // its fibers point to it
  block& operator=(const block&) = delete;

  /// Runs block number `number`.
  /// @throws emulation_error if the kernel does what CUDA leaves undefined, or the body's exception
  void run(const any_body& body, std::size_t number) {
    const launch_shape& shape = launch_.launch.shape;
    number_ = static_cast<unsigned>(number);
    const index3 at{static_cast<unsigned>(number % shape.grid.x),
                    static_cast<unsigned>(number / shape.grid.x % shape.grid.y),
                    static_cast<unsigned>(number / shape.grid.x / shape.grid.y)};
    clocks_.start_block(threads_);
    checker_.start_block();
    if (launch_.counts) counter_.start_block(threads_);

    // The block's shared arrays belong to the host thread, for one block at a time.
    bool& inside = body.is_running();
    if (inside) {
      throw unsupported_kernel(
          "warpfold: kernel ", launch_.launch.kernel,
          " was launched by a thread of the same kernel on the same types; the "
          "emulation cannot nest those");
    }
    const mark_inside marked(inside);
    const installed outer(*this);
    blockIdx = at;
    blockDim = {shape.block.x, shape.block.y, shape.block.z};
    gridDim = {shape.grid.x, shape.grid.y, shape.grid.z};

    std::exception_ptr failure;
    try {
      start(body);
      schedule();
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) {
      unwind();
      std::rethrow_exception(failure);
    }
    if (launch_.counts) counter_.end_block();
  }

  /// Adds the counts of these blocks to `total`.
  void add_to(launch_counts& total) const {
    counter_.add_to(total);
    total.barriers += barriers_;
    total.warp_syncs += warp_syncs_;
    total.shuffles += shuffles_;
    total.votes += votes_;
    total.reductions += reductions_;
  }

  // --- the services to the running thread ---

  void sync_block(site at) override { wait(waits_for::block, 0, at); }
  bool sync_block_and(bool value, site at) override {
    lane& l = lanes_[current_];
    l.value = value;
    wait(waits_for::block, 0, at);
    return l.value != 0;
  }
  void sync_warp(unsigned mask, site at) override { wait_for_warp(waits_for::warp, mask, at); }
  std::uint64_t shuffle(unsigned mask, std::uint64_t value, unsigned source, unsigned form,
                        site at) override {
    lane& l = lanes_[current_];
    l.form = form;
    l.value = value;
    l.source = source;
    wait_for_warp(waits_for::shuffle, mask, at);
    return l.value;
  }
  unsigned vote(unsigned mask, bool value, site at) override {
    lane& l = lanes_[current_];
    l.value = value;
    wait_for_warp(waits_for::vote, mask, at);
    return static_cast<unsigned>(l.value);
  }
  unsigned reduce(unsigned mask, unsigned value, char form, site at) override {
    lane& l = lanes_[current_];
    l.value = value;
    l.form = static_cast<unsigned char>(form);
    wait_for_warp(waits_for::reduction, mask, at);
    return static_cast<unsigned>(l.value);
  }

  void keep_waiting() override {
    if (launch_.failed.load(std::memory_order_relaxed)) throw abandoned();
    std::this_thread::yield();
  }

  void touch_global(const void* p, std::size_t bytes, access what, std::size_t alignment,
                    site at) override {
    if (launch_.failed.load(std::memory_order_relaxed)) throw abandoned();
    if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0) {
      fail(at, message("accesses ", bytes, " bytes at ", p, ", which must be a multiple of ",
                       alignment));
    }
    if (check_global(static_cast<const std::byte*>(p), bytes, what, at) && launch_.checks_races) {
      checker_.touch_global(p, bytes, what, current_, at, clocks_,
                            [&](const char* text, const race_checker::mark* other) {
                              fail(at, blame(message(text, ": global memory at ", p), other));
                            });
    }
    if (!launch_.counts) return;
    counter_.note(current_,
                  what == access::store    ? traffic::global_store
                  : what == access::atomic ? traffic::global_atomic
                                           : traffic::global_load,
                  reinterpret_cast<std::uintptr_t>(p), bytes, alignment, at);
  }

  void leave_array(std::size_t i, std::size_t size, access what, site at) override {
    fail(at, message(what == access::store ? "writes" : "reads", " element ", i,
                     " of an array in global memory that has ", size));
  }

  void misalign_shared(std::size_t bytes, std::size_t i, site at) override {
    fail(at, message("accesses ", bytes, " bytes of shared memory at byte ", i,
                     ", which is misaligned"));
  }

  void touch_copy(const void* from, std::size_t bytes, const shared_place& to, std::size_t i,
                  site at) override {
    (void)check_global(static_cast<const std::byte*>(from), bytes, access::load_of_range, at);
    check_shared(to, i, bytes, access::store, at);
    if (launch_.counts) counter_.note_copy(reinterpret_cast<std::uintptr_t>(from), bytes, at);
  }

  void touch_shared(const shared_place& place, std::size_t i, std::size_t count, access what,
                    site at) override {
    check_shared(place, i, count, what, at);
    if (!launch_.counts) return;
    // Conflicts depend on distances only, so static arrays are assumed to start at a bank's first
    // word.
    counter_.note(current_, what == access::load ? traffic::shared_load : traffic::shared_store,
                  i * place.element_bytes, count * place.element_bytes,
                  count == 1 ? place.alignment : 16, at);
  }

  void* dynamic_shared(std::size_t bytes, site at) override {
    if (bytes > launch_.launch.shape.shared_bytes) {
      fail(at, message("takes ", bytes, " bytes of dynamic shared memory, and the launch has ",
                       launch_.launch.shape.shared_bytes));
    }
    return dynamic_.data();
  }

  /// Thrown in a block when another has failed.
  struct abandoned {};

 private:
  enum class waits_for { turn, block, warp, shuffle, vote, reduction, nothing };

  static bool is_of_warp(waits_for what) {
    return what == waits_for::warp || what == waits_for::shuffle || what == waits_for::vote ||
           what == waits_for::reduction;
  }

  struct lane {
    boost::context::fiber fiber;
    boost::context::fiber scheduler;
    annotated_stack stack;
    index3 index;
    waits_for state = waits_for::nothing;
    unsigned mask = 0;
    site at;
    std::uint64_t value = 0;
    unsigned source = 0;
    unsigned form = 0;  // of a shuffle: which one, and of how many bytes
  };
  struct alignas(128) line {
    std::byte bytes[128];
  };

  // Makes this block the one whose threads run here; emulated calls may nest.
  class installed {
   public:
    explicit installed(block& b)
        : thread_(std::exchange(current_thread, &b)),
          indices_{threadIdx, blockIdx, blockDim, gridDim} {}
    ~installed() {
      current_thread = thread_;
      threadIdx = indices_[0];
      blockIdx = indices_[1];
      blockDim = indices_[2];
      gridDim = indices_[3];
    }
    installed(const installed&) = delete;  // it restores once
    installed& operator=(const installed&) = delete;

   private:
    thread* thread_;
    index3 indices_[4];
  };

  class mark_inside {
   public:
    explicit mark_inside(bool& inside) : inside_(inside) { inside_ = true; }
    ~mark_inside() { inside_ = false; }
    mark_inside(const mark_inside&) = delete;  // it resets the mark once
    mark_inside& operator=(const mark_inside&) = delete;

   private:
    bool& inside_;
  };

  // Fibers copy their allocator.
  struct pooled_stacks {
    stack_pool* pool;
    annotated_stack* taken;
    boost::context::stack_context allocate() {
      const boost::context::stack_context s = pool->allocate();
      taken->set_bounds(static_cast<const std::byte*>(s.sp) - s.size, s.size);
      return s;
    }
    void deallocate(boost::context::stack_context& s) noexcept { pool->deallocate(s); }
  };
  static pooled_stacks stacks_for(lane& l) {
    static thread_local stack_pool pool;
    return {&pool, &l.stack};
  }

  // Thrown in the waiting threads of a block in which another thread has failed.
  struct unwound {};

  void start(const any_body& body) {
    const launch_extent& shape = launch_.launch.shape.block;
    running_ = threads_;
    unwinds_ = false;
    for (unsigned t = 0; t < threads_; ++t) {
      lane& l = lanes_[t];
      l.index = {t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y};
      l.state = waits_for::turn;
      l.fiber = boost::context::fiber(std::allocator_arg, stacks_for(l),
                                      [this, &l, &body](boost::context::fiber&& scheduler) {
                                        l.scheduler = std::move(scheduler);
                                        l.stack.enter_from(scheduler_stack_);
                                        try {
                                          if (!unwinds_) body.run(body.body);
                                        } catch (...) {
                                          if (!unwinds_) failure_ = std::current_exception();
                                        }
                                        l.state = waits_for::nothing;
                                        --running_;
                                        l.stack.end_for(scheduler_stack_);
                                        return std::move(l.scheduler);
                                      });
    }
  }

  // Runs a fiber until it waits or ends.
  void resume(lane& l) {
    scheduler_stack_.leave_for(l.stack);
    l.fiber = std::move(l.fiber).resume();
    scheduler_stack_.enter_from(l.stack);
    if (!l.fiber) scheduler_stack_.forget(l.stack);
  }

  // Ends every fiber. Their destructors would unwind on stacks unknown to AddressSanitizer.
  void unwind() {
    unwinds_ = true;
    for (lane& l : lanes_) {
      while (l.fiber) resume(l);
    }
  }

  static const char* file_name(const char* path) {
    const char* name = path;
    for (const char* p = path; *p != '\0'; ++p) {
      if (*p == '/') name = p + 1;
    }
    return name;
  }

  [[noreturn]] void fail(site at, const message& what) const { fail(current_, at, what); }
  [[noreturn]] void fail(unsigned who, site at, const message& what) const {
    throw emulation_error(
        message("warpfold: kernel ", launch_.launch.text(), ", block ", number_, ", thread ", who,
                " ", what, " (", file_name(at.file), ":", at.line, ")"),
        number_, who, at);
  }

  void check_shared(const shared_place& place, std::size_t i, std::size_t count, access what,
                    site at) {
    if (i >= place.size || count > place.size - i) {
      fail(at, message(what == access::load ? "reads" : "writes", " element ", i + count - 1,
                       " of a shared array that has ", place.size));
    }
    if (!launch_.checks_races) return;
    checker_.touch(place, i, count, what, current_, at, clocks_,
                   [&](const char* text, const race_checker::mark* other) {
                     fail(at, blame(message(text, ": element ", i, " of a shared array"), other));
                   });
  }

  static message blame(message m, const race_checker::mark* other) {
    if (other == nullptr) return m;
    return m << "; the other is thread " << other->when.thread << " at "
             << file_name(other->at.file) << ":" << other->at.line;
  }

  // True if this is memory that the launch may write, where threads may race.
  bool check_global(const std::byte* p, std::size_t bytes, access what, site at) const {
    // Ranges may overlap: two of the user's, or the output inside one.
    bool read_only = false;
    for (const memory_range& m : launch_.memory) {
      if (p < m.begin || p >= m.end || bytes > static_cast<std::size_t>(m.end - p)) continue;
      if (m.writable) return true;
      read_only = true;
    }
    const bool loads = what == access::load || what == access::load_of_range;
    if (read_only && loads) return false;
    if (read_only) {
      fail(at, message("writes ", bytes, " bytes of the range, at ", static_cast<const void*>(p),
                       ", which is only read"));
    }
    if (what == access::load_of_range && !launch_.checks_loads) return false;
    fail(at, message(loads ? "reads " : "writes ", bytes, " bytes at ", static_cast<const void*>(p),
                     ", outside every array of the launch"));
  }

  // Suspends the thread until the scheduler resumes it.
  void wait(waits_for what, unsigned mask, site at) {
    lane& l = lanes_[current_];
    l.state = what;
    l.mask = mask;
    l.at = at;
    l.stack.leave_for(scheduler_stack_);
    l.scheduler = std::move(l.scheduler).resume();
    l.stack.enter_from(scheduler_stack_);
    if (unwinds_) throw unwound();
  }
  void wait_for_warp(waits_for what, unsigned mask, site at) {
    if ((mask >> current_ % 32 & 1) == 0) {
      fail(at, message("is not in the mask, ", hexadecimal(mask), ", that it passes"));
    }
    wait(what, mask, at);
  }

  static const void* hexadecimal(unsigned mask) {
    return reinterpret_cast<const void*>(std::uintptr_t{mask});
  }

  unsigned lanes_of(unsigned warp) const {
    const unsigned left = threads_ - warp * 32;
    return left < 32 ? left : 32;
  }

  void schedule() {
    const unsigned warps = (threads_ + 31) / 32;
    while (running_ != 0) {
      for (unsigned w = 0; w < warps; ++w) {
        while (run_lanes(w)) {
          while (finish_warp_operation(w)) {
          }
        }
      }
      if (running_ == 0) break;
      check_standstill();
      release_block_barrier();
    }
  }

  // Runs every lane that can run; returns true if there was one.
  bool run_lanes(unsigned warp) {
    bool ran = false;
    for (unsigned t = warp * 32; t < warp * 32 + lanes_of(warp); ++t) {
      lane& l = lanes_[t];
      if (l.state != waits_for::turn) continue;
      ran = true;
      current_ = t;
      threadIdx = l.index;
      resume(l);
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }
    return ran;
  }

  // True if two lanes are at the same operation.
  static bool meets(const lane& a, const lane& b) {
    return a.state == b.state && a.mask == b.mask &&
           ((a.state != waits_for::shuffle && a.state != waits_for::reduction) || a.form == b.form);
  }

  // Resumes the lanes of a mask that have all reached the same operation; returns true if there
  // were some.
  bool finish_warp_operation(unsigned warp) {
    const unsigned first = warp * 32, count = lanes_of(warp);
    for (unsigned i = 0; i < count; ++i) {
      const lane& l = lanes_[first + i];
      if (!is_of_warp(l.state)) continue;
      unsigned here = 0;
      for (unsigned k = 0; k < count; ++k) {
        const lane& other = lanes_[first + k];
        here |= unsigned{meets(other, l)} << k;
      }
      // A warp that is not full may pass a full mask.
      const unsigned existing = count == 32 ? 0xffffffffu : (1u << count) - 1;
      if ((here & l.mask) != (l.mask & existing)) continue;
      finish(warp, l.state, l.mask & existing, l.at);
      return true;
    }
    return false;
  }

  void finish(unsigned warp, waits_for what, unsigned mask, site at) {
    const unsigned first = warp * 32;
    std::uint64_t values[32] = {};
    unsigned votes = 0, sum = 0, least = 0xffffffffu, greatest = 0;
    unsigned form = 0;
    for (unsigned k = 0; k < 32; ++k) {
      if ((mask >> k & 1) == 0) continue;
      values[k] = lanes_[first + k].value;
      votes |= unsigned{values[k] != 0} << k;
      const auto value = static_cast<unsigned>(values[k]);
      sum += value;
      least = (std::min)(least, value);
      greatest = (std::max)(greatest, value);
      form = lanes_[first + k].form;
    }
    for (unsigned k = 0; k < 32; ++k) {
      if ((mask >> k & 1) == 0) continue;
      lane& l = lanes_[first + k];
      l.state = waits_for::turn;
      if (what == waits_for::vote) l.value = votes;
      if (what == waits_for::reduction)
        l.value = form == '+' ? sum : form == '<' ? least : greatest;
      if (what != waits_for::shuffle) continue;
      if (l.source >= 32 || (mask >> l.source & 1) == 0) {
        fail(first + k, at,
             message("takes a value from lane ", l.source, ", which is not in the mask"));
      }
      l.value = values[l.source];
    }
    if (what == waits_for::warp) clocks_.pass_warp_barrier(warp, mask);
    if (launch_.counts &&
        mask == (lanes_of(warp) == 32 ? 0xffffffffu : (1u << lanes_of(warp)) - 1)) {
      counter_.meet(warp);
    }
    warp_syncs_ += what == waits_for::warp;
    shuffles_ += what == waits_for::shuffle;
    votes_ += what == waits_for::vote;
    reductions_ += what == waits_for::reduction;
  }

  // All threads wait at a block barrier: at the same one, or it is an error.
  void release_block_barrier() {
    const site at = lanes_[0].at;
    for (unsigned t = 0; t < threads_; ++t) {
      const lane& l = lanes_[t];
      if (!(l.at == at)) {
        fail(t, l.at,
             message("waits at a barrier that not all threads reach: thread 0 waits at ",
                     file_name(at.file), ":", at.line));
      }
    }
    bool all = true;  // of the values passed to a barrier with a vote
    for (const lane& l : lanes_) all = all && l.value != 0;
    for (lane& l : lanes_) {
      l.value = all;
      l.state = waits_for::turn;
    }
    clocks_.pass_block_barrier();
    barriers_ += (threads_ + 31) / 32;
    if (launch_.counts) counter_.end_block();
  }

  // No thread can run. That is correct if all wait at the block barrier.
  void check_standstill() const {
    for (unsigned t = 0; t < threads_; ++t) {
      const lane& l = lanes_[t];
      if (!is_of_warp(l.state)) continue;
      for (unsigned k = 0; k < lanes_of(t / 32); ++k) {
        const lane& other = lanes_[t / 32 * 32 + k];
        if ((l.mask >> k & 1) == 0 || meets(other, l)) continue;
        message m(l.state == waits_for::warp        ? "waits at __syncwarp"
                  : l.state == waits_for::shuffle   ? "waits at a shuffle"
                  : l.state == waits_for::reduction ? "waits at a reduction by its warp"
                                                    : "waits at a vote",
                  " with an inactive lane in its mask: lane ", k);
        if (other.state == waits_for::nothing) {
          m << " has returned";
        } else {
          m << " waits at " << file_name(other.at.file) << ":" << other.at.line;
        }
        fail(t, l.at, m);
      }
    }
    if (running_ == threads_) return;
    unsigned returned = 0;
    while (lanes_[returned].state != waits_for::nothing) ++returned;
    for (unsigned t = 0; t < threads_; ++t) {
      if (lanes_[t].state == waits_for::block) {
        fail(t, lanes_[t].at,
             message("waits at a barrier that not all threads reach: thread ", returned,
                     " has returned"));
      }
    }
  }

  launch_state& launch_;
  unsigned threads_;
  unsigned number_ = 0;
  unsigned current_ = 0;  // the running thread
  unsigned running_ = 0;  // threads that have not returned
  std::vector<lane> lanes_;
  std::vector<line> dynamic_;
  bool unwinds_ = false;
  annotated_stack scheduler_stack_;
  std::exception_ptr failure_;
  block_clocks clocks_;
  race_checker checker_;
  access_counter counter_;
  std::uint64_t barriers_ = 0, warp_syncs_ = 0, shuffles_ = 0, votes_ = 0, reductions_ = 0;
};

}  // namespace warpfold::emulation

#endif
