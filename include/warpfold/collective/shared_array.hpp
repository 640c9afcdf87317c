/// @file
/// Arrays in a block's shared memory. On the GPU an access is a single load or store. The emulation
/// checks and counts it, with its source line.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

/// `size` elements in shared memory, without default constructors: the first `store` creates them.
template <class T>
class shared_span {
 public:
  WARPFOLD_DEVICE shared_span(void* data, unsigned size)
      : data_(static_cast<T*>(data)), size_(size) {}

  WARPFOLD_DEVICE unsigned size() const { return size_; }
  WARPFOLD_DEVICE T* data() const { return data_; }

  WARPFOLD_DEVICE T load(unsigned i, call_site at = call_site::here()) const {
    touch_load(i, 1, at);
    return data_[i];
  }
  WARPFOLD_DEVICE void store(unsigned i, const T& value, call_site at = call_site::here()) const {
    touch_store(i, at);
    ::new (static_cast<void*>(data_ + i)) T(value);
  }

  /// Sets element `i`, an unsigned number, to `value` if that is larger, atomically.
  WARPFOLD_DEVICE void raise(unsigned i, T value, call_site at = call_site::here()) const {
#if defined(__CUDA_ARCH__)
    (void)at;
    atomicMax(data_ + i, value);
#else
    touch_load(i, 1, at);
    if (data_[i] < value) data_[i] = value;
#endif
  }

  /// Loads `Count` elements from `i` on in as few loads as possible; `f(k)` returns the `k`-th.
  template <int Count>
  WARPFOLD_DEVICE auto load_run(unsigned i, call_site at = call_site::here()) const {
    touch_load(i, Count, at);
    return [from = data_ + i](int k) { return from[k]; };
  }

 private:
#if defined(__CUDACC__)
  WARPFOLD_DEVICE void touch_load(unsigned, unsigned, call_site) const {}
  WARPFOLD_DEVICE void touch_store(unsigned, call_site) const {}
#else
  void touch_load(unsigned i, unsigned count, call_site at) const {
    emulation::current_thread->touch_shared({data_, size_, sizeof(T), alignof(T)}, i, count,
                                            emulation::access::load, at);
  }
  void touch_store(unsigned i, call_site at) const {
    emulation::current_thread->touch_shared({data_, size_, sizeof(T), alignof(T)}, i, 1,
                                            emulation::access::store, at);
  }
#endif

  T* data_;
  unsigned size_;
};

/// The elements of a span from number `first` on. Constant offsets from it become part of the load
/// instruction; added to a 32-bit index, which could wrap, they would not.
template <class T>
class shared_part {
 public:
#if defined(__CUDACC__)
  WARPFOLD_DEVICE shared_part(const shared_span<T>& of, unsigned first)
      : from_(of.data() + first) {}

  WARPFOLD_DEVICE shared_part part(unsigned first) const { return shared_part(from_ + first); }
  WARPFOLD_DEVICE T load(unsigned i, call_site = call_site::here()) const {
    return from_[static_cast<std::size_t>(i)];
  }
  WARPFOLD_DEVICE void store(unsigned i, const T& value, call_site = call_site::here()) const {
    ::new (static_cast<void*>(from_ + static_cast<std::size_t>(i))) T(value);
  }

 private:
  WARPFOLD_DEVICE explicit shared_part(T* from) : from_(from) {}

  T* from_;
#else
  shared_part(const shared_span<T>& of, unsigned first) : of_(of), first_(first) {}

  shared_part part(unsigned first) const { return {of_, first_ + first}; }
  T load(unsigned i, call_site at = call_site::here()) const { return of_.load(first_ + i, at); }
  void store(unsigned i, const T& value, call_site at = call_site::here()) const {
    of_.store(first_ + i, value, at);
  }

 private:
  shared_span<T> of_;
  unsigned first_;
#endif
};

/// Counters of a span at equal distances: number `first`, `first + stride`, and so on.
class shared_counters {
 public:
#if defined(__CUDACC__)
  WARPFOLD_DEVICE shared_counters([[maybe_unused]] const shared_span<unsigned>& of,
                                  [[maybe_unused]] unsigned first, unsigned stride)
      : stride_(stride * 4) {
#if defined(__CUDA_ARCH__)
    first_ = static_cast<unsigned>(__cvta_generic_to_shared(of.data() + first));
#endif
  }

  /// Adds 1 to counter `i`, atomically. In assembly: for an array, nvcc 13.0 computes the address
  /// in two instructions instead of one.
  WARPFOLD_DEVICE void increment(unsigned i, call_site = call_site::here()) const {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(first_ + i * stride_) : "memory");
  }

 private:
  unsigned first_ = 0;
  unsigned stride_;  // bytes
#else
  shared_counters(const shared_span<unsigned>& of, unsigned first, unsigned stride)
      : of_(of), first_(first), stride_(stride) {}

  void increment(unsigned i, call_site at = call_site::here()) const {
    const unsigned at_span = first_ + i * stride_;
    of_.load(at_span, at);  // checks the index; lanes of the emulation run one after the other
    of_.data()[at_span] += 1;
  }

 private:
  shared_span<unsigned> of_;
  unsigned first_;
  unsigned stride_;
#endif
};

/// `Count` elements of static shared memory: `WARPFOLD_SHARED shared_array<float, 256> values;`.
template <class T, unsigned Count>
class shared_array {
 public:
  WARPFOLD_DEVICE operator shared_span<T>() { return {bytes_, Count}; }

  WARPFOLD_DEVICE T load(unsigned i, call_site at = call_site::here()) {
    return shared_span<T>(*this).load(i, at);
  }
  WARPFOLD_DEVICE void store(unsigned i, const T& value, call_site at = call_site::here()) {
    shared_span<T>(*this).store(i, value, at);
  }

 private:
  // 16: neighboring elements can be loaded as words.
  alignas(alignof(T) > 16 ? alignof(T) : 16) unsigned char bytes_[Count * sizeof(T)];
};

/// `size` elements of the dynamic shared memory of the launch (`launch_shape`).
template <class T>
WARPFOLD_DEVICE shared_span<T> dynamic_shared(unsigned size, call_site at = call_site::here()) {
#if defined(__CUDACC__)
  (void)at;
  extern __shared__ __align__(16) unsigned char warpfold_dynamic_shared[];
  return {warpfold_dynamic_shared, size};
#else
  return {emulation::current_thread->dynamic_shared(size * sizeof(T), at), size};
#endif
}

}  // namespace warpfold::collective
