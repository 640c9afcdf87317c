/// @file
/// Calls of `warp_reduce`, `block_reduce` and their forms for all threads, in kernels of the
/// fuzzer's own: on the GPU, or in the emulation. `View` is not used, and of the policy only which
/// of both it is.
#pragma once

#include <warpfold/collectives.hpp>

#if !defined(__CUDACC__)
#include "contract/emulated_launch.hpp"
#endif
#include "fuzz/calls.hpp"

namespace fuzz {

#if defined(__CUDACC__)
template <class Body>
__global__ void run_body(Body body) {
  body();
}
#else
using warpfold::__syncthreads, warpfold::blockDim, warpfold::threadIdx;
#endif

/// Runs `body` in one block.
template <class Body>
void run_block(const wf::launch_shape& shape, const Body& body) {
#if defined(__CUDACC__)
  const auto& block = shape.block;
  run_body<<<1, ::dim3(block.x, block.y, block.z)>>>(body);
  warpfold::runtime::check(cudaGetLastError(), "the kernel of a collective");
#else
  // Not a launch: the library's own kernels only have whole warps.
  wf::emulation::launch_state launch;
  launch.launch = {"fuzzed", shape};
  wf::emulation::block(launch).run(wf::emulation::any_body::of(test::lambda_body<Body>{body}), 0);
#endif
}

inline WARPFOLD_DEVICE unsigned this_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// The value that a thread passes for its element: with its index if the op needs one.
template <class Projection, class Op, class T>
WARPFOLD_HD auto value_of_thread(const Op&, const T& x, unsigned i) {
  using P = std::remove_cvref_t<decltype(Projection{}(x))>;
  if constexpr (wf::lifts_indexed<Op, P>) {
    return wf::indexed<P>{Projection{}(x), std::size_t{i}};
  } else {
    return P{Projection{}(x)};
  }
}
template <class Projection, class Op, class T>
using value_of_thread_t =
    decltype(value_of_thread<Projection>(std::declval<const Op&>(), std::declval<const T&>(), 0u));

/// What `reduce` returns. Collectives have the same accumulator.
template <class Projection, class Op, class T>
using reduced_t = decltype(wf::reduce(
    wf::seq, std::declval<std::span<const projected_t<Projection, T>>>(), std::declval<Op>()));

/// Each thread writes what the four calls of a block give it. Thread 0 alone gets the fold of the
/// first and the last call.
template <class Projection, class Op, class T>
struct block_body {
  using value = value_of_thread_t<Projection, Op, T>;
  using result = reduced_t<Projection, Op, T>;
  static constexpr std::size_t calls = 4;

  Op op;
  const T* values;
  result* results;

  static bool gets_result(std::size_t call, std::size_t thread) {
    return call == 1 || call == 2 || thread == 0;
  }

  WARPFOLD_DEVICE void operator()() const {
    WARPFOLD_SHARED wf::block_storage<value, Op> storage;
    const unsigned i = this_thread(), n = blockDim.x * blockDim.y * blockDim.z;
    const value x = value_of_thread<Projection>(op, values[i], i);
    static_assert(std::is_same_v<decltype(wf::block_reduce(x, op)), result>);
    results[i] = wf::block_reduce(x, op);
    results[n + i] = wf::block_all_reduce(x, op);
    results[2 * n + i] = wf::block_all_reduce(x, op, storage);
    __syncthreads();
    results[3 * n + i] = wf::block_reduce(x, op, storage);
  }
};

/// The same of the two calls of a warp.
template <class Projection, class Op, class T>
struct warp_body {
  using value = value_of_thread_t<Projection, Op, T>;
  using result = reduced_t<Projection, Op, T>;
  static constexpr std::size_t calls = 2;

  Op op;
  const T* values;
  result* results;

  static bool gets_result(std::size_t call, std::size_t thread) {
    return call == 1 || thread % 32 == 0;
  }

  WARPFOLD_DEVICE void operator()() const {
    const unsigned i = this_thread(), n = blockDim.x * blockDim.y * blockDim.z;
    const value x = value_of_thread<Projection>(op, values[i], i);
    static_assert(std::is_same_v<decltype(wf::warp_reduce(x, op)), result>);
    results[i] = wf::warp_reduce(x, op);
    results[n + i] = wf::warp_all_reduce(x, op);
  }
};

/// Blocks of 1 to 1024 threads, in one to three dimensions, or of 1 to 32 whole warps. Each thread
/// has one element.
template <template <class, class, class> class Body, bool IsOfWarps>
struct collective_call {
  static constexpr std::size_t longest = 4500;

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy&, const sample<T>& s) {
    const auto op = Op::op();
    using body = Body<Projection, std::remove_const_t<decltype(op)>, T>;
    using result = typename body::result;
    random_bits random(s.values.size() * 64 + s.offset);
    for (std::size_t first = 0; first < s.values.size();) {
      const wf::launch_shape shape{1, some_block(random)};
      const auto threads = static_cast<unsigned>(shape.block.count());
      list<T> own;  // Again from the first element on behind the last one.
      for (std::size_t i = 0; i < threads; ++i) {
        own.push_back(s.values[(first + i) % s.values.size()]);
      }
      first += threads;
      const there_bytes in(bytes_of<contiguous>(own), s.offset);
      const there_bytes out(std::vector<unsigned char>(body::calls * own.size() * sizeof(result)),
                            0, use::output);
      const auto run = [&] {
        run_block(shape,
                  body{op, contiguous::at<T>(in.data(), 0), reinterpret_cast<result*>(out.data())});
        return out.copy();
      };
      const auto written = attempt(run);
      const verdict v = judge_block<body, Projection, Op>(written, own, shape);
      if (!v.ok) return v;
    }
    return {};
  }

 private:
  static wf::launch_extent some_block(random_bits& random) {
    if (IsOfWarps) return {32 * some_number(random, 32), 1, 1};
    switch (random.below(4)) {
      case 0: {
        const unsigned x = some_number(random, 64), y = some_number(random, 1024 / x);
        return {x, y, some_number(random, 1024 / x / y < 64 ? 1024 / x / y : 64)};
      }
      case 1:
        return {32 * some_number(random, 32), 1, 1};
      default:
        return {some_number(random, random.below(2) == 0 ? 1024 : 100), 1, 1};
    }
  }
  static unsigned some_number(random_bits& random, unsigned most) {
    return 1 + static_cast<unsigned>(random.below(most));
  }

  template <class Calls, class Projection, class Op, class List>
  static verdict judge_block(const outcome<std::vector<unsigned char>>& written, const List& own,
                             const wf::launch_shape& shape) {
    using result = typename Calls::result;
    const std::size_t threads = own.size(), group = IsOfWarps ? 32 : threads;
    const std::string where = " of a block of " + std::to_string(shape.block.x) + " x " +
                              std::to_string(shape.block.y) + " x " +
                              std::to_string(shape.block.z) + " threads";
    if (!written.value) return {false, false, "the kernel" + where, written.error, "no error"};
    for (std::size_t first = 0; first < threads; first += group) {
      typename Op::template reference<projected_t<Projection, typename List::value_type>> reference;
      for (std::size_t i = first; i < first + group; ++i) reference.add(Projection{}(own[i]), i);
      for (std::size_t call = 0; call < Calls::calls; ++call) {
        for (std::size_t i = first; i < first + group; ++i) {
          if (!Calls::gets_result(call, i)) continue;
          const auto r = result_at<result>(written, call * threads + i);
          if (reference.admits(*r.value)) continue;
          return {false, false,
                  "call " + std::to_string(call) + " in thread " + std::to_string(i) + where,
                  r.text(), reference.text()};
        }
      }
    }
    return {};
  }
};

using in_blocks = collective_call<block_body, false>;
using in_warps = collective_call<warp_body, true>;

}  // namespace fuzz
