/// @file
/// needs: cccl
/// Lets code written for Thrust or the standard library pass its policies, iterators and ops to
/// this library. Change `thrust::reduce(` or `std::reduce(` to `wf::reduce(` and include this
/// header.
///
/// Includes CCCL and, where it is found, oneTBB by design: it adopts the policies of both.
///
///     wf::reduce(thrust::cuda::par.on(stream), v.begin(), v.end(), 0.0f, thrust::plus<float>());
///     wf::reduce(std::execution::par_unseq, w.begin(), w.end());
///
/// This is `drop_in/thrust_policies.hpp` and `drop_in/std_policies.hpp`, which say what they adopt,
/// and `reduce.hpp`; code that uses one library compiles faster with one of them. In addition,
/// Thrust's OpenMP and TBB systems run as `wf::par` where oneTBB is found, else as `wf::seq`.
///
/// To keep the calls of Thrust and the standard library as they are, see `drop_in/thrust.hpp` and
/// `drop_in/std.hpp`.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <warpfold/drop_in/host_threads.hpp>
#include <warpfold/drop_in/std_policies.hpp>
#include <warpfold/drop_in/thrust_policies.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

template <detail::thrust_threads_policy Policy>
struct adopted_policy<Policy> {
  static auto convert(const Policy&) { return detail::host_threads(); }
};

}  // namespace warpfold
