/// @file
/// Launches that do nothing unless the launches before them have marked a group
/// (collective/marked_groups.hpp). The host does not need to know whether they are needed.
#pragma once

#include <cstddef>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/marked_groups.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>

namespace warpfold::kernel {

/// The body of a launch that does nothing if no group is marked.
template <class Body>
struct if_marked {
  static constexpr int max_block = Body::max_block;
  static constexpr int min_blocks_per_multiprocessor = [] {
    if constexpr (requires { Body::min_blocks_per_multiprocessor; }) {
      return int{Body::min_blocks_per_multiprocessor};
    } else {
      return 1;
    }
  }();
  static constexpr bool waits_for_launch_before =
      requires { requires Body::waits_for_launch_before; };
  static constexpr bool calls_user_functions = requires(const Body& own) { own.work(); };

  Body body;
  collective::grid_storage grid;

  template <class Own = Body>
    requires requires(const Own& own) { own.work(); }
  WARPFOLD_HD const auto& work() const {
    return body.work();
  }
  WARPFOLD_DEVICE void operator()() const {
    if constexpr (waits_for_launch_before) collective::wait_for_launch_before();
    if (collective::marked_groups<std::size_t>(grid).size() != 0) body();
  }
};

/// Launches the bodies of a kernel as `if_marked`.
template <class Launcher>
class launcher_if_marked {
 public:
  explicit launcher_if_marked(Launcher& launcher) : launcher_(launcher) {
    launcher_.start_next_kernel();
  }

  const device_info& gpu() const { return launcher_.gpu(); }
  collective::grid_storage grid() const { return launcher_.grid(); }
  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    return launcher_.template scratch<T>(count);
  }
  template <class Body>
  unsigned resident_blocks_per_multiprocessor() const {
    return launcher_.template resident_blocks_per_multiprocessor<if_marked<Body>>();
  }
  template <class Body>
  void launch(const char* kernel, const Body& body, const launch_shape& shape) {
    launcher_.launch(kernel, if_marked<Body>{body, launcher_.grid()}, shape);
  }

 private:
  Launcher& launcher_;
};

/// Empties the list of marked groups.
struct clear_marks {
  static constexpr const char* name() { return "clear_marks"; }

  struct body {
    static constexpr int max_block = 32;
    static constexpr bool calls_user_functions = false;
    static constexpr bool waits_for_launch_before = true;

    collective::grid_storage grid;

    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const collective::marked_groups<std::size_t> marked(grid);
      if (threadIdx.x == 0 && marked.size() != 0) marked.clear();
    }
  };

  void enqueue(auto& launcher) const {
    launcher.launch(name(), body{launcher.grid()}, {grid_of(1), body::max_block});
  }
};

}  // namespace warpfold::kernel
