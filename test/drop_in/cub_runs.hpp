/// @file
/// CUB's calls on runs of equal keys, on both libraries: keys, outputs without spare room, and the
/// comparison of what is written.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "drop_in/cub_calls.hpp"

namespace test {

/// Around warps and tiles, and beyond 2^20 keys.
inline constexpr std::size_t run_sizes[] = {0, 1, 2, 33, 4095, 4097, 70001, 1100003};
inline constexpr std::size_t most_keys = 1100003;

template <class T>
T made_of(unsigned i) {
  if constexpr (std::is_same_v<T, pair_of_ints>) {
    return {static_cast<int>(i % 7), static_cast<int>(i)};
  } else {
    return static_cast<T>(i);
  }
}

/// Keys in runs of 1 to `longest` keys; neighbors differ.
template <class Key>
std::vector<Key> keys_in_runs(std::size_t n, std::size_t longest) {
  std::vector<Key> keys;
  for (unsigned run = 0; keys.size() < n; ++run) {
    const std::size_t length = 1 + (run * 2654435761u >> 8) % longest, left = n - keys.size();
    keys.insert(keys.end(), length < left ? length : left, made_of<Key>(run % 100));
  }
  return keys;
}
template <class Key>
std::size_t count_runs(const std::vector<Key>& keys, std::size_t n) {
  std::size_t runs = n == 0 ? 0 : 1;
  for (std::size_t i = 1; i < n; ++i) runs += keys[i] == keys[i - 1] ? 0 : 1;
  return runs;
}

/// Two outputs of `runs` elements each and the number of runs, one after the other in one
/// allocation. All other bytes of it must stay as they are.
template <class Key, class Out, class Count>
class tight_outputs {
 public:
  explicit tight_outputs(std::size_t runs) : runs_(runs), bytes_(end() + 64) {
    REQUIRE(cudaMemset(bytes_.data(), 0x5a, bytes_.size()) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  Key* keys() { return reinterpret_cast<Key*>(bytes_.data() + begin_of_keys); }
  Out* results() { return reinterpret_cast<Out*>(bytes_.data() + begin_of_results()); }
  Count* count() { return reinterpret_cast<Count*>(bytes_.data() + begin_of_count()); }

  /// All bytes, after all work on the GPU.
  std::vector<unsigned char> bytes() const {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    return device_memory::values(
        const_cast<const unsigned char*>(const_cast<tight_outputs*>(this)->bytes_.data()),
        bytes_.size());
  }
  Count written_count() const {
    Count count;
    std::memcpy(&count, bytes().data() + begin_of_count(), sizeof(Count));
    return count;
  }

 private:
  static constexpr std::size_t begin_of_keys = 64;
  static std::size_t aligned(std::size_t at, std::size_t to) { return (at + to - 1) / to * to; }
  std::size_t begin_of_results() const {
    return aligned(begin_of_keys + runs_ * sizeof(Key), alignof(Out));
  }
  std::size_t begin_of_count() const {
    return aligned(begin_of_results() + runs_ * sizeof(Out), alignof(Count));
  }
  std::size_t end() const { return begin_of_count() + sizeof(Count); }

  std::size_t runs_;
  warpfold::device_buffer<unsigned char> bytes_;
};

/// Compares the bytes that `call(library, storage, bytes, outputs, n)` writes for each library.
template <class Out, class Count = int, class Key, class Call>
void compare_runs(const std::vector<Key>& keys, const Call& call) {
  for (const std::size_t n : run_sizes) {
    if (n > keys.size()) continue;
    INFO(n, " keys");
    const std::size_t runs = count_runs(keys, n);
    const auto on = [&](const auto& library) {
      tight_outputs<Key, Out, Count> out(runs);
      two_phases(
          [&](void* storage, std::size_t& bytes) { return call(library, storage, bytes, out, n); });
      CHECK(static_cast<std::size_t>(out.written_count()) == runs);
      return out.bytes();
    };
    CHECK(on(ours{}) == on(theirs{}));
  }
}

/// The same for ReduceByKey.
template <class Out, class Count = int, class Key, class T, class Op>
void compare_folds(const std::vector<Key>& keys, const std::vector<T>& values, const Op& op) {
  const device_memory::array<Key> k(keys, 0);
  const device_memory::array<T> v(values, sizeof(T));
  compare_runs<Out, Count>(
      keys, [&](auto lib, void* storage, std::size_t& bytes, auto& out, std::size_t n) {
        return decltype(lib)::reduce::ReduceByKey(storage, bytes, k.data(), out.keys(), v.data(),
                                                  out.results(), out.count(), op, n);
      });
}

/// The same for Encode.
template <class Out, class Key>
void compare_lengths(const std::vector<Key>& keys) {
  const device_memory::array<Key> k(keys, sizeof(Key));
  compare_runs<Out>(
      keys, [&](auto lib, void* storage, std::size_t& bytes, auto& out, std::size_t n) {
        return decltype(lib)::run_lengths::Encode(storage, bytes, k.data(), out.keys(),
                                                  out.results(), out.count(), static_cast<int>(n));
      });
}

}  // namespace test
