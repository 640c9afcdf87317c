/// @file
/// needs: cuda
/// What the calls of drop_in/cub.hpp have in common: which iterators and ops this library takes,
/// the two forms of a call, and its errors.
///
/// Includes CCCL by design: the calls are CUB's.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20
#include <warpfold/core/needs_exceptions.hpp>

#include <cstddef>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <type_traits>

#include <cub/util_type.cuh>
#include <cuda/std/limits>

#include <warpfold/drop_in/cub_environment.hpp>
#include <warpfold/drop_in/cub_op.hpp>
#include <warpfold/drop_in/thrust_policies.hpp>
#include <warpfold/policy/device.hpp>

namespace warpfold::detail::cub_calls {

namespace wf = ::warpfold;

// Iterators and elements.

template <class It>
concept random_access_of_cub = requires(It i) {
  *i;
  *(i + 1);
};

// True if `It` can be read in parallel, by this library or by CUB. Otherwise reports one error.
template <class It>
constexpr bool check_input() {
  constexpr bool random_access = random_access_of_cub<It>;
  static_assert(random_access,
                "warpfold: the input is not a random-access iterator, so threads cannot read it in "
                "parallel; pass a pointer or a random-access iterator");
  return random_access;
}

// An input that a view of this library can read.
template <class It>
concept viewable = reducible_iterator<It> && requires(It i) {
  requires std::is_trivially_copyable_v<typename decltype(wf::as_view(i, i))::value_type>;
};

template <viewable It>
auto view_of(It first, std::size_t size) {
  using difference = typename std::iterator_traits<It>::difference_type;
  return wf::as_view(first, first + static_cast<difference>(size));
}

template <class It>
using view_t = decltype(view_of(std::declval<It>(), 0));
template <class It>
using viewed_t = typename view_t<It>::value_type;
template <class It>
struct viewed_or_void {
  using type = void;
};
template <viewable It>
struct viewed_or_void<It> {
  using type = viewed_t<It>;
};
template <class It>
using viewed_or_void_t = typename viewed_or_void<It>::type;

// An output in memory whose address is known.
template <class It>
concept in_memory = wf::detail::unwrappable<It> && requires(const It& i) {
  requires std::is_object_v<std::remove_reference_t<decltype(*wf::detail::raw_pointer(i))>>;
  requires !std::is_const_v<std::remove_reference_t<decltype(*wf::detail::raw_pointer(i))>>;
  requires !std::is_volatile_v<std::remove_reference_t<decltype(*wf::detail::raw_pointer(i))>>;
};
template <in_memory It>
using stored_t =
    std::remove_reference_t<decltype(*wf::detail::raw_pointer(std::declval<const It&>()))>;

template <class It, class T>
concept stores = in_memory<It> && std::is_same_v<stored_t<It>, T>;
template <class It>
concept stores_integers =
    in_memory<It> && std::is_integral_v<stored_t<It>> && !std::is_same_v<stored_t<It>, bool>;

template <class It>
void check_writable(const It& out) {
  using T = stored_t<It>;
  runtime::check_device_pointer(wf::detail::raw_pointer(out), sizeof(T), alignof(T), "the output");
}

// The value type of CUB's results: that of the output iterator, or of the input if it has none.
template <class Out, class In>
struct cub_value {
  using type = typename std::iterator_traits<In>::value_type;
};
template <class Out, class In>
  requires(!std::is_void_v<typename std::iterator_traits<Out>::value_type>)
struct cub_value<Out, In> {
  using type = typename std::iterator_traits<Out>::value_type;
};
template <class Out, class In>
using cub_value_t = typename cub_value<Out, In>::type;

/// @param name that of the parameter of CUB's
/// @throws invalid_range if `number` is negative, or too large for an array
template <class Count>
std::size_t count_of(Count number, const char* name = "num_items") {
  const auto size = static_cast<std::size_t>(number);
  bool fits = size <= static_cast<std::size_t>(-1) / 2;
  if constexpr (std::is_signed_v<Count>) fits = number >= 0;
  if (!fits) {
    throw_error<invalid_range>("warpfold: ", name, " is ", number,
                               "; pass a number from 0 to 2^63 - 1");
  }
  return size;
}

// Errors.

inline message& last_message() {
  static thread_local message text;
  return text;
}

inline cudaError_t failed(const char* what, cudaError_t status) noexcept {
  last_message() = message(what);
  return status;
}

// The reason why no GPU can be used.
inline cudaError_t reason_of_no_device() noexcept {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status != cudaSuccess) return status;
  return count == 0 ? cudaErrorNoDevice : cudaErrorNoKernelImageForDevice;
}

// The code of the exception that is being handled.
inline cudaError_t code_of_exception() noexcept {
  try {
    throw;
  } catch (const cuda_error& e) {
    return failed(e.what(), static_cast<cudaError_t>(e.code()));
  } catch (const no_device& e) {
    return failed(e.what(), reason_of_no_device());
  } catch (const unsupported_kernel& e) {
    return failed(e.what(), cudaErrorNotSupported);
  } catch (const error& e) {
    return failed(e.what(), cudaErrorInvalidValue);
  } catch (const std::bad_alloc& e) {
    return failed(e.what(), cudaErrorMemoryAllocation);
  } catch (const std::exception& e) {
    // As in CUB: only a memory resource throws others.
    return failed(e.what(), cudaErrorMemoryAllocation);
  } catch (...) {
    return failed("warpfold: the memory resource threw an exception of an unknown type",
                  cudaErrorMemoryAllocation);
  }
}

template <class Work>
cudaError_t code_of(const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    return code_of_exception();
  }
}

// The two forms of CUB's calls. `run` runs this library, which keeps its own scratch; `forward`
// calls CUB itself as `call(stream_or_environment, storage...)`.

/// A call with temporary storage. Without storage, it only returns the size.
struct two_phases {
  /// The type of the start of a minimum or maximum.
  template <class Out, class In>
  using extremum_t = cub_value_t<void, In>;

  void* storage;
  std::size_t& bytes;

  template <class Work>
  cudaError_t run(const Work& work) const noexcept {
    if (storage == nullptr) {
      bytes = 1;
      return cudaSuccess;
    }
    return code_of([&] {
      if (bytes == 0) {
        throw_error<invalid_argument>(
            "warpfold: temp_storage_bytes is 0, but the call without temporary storage returned 1; "
            "pass that size");
      }
      work();
      return cudaSuccess;
    });
  }

  template <class Env, class Call>
  cudaError_t forward(const Env& env, const Call& call) const noexcept {
    if constexpr (check_environment<Env, false>()) {
      return code_of([&] { return call(cudaStream_t{stream_of(env)}, storage, bytes); });
    } else {
      return cudaErrorNotSupported;
    }
  }
  template <class Env, class Call>
  cudaError_t forward_without_storage(const Env& env, const Call& call) const noexcept {
    return forward(env, call);
  }
};

/// A call without temporary storage. CUB itself gets some from the GPU's memory pool, because CUB
/// 3.0 has no such calls.
struct one_phase {
  template <class Out, class In>
  using extremum_t = cub_value_t<Out, In>;

  template <class Work>
  cudaError_t run(const Work& work) const noexcept {
    return code_of([&] {
      work();
      return cudaSuccess;
    });
  }

  /// For a call that needs no temporary storage.
  template <class Env, class Call>
  cudaError_t forward_without_storage(const Env& env, const Call& call) const noexcept {
    if constexpr (check_environment<Env, true>()) {
      return code_of([&] { return call(cudaStream_t{stream_of(env)}); });
    } else {
      return cudaErrorNotSupported;
    }
  }

  template <class Env, class Call>
  cudaError_t forward(const Env& env, const Call& call) const noexcept {
    if constexpr (is_environment<Env>) {
      return code_of([&] { return call(env); });
    } else {
      return code_of([&] {
        const cudaStream_t stream = stream_of(env);
        std::size_t bytes = 0;
        void* storage = nullptr;
        if (const cudaError_t status = call(stream, storage, bytes)) return status;
        if (const cudaError_t status = cudaMallocAsync(&storage, bytes, stream)) return status;
        const cudaError_t status = call(stream, storage, bytes);
        const cudaError_t freed = cudaFreeAsync(storage, stream);
        return status != cudaSuccess ? status : freed;
      });
    }
  }
};

// Reductions.

/// True if this library reduces values of type `T`; otherwise CUB itself does.
template <class T, class Out, class Op, class Init>
constexpr bool reduces() {
  if constexpr (wf::detail::is_device_lambda<Op>() || !in_memory<Out>) {
    return false;
  } else if constexpr (!wf::detail::callable<Op, const Init&, const T&>) {
    return false;
  } else {
    using A = cub_accumulator_t<Op, T, Init>;
    if constexpr (!wf::detail::callable<Op, const A&, const A&>) {
      return false;
    } else {
      return std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<A> &&
             std::is_copy_assignable_v<A> && sizeof(A) <= 512 && std::is_convertible_v<T, A> &&
             std::is_convertible_v<Init, A> && std::is_convertible_v<A, stored_t<Out>> &&
             std::is_convertible_v<wf::detail::call_result_t<Op, const A&, const A&>, A>;
    }
  }
}

// The start of a minimum or maximum, as in CUB.
template <class Extremum, class T>
constexpr T start_of() {
  using limits = ::cuda::std::numeric_limits<T>;
  return std::is_same_v<Extremum, minimum> ? (limits::max)() : limits::lowest();
}

// Extrema with an index.

template <class Extremum, class T>
using cub_arg_t = arg_op<cub_extremum_t<Extremum, T>>;

template <class In>
concept has_arg = viewable<In> && is_number_v<viewed_t<In>> && sizeof(viewed_t<In>) <= 8 &&
                  std::is_same_v<viewed_t<In>, typename std::iterator_traits<In>::value_type>;

template <class Out, class T>
inline constexpr bool stores_pair = false;
template <in_memory Out, class T>
  requires std::is_same_v<stored_t<Out>, ::cub::KeyValuePair<typename stored_t<Out>::Key, T>>
inline constexpr bool stores_pair<Out, T> = std::is_integral_v<typename stored_t<Out>::Key>;

}  // namespace warpfold::detail::cub_calls

// Declares both forms of a call: with temporary storage, and without. The last argument uses
// `phases`, the parameters and `env`.
#define WARPFOLD_CUB_LIST(...) __VA_ARGS__
#define WARPFOLD_CUB_CALL(function, types, condition, parameters, ...)               \
  template <WARPFOLD_CUB_LIST types, class Env = detail::cub_calls::no_environment>  \
    requires condition                                                               \
  static cudaError_t function(void* d_temp_storage, std::size_t& temp_storage_bytes, \
                              WARPFOLD_CUB_LIST parameters, const Env& env = {}) {   \
    const detail::cub_calls::two_phases phases{d_temp_storage, temp_storage_bytes};  \
    using namespace detail::cub_calls;                                               \
    return __VA_ARGS__;                                                              \
  }                                                                                  \
  template <WARPFOLD_CUB_LIST types, class Env = detail::cub_calls::no_environment>  \
    requires condition                                                               \
  static cudaError_t function(WARPFOLD_CUB_LIST parameters, const Env& env = {}) {   \
    const detail::cub_calls::one_phase phases{};                                     \
    using namespace detail::cub_calls;                                               \
    return __VA_ARGS__;                                                              \
  }
