/// @file
/// Kernels that copy words to shared memory while they use those before (collective/async_copy.hpp,
/// collective/bulk_copy.hpp). Each thread passes on the word that its neighbor's part holds.
#pragma once

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/collective/async_copy.hpp>
#include <warpfold/collective/bulk_copy.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/core/launch_shape.hpp>

namespace test {

/// Each block copies `rounds` tiles of a word for each of its threads.
struct staged_words {
  static constexpr unsigned blocks = 5, threads = 96, rounds = 7;
  static constexpr unsigned tile = 4 * threads;  // numbers
  static constexpr unsigned tile_bytes = 4 * tile;

  static std::vector<unsigned> numbers() {
    std::vector<unsigned> v(std::size_t{blocks} * rounds * tile);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<unsigned>(i * 2654435761u);
    return v;
  }
  static warpfold::launch_shape shape() { return {blocks, threads, 2 * tile_bytes}; }
};

/// The tile of the next round is on its way while this round's is read.
struct async_copy_body {
  static constexpr int max_block = staged_words::threads;
  static constexpr bool calls_user_functions = false;

  const unsigned* in;
  warpfold::collective::global_array<unsigned> out;

  WARPFOLD_DEVICE void operator()() const {
    using namespace warpfold;  // the emulation's names
    constexpr unsigned tile = staged_words::tile, bytes = staged_words::tile_bytes;
    const unsigned first = blockIdx.x * staged_words::rounds * tile, thread = threadIdx.x;
    const unsigned neighbor = (thread + 1) % staged_words::threads;
    const auto memory = collective::dynamic_shared_bytes(2 * bytes);
    const collective::async_copies copies(memory, caching::stream);
    const unsigned place = copies.place(16 * thread);
    copies.start(place, in + first + 4 * thread);
    copies.commit();
    for (unsigned r = 0; r < staged_words::rounds; ++r) {
      if (r + 1 < staged_words::rounds) {
        copies.start(place + (r + 1) % 2 * bytes, in + first + (r + 1) * tile + 4 * thread);
      }
      copies.commit();
      copies.wait<1>();
      __syncthreads();
      const word w = memory.load<word>(r % 2 * bytes, 16 * neighbor, call_site::here());
      for (unsigned i = 0; i < 4; ++i) {
        out.store(first + r * tile + 4 * neighbor + i, w.part[i]);
      }
      __syncthreads();
    }
  }
};

/// Two tiles in two places, each with its own barrier; each tile is copied in two parts.
struct bulk_copy_body {
  static constexpr int max_block = staged_words::threads;
  static constexpr int min_architecture = 90;
  static constexpr bool calls_user_functions = false;

  const unsigned* in;
  warpfold::collective::global_array<unsigned> out;

  WARPFOLD_DEVICE void operator()() const {
    using namespace warpfold;
    constexpr unsigned tile = staged_words::tile, bytes = staged_words::tile_bytes;
    WARPFOLD_SHARED collective::bulk_copies copies[2];
    const unsigned first = blockIdx.x * staged_words::rounds * tile, thread = threadIdx.x;
    const unsigned neighbor = (thread + 1) % staged_words::threads;
    const auto memory = collective::dynamic_shared_bytes(2 * bytes);
    const global_loads how(caching::stream);
    const auto start = [&](unsigned r) {
      const unsigned* const from = in + first + r * tile;
      copies[r % 2].expect(bytes);
      copies[r % 2].start(memory, r % 2 * bytes, from, 16, how);
      copies[r % 2].start(memory, r % 2 * bytes + 16, from + 4, bytes - 16, how);
    };
    if (thread == 0) {
      collective::bulk_copies::make_ready(copies, 2);
      start(0);
      start(1);
    }
    __syncthreads();
    for (unsigned r = 0; r < staged_words::rounds; ++r) {
      copies[r % 2].wait(r / 2);
      const word w = memory.load<word>(r % 2 * bytes, 16 * neighbor, call_site::here());
      for (unsigned i = 0; i < 4; ++i) {
        out.store(first + r * tile + 4 * neighbor + i, w.part[i]);
      }
      __syncthreads();
      if (thread == 0 && r + 2 < staged_words::rounds) start(r + 2);
    }
  }
};

}  // namespace test
