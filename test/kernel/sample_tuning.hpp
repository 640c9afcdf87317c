/// @file
/// A table of launches, the GPUs of some, and what is said of tables that no launch could use.
#pragma once

#include <string>

#include <doctest/doctest.h>

#include <warpfold/kernel/tuning.hpp>

namespace wf = warpfold;

namespace test {

inline constexpr std::size_t mb = std::size_t{1} << 20;

inline wf::device_info gpu_of(int capability, int multiprocessors, std::size_t l2_bytes) {
  wf::device_info info;
  info.compute_capability = capability;
  info.multiprocessors = multiprocessors;
  info.l2_bytes = l2_bytes;
  return info;
}

inline const wf::device_info h100 = gpu_of(90, 132, 50 * mb);
inline const wf::device_info some_gpus[] = {h100,
                                            gpu_of(90, 132, 60 * mb),  // H200
                                            gpu_of(75, 40, 4 * mb),    // T4
                                            gpu_of(70, 80, 0),
                                            gpu_of(100, 148, 126 * mb),
                                            gpu_of(86, 1, 1)};

/// A table of three rows, each field of which differs from what it is by default.
inline wf::tuning sample() {
  wf::tuning t;
  t.compute_capability = 90;
  t.multiprocessors = 132;
  t.l2_bytes = 50 * mb;
  t.rows[t.count++] = {0, 256, 1, wf::caching::keep};
  t.rows[t.count++] = {3 * mb, 32, 64, wf::caching::stream_three_quarters};
  t.rows[t.count++] = {~std::size_t{0}, 1024, 7, wf::caching::stream, wf::loading::ahead};
  return t;
}

template <class Call>
std::string tuning_refusal(const Call& call) {
  try {
    (void)call();
    return "";
  } catch (const wf::invalid_tuning& e) {
    return e.what();
  }
}

}  // namespace test

/// Checks that a call throws invalid_tuning, with one message that contains `part`.
#define CHECK_SAYS(part, ...)                                   \
  {                                                             \
    const std::string said = test::tuning_refusal(__VA_ARGS__); \
    INFO("it says: ", said);                                    \
    CHECK(said.rfind("warpfold: ", 0) == 0);                    \
    CHECK(said.find("warpfold: ", 1) == std::string::npos);     \
    CHECK(said.find(part) != std::string::npos);                \
  }
