/// @file
/// Launches lambdas in the emulation, for tests of what the threads of a block do together.
#pragma once

#include <string>
#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

namespace test {

/// A kernel body that calls a lambda, in blocks of up to 1024 threads.
template <class F>
struct lambda_body {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  F f;

  void operator()() const { f(); }
};

/// The memory and the launches of one test.
class emulated_launch {
 public:
  emulated_launch() : on_(warpfold::emulation::default_gpu, &counted_) {}

  /// Allows kernels to read and write `values`.
  template <class T>
  warpfold::collective::global_array<T> array(std::vector<T>& values) {
    return array(values.data(), values.size());
  }
  template <class T>
  warpfold::collective::global_array<T> array(T* data, std::size_t size) {
    on_.allow(data, size * sizeof(T), true);
    return {data, size};
  }
  /// Allows kernels to read `values`.
  template <class T>
  const T* read_only(const std::vector<T>& values) {
    on_.allow(values.data(), values.size() * sizeof(T), false);
    return values.data();
  }

  /// Runs `f` in every thread of a launch; returns the launch's counts.
  template <class F>
  const warpfold::emulation::launch_counts& run(const warpfold::launch_shape& shape, const F& f) {
    on_.launch("tested", lambda_body<F>{f}, shape);
    return counted_.launches.back();
  }

  /// The number of launches so far.
  std::size_t launches() const { return counted_.launches.size(); }

  /// The error that the emulation reports for `f`; empty if there is none.
  template <class F>
  std::string error_of(const warpfold::launch_shape& shape, const F& f) {
    try {
      run(shape, f);
    } catch (const warpfold::emulation_error& e) {
      return e.what();
    }
    return "";
  }

  warpfold::emulation::launcher& launcher() { return on_; }

 private:
  warpfold::emulation::report counted_;
  warpfold::emulation::launcher on_;
};

/// True if `text` contains `part`.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace test

/// Checks that the text of an error contains `part`; prints the text if not.
#define CHECK_ERROR(text, part)            \
  do {                                     \
    const std::string error_text = (text); \
    INFO(error_text);                      \
    CHECK(test::has(error_text, (part)));  \
  } while (false)
