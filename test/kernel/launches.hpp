/// @file
/// A launcher that records what a kernel was about to launch. Nothing is launched, and no memory is
/// read: elements lie at addresses that do not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/reduction.hpp>

namespace wf = warpfold;

/// Shows what a failed comparison of counts compared.
template <>
struct doctest::StringMaker<std::vector<std::size_t>> {
  static String convert(const std::vector<std::size_t>& all) {
    std::string text;
    for (const std::size_t n : all) text += (text.empty() ? "" : ", ") + std::to_string(n);
    return String(text.c_str());
  }
};

namespace test {

/// Bytes of memory, from `first` to before `last`.
struct area {
  std::uintptr_t first = 0, last = 0;
  bool meets(const area& b) const { return first < b.last && b.first < last; }
  friend bool operator==(const area&, const area&) = default;
};

/// An array that a kernel copies: the address of its first tile, the bytes of a tile or of a chunk,
/// and the byte of the copy.
struct copied_array {
  std::uintptr_t from;
  unsigned bytes, at;
  friend bool operator==(const copied_array&, const copied_array&) = default;
};

/// One launch. What a body does not have stays as it is here.
struct recorded_launch {
  std::string kernel;
  wf::launch_shape shape;
  area from, to;                      // states that a pass of the ladder reads and leaves
  wf::partition parts{};              // of the range
  std::vector<copied_array> in, out;  // arrays that are staged or copied ahead
  unsigned chunks = 0;                // of a tile of bulk_copy
  std::size_t rounds = 0;             // of its tiles
  unsigned left = 0;                  // chunks of a block after the tiles
  bool loads_aligned = true;          // of elementwise
};

using counts = std::vector<std::size_t>;

/// The recording launcher; see kernel/concept.hpp.
struct launch_recorder {
  wf::device_info info;
  std::vector<recorded_launch> launches;
  counts scratches;   ///< counts of states
  unsigned held = 8;  ///< blocks that a multiprocessor holds at once

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    scratches.push_back(count);
    return {reinterpret_cast<T*>(std::uintptr_t{1} << 42), count};
  }
  template <class Body>
  unsigned resident_blocks_per_multiprocessor() const {
    return held;
  }
  template <class Body>
  void launch(const char* kernel, const Body& body, const wf::launch_shape& shape) {
    wf::check_shape(kernel, Body::max_block, shape);
    recorded_launch l;
    l.kernel = kernel;
    l.shape = shape;
    if constexpr (requires { body.from; }) l.from = area_of(body.from);
    if constexpr (requires { body.to; }) l.to = area_of(body.to);
    if constexpr (requires { body.parts.tail; }) l.parts = body.parts;
    if constexpr (requires { body.loads_aligned; }) l.loads_aligned = body.loads_aligned;
    if constexpr (requires { body.copied.arrays; }) add(l.in, body.copied.arrays);
    if constexpr (requires { body.in.arrays; }) {
      add(l.in, body.in.arrays);
      add(l.out, body.out.arrays);
    }
    if constexpr (requires { body.tiles.rounds; }) {
      l.rounds = body.tiles.rounds;
      l.left = body.tiles.left;
      l.chunks = body.arrays.chunks;
      for (const auto& a : body.arrays.arrays) {
        if (a.chunk_bytes != 0) {
          l.in.push_back({reinterpret_cast<std::uintptr_t>(a.from), a.chunk_bytes, a.at});
        }
      }
    }
    launches.push_back(l);
  }

  /// The number of blocks of each launch.
  counts blocks() const {
    counts all;
    for (const recorded_launch& l : launches) all.push_back(l.shape.grid.count());
    return all;
  }

 private:
  template <class T>
  static area area_of(const wf::collective::global_array<T>& a) {
    const auto first = reinterpret_cast<std::uintptr_t>(a.data);
    return {first, first + a.size * sizeof(T)};
  }
  template <class Arrays>
  static void add(std::vector<copied_array>& to, const Arrays& arrays) {
    for (const auto& a : arrays) {
      if (a.tile_bytes != 0) {
        to.push_back({reinterpret_cast<std::uintptr_t>(a.data), a.tile_bytes, a.at});
      }
    }
  }
};

/// The properties of an H100, or of a smaller GPU.
inline wf::device_info some_gpu(int multiprocessors = 132, std::size_t shared_bytes = 227 * 1024) {
  wf::device_info gpu;
  gpu.multiprocessors = multiprocessors;
  gpu.compute_capability = 90;
  gpu.threads_per_multiprocessor = 2048;
  gpu.l2_bytes = std::size_t{50} << 20;
  gpu.shared_bytes_per_block = shared_bytes;
  return gpu;
}

/// The address of `elements`: a multiple of 16.
inline constexpr std::uintptr_t base = std::uintptr_t{1} << 40;

/// `n` elements, `offset` bytes after `base`, that are never read.
template <class T>
wf::contiguous_view<T> elements(std::size_t n, std::size_t offset = 0) {
  return {reinterpret_cast<const T*>(base + offset), n};
}

/// `Floats` floats that add up to anything.
template <std::size_t Floats>
struct float_array {
  float x[Floats];
  friend WARPFOLD_HD float_array operator+(const float_array& a, const float_array&) { return a; }
};

/// The sum of `view`.
template <wf::view View>
using sum_of_view = wf::reduction<View, wf::plus>;
template <wf::view View>
using state_of = typename sum_of_view<View>::state;

/// What `kernel` launches for the sum of `view`.
template <class Kernel, wf::view View>
launch_recorder launches_of(const Kernel& kernel, const View& view,
                            const wf::device_info& gpu = some_gpu()) {
  const sum_of_view<View> r{view, {}, {}};
  launch_recorder on{gpu, {}, {}};
  kernel.enqueue(r, wf::collective::result_sink<typename sum_of_view<View>::result_type>{}, on);
  return on;
}

/// What `kernel` launches for the sum of `n` floats.
template <class Kernel>
launch_recorder launches_of(const Kernel& kernel, std::size_t n) {
  return launches_of(kernel, elements<float>(n));
}

/// The only launch of the sum of `view`.
template <class Kernel, wf::view View>
recorded_launch launch_of(const Kernel& kernel, const View& view,
                          const wf::device_info& gpu = some_gpu()) {
  const launch_recorder on = launches_of(kernel, view, gpu);
  REQUIRE(on.launches.size() == 1);
  return on.launches[0];
}

/// The message with which `kernel` refuses the sum of `view`, before it launches or asks for
/// memory; "launched NAME" if it does not.
template <class Kernel, wf::view View>
std::string refusal_of(const Kernel& kernel, const View& view,
                       const wf::device_info& gpu = some_gpu()) {
  const sum_of_view<View> r{view, {}, {}};
  launch_recorder on{gpu, {}, {}};
  try {
    kernel.enqueue(r, wf::collective::result_sink<typename sum_of_view<View>::result_type>{}, on);
  } catch (const wf::unsupported_kernel& e) {
    CHECK(on.launches.empty());
    CHECK(on.scratches.empty());
    return e.what();
  }
  return "launched " + on.launches.at(0).kernel;
}

/// Checks that no pass of the ladder writes where it reads, and that each reads all that the one
/// before it left.
inline void check_passes(const launch_recorder& on) {
  for (std::size_t i = 0; i < on.launches.size(); ++i) {
    INFO("launch ", i);
    const recorded_launch& l = on.launches[i];
    CHECK_FALSE(l.from.meets(l.to));
    CHECK((l.from == area{}) == (i == 0));
    const bool is_last = i + 1 == on.launches.size();
    CHECK((l.to.first == l.to.last) == is_last);
    if (!is_last) CHECK(on.launches[i + 1].from == l.to);
  }
}

}  // namespace test

/// Checks that `kernel`, `view` (and a GPU) are refused with a message that contains `part`.
#define CHECK_REFUSED(part, ...)                            \
  {                                                         \
    const std::string said = test::refusal_of(__VA_ARGS__); \
    INFO(said);                                             \
    CHECK(said.find(part) != std::string::npos);            \
  }
