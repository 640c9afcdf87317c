/// @file
/// An emulated thread without a block: it records what is asked of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <warpfold/emulation/thread.hpp>

namespace test {

/// The running thread of this host thread, as long as it lives.
class recorded_thread final : public warpfold::emulation::thread {
 public:
  using access = warpfold::emulation::access;
  using shared_place = warpfold::emulation::shared_place;
  using site = warpfold::site;

  /// A call of a member; the fields that the member does not have are zero.
  struct call {
    std::string member;
    site at;
    unsigned mask = 0;
    std::uint64_t value = 0;
    unsigned source = 0;  ///< of a shuffle
    unsigned form = 0;    ///< of a shuffle or a reduction
    const void* p = nullptr;
    std::size_t bytes = 0;
    std::size_t alignment = 0;
    access what = access::load;
    std::size_t i = 0;
    std::size_t count = 0;
    shared_place place{};
  };

  recorded_thread() : before_(std::exchange(warpfold::emulation::current_thread, this)) {}
  ~recorded_thread() { warpfold::emulation::current_thread = before_; }
  recorded_thread(const recorded_thread&) = delete;  // it is installed once
  recorded_thread& operator=(const recorded_thread&) = delete;

  std::vector<call> calls;
  std::function<void()> on_waiting;
  std::uint64_t answer = 0;  ///< what shuffles, votes and reductions return

  void sync_block(site at) override { calls.push_back({.member = "sync_block", .at = at}); }
  bool sync_block_and(bool value, site at) override {
    calls.push_back({.member = "sync_block_and", .at = at, .value = value});
    return answer != 0;
  }
  void sync_warp(unsigned mask, site at) override {
    calls.push_back({.member = "sync_warp", .at = at, .mask = mask});
  }
  std::uint64_t shuffle(unsigned mask, std::uint64_t value, unsigned source, unsigned form,
                        site at) override {
    calls.push_back({.member = "shuffle",
                     .at = at,
                     .mask = mask,
                     .value = value,
                     .source = source,
                     .form = form});
    return answer;
  }
  unsigned vote(unsigned mask, bool value, site at) override {
    calls.push_back({.member = "vote", .at = at, .mask = mask, .value = value});
    return static_cast<unsigned>(answer);
  }
  unsigned reduce(unsigned mask, unsigned value, char form, site at) override {
    calls.push_back({.member = "reduce",
                     .at = at,
                     .mask = mask,
                     .value = value,
                     .form = static_cast<unsigned char>(form)});
    return static_cast<unsigned>(answer);
  }
  void touch_global(const void* p, std::size_t bytes, access what, std::size_t alignment,
                    site at) override {
    calls.push_back({.member = "touch_global",
                     .at = at,
                     .p = p,
                     .bytes = bytes,
                     .alignment = alignment,
                     .what = what});
  }
  void leave_array(std::size_t i, std::size_t size, access what, site at) override {
    calls.push_back({.member = "leave_array", .at = at, .what = what, .i = i, .count = size});
  }
  void touch_copy(const void* from, std::size_t bytes, const shared_place& to, std::size_t i,
                  site at) override {
    calls.push_back(
        {.member = "touch_copy", .at = at, .p = from, .bytes = bytes, .i = i, .place = to});
  }
  void touch_shared(const shared_place& place, std::size_t i, std::size_t count, access what,
                    site at) override {
    calls.push_back(
        {.member = "touch_shared", .at = at, .what = what, .i = i, .count = count, .place = place});
  }
  void misalign_shared(std::size_t bytes, std::size_t i, site at) override {
    calls.push_back({.member = "misalign_shared", .at = at, .bytes = bytes, .i = i});
  }
  void keep_waiting() override {
    if (on_waiting) on_waiting();
  }
  void* dynamic_shared(std::size_t bytes, site at) override {
    calls.push_back({.member = "dynamic_shared", .at = at, .bytes = bytes});
    return memory_;
  }

 private:
  warpfold::emulation::thread* before_;
  alignas(128) unsigned char memory_[1024] = {};
};

}  // namespace test
