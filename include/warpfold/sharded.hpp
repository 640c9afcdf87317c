/// @file
/// `wf::sharded<T>`: an array that lies in shards on several GPUs and owns their memory.
#pragma once

#include <warpfold/core/needs_exceptions.hpp>  // first: it reports a lack of them

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/runtime/shard_memory.hpp>
#include <warpfold/view/shards.hpp>

namespace warpfold {

/// The GPUs of one process that `across` takes: `wf::devices` or `wf::emulated_devices`.
template <class Gpus>
concept gpu_set = requires(const Gpus& gpus) {
  { gpus.size() } -> std::convertible_to<int>;
  { gpus.place(0) } -> std::same_as<runtime::shard_place>;
};

/// Divides an array among GPUs in blocks: block 0 to the first GPU, block 1 to the second, and so
/// on, then again to the first.
class block_cyclic {
 public:
  /// @param elements the size of a block
  /// @throws invalid_argument if it is 0
  explicit block_cyclic(std::size_t elements) : elements_(elements) {
    if (elements == 0) {
      throw_error<invalid_argument>(
          "warpfold: block_cyclic has blocks of 0 elements; pass 1 or more");
    }
  }
  std::size_t elements() const { return elements_; }

 private:
  std::size_t elements_;
};

/// An array of `size` elements in shards, one on each GPU. It owns the memory: movable, but not
/// implicitly copyable. Elements are uninitialized unless copied from the host.
///
/// Without `block_cyclic`, each GPU has a contiguous part. Each part begins at a multiple of 32
/// elements of the array, and the sizes of two parts differ by at most 32. So arrays of one size
/// have equal parts for all types, and `zip` takes them. With `block_cyclic`, each GPU has its
/// blocks one after another.
///
/// - Calls: `reduce` and the functions that reduce a range to one value, with `across` of the same
///   number of GPUs. A GPU must be able to access the shard of its rank.
/// - Order: the shards' order, which is the array's if the parts are contiguous.
/// - Indices: those of the array, if the parts are contiguous. With `block_cyclic`, ops that take
///   indices (`argmin`, `wf::arg`) throw `invalid_range`.
/// - Stream: copies run on each GPU's stream, after earlier work there, and wait for their end.
///   They cannot be captured into a graph. The current device is the same afterwards.
/// - Cost: one allocation on each GPU. Copies between pinned memory of the host and different GPUs
///   overlap.
///
/// ```cpp
/// #include <vector>
/// #include <warpfold/policy/emulated_devices.hpp>
/// #include <warpfold/sharded.hpp>
///
/// const wf::emulated_devices gpus(2);  // with nvcc: wf::devices gpus{0, 1};
/// const wf::sharded<float> x(gpus, std::vector<float>{1, 2, 3});
/// float sum = wf::reduce(wf::across(gpus), x);  // 6
/// ```
///
/// @tparam T a trivially copyable type
template <class T>
class sharded {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "warpfold: elements on the GPU must be trivially copyable and not const; use a "
                "type that is");

 public:
  using value_type = T;

  /// No elements and no GPUs. It cannot be reduced.
  sharded() = default;

  /// Allocates uninitialized elements.
  /// @param gpus `wf::devices` or `wf::emulated_devices`
  /// @param size in elements
  /// @throws no_device,out_of_memory if there is no such GPU or no memory
  template <gpu_set Gpus>
  sharded(const Gpus& gpus, std::size_t size) : sharded(allocated{}, gpus, size, 0) {}
  template <gpu_set Gpus>
  sharded(const Gpus& gpus, std::size_t size, const block_cyclic& order)
      : sharded(allocated{}, gpus, size, order.elements()) {}

  /// Copies a contiguous range from the host: a span, or a container with `data()` and `size()`.
  template <gpu_set Gpus, class Container>
    requires std::convertible_to<const Container&, std::span<const T>>
  sharded(const Gpus& gpus, const Container& host)
      : sharded(allocated{}, gpus, std::span<const T>(host).size(), 0) {
    copy_from(host);
  }
  template <gpu_set Gpus, class Container>
    requires std::convertible_to<const Container&, std::span<const T>>
  sharded(const Gpus& gpus, const Container& host, const block_cyclic& order)
      : sharded(allocated{}, gpus, std::span<const T>(host).size(), order.elements()) {
    copy_from(host);
  }

  sharded(sharded&& other) noexcept
      : shards_(std::exchange(other.shards_, {})),
        size_(std::exchange(other.size_, 0)),
        block_(std::exchange(other.block_, 0)) {}
  sharded& operator=(sharded&& other) noexcept {
    std::swap(shards_, other.shards_);
    std::swap(size_, other.size_);
    std::swap(block_, other.block_);
    return *this;
  }
  sharded(const sharded&) = delete;  // no implicit copies
  sharded& operator=(const sharded&) = delete;
  ~sharded() = default;

  /// The number of elements of all shards.
  std::size_t size() const noexcept { return size_; }
  /// The number of GPUs.
  int shard_count() const noexcept { return static_cast<int>(shards_.size()); }
  /// The size of a block of `block_cyclic`, or 0 if the parts are contiguous.
  std::size_t block() const noexcept { return block_; }

  /// The elements on the GPU of this rank. The pointer is for code on that GPU.
  /// @throws invalid_argument if there is no such rank
  std::span<T> shard(int rank) {
    const part& p = checked(rank);
    return {p.data(), p.size()};
  }
  std::span<const T> shard(int rank) const {
    const part& p = checked(rank);
    return {p.data(), p.size()};
  }

  /// The view that `reduce` takes. It is valid while the array exists.
  /// @throws invalid_range if there are no shards: the array is moved from
  auto view() const {
    detail::require_shards(shards_.size());
    std::vector<view_of_t<std::span<const T>>> parts;
    parts.reserve(shards_.size());
    for (const part& p : shards_) parts.push_back(as_view(std::span<const T>(p.data(), p.size())));
    return shards_view<view_of_t<std::span<const T>>>(std::move(parts), block_);
  }

  /// Copies all elements from the host.
  /// @param host `size()` elements in the order of the array
  /// @throws invalid_range if it has another size
  void copy_from(std::span<const T> host) {
    require_size(host.size(), "from");
    copy([&](const part& p, std::size_t at, std::size_t in_part, std::size_t elements,
             std::size_t count) {
      p.copy({p.data() + in_part, elements * sizeof(T), host.data() + at, step() * sizeof(T),
              elements * sizeof(T), count},
             true);
    });
  }
  /// Copies all elements to the host, in the order of the array.
  /// @throws invalid_range if `host` has another size than `size()`
  void copy_to(std::span<T> host) const {
    require_size(host.size(), "to");
    copy([&](const part& p, std::size_t at, std::size_t in_part, std::size_t elements,
             std::size_t count) {
      p.copy({host.data() + at, step() * sizeof(T), p.data() + in_part, elements * sizeof(T),
              elements * sizeof(T), count},
             false);
    });
  }
  /// Returns the elements, copied to the host, in the order of the array.
  std::vector<T> to_host() const
    requires std::is_default_constructible_v<T>
  {
    std::vector<T> host(size_);
    copy_to(host);
    return host;
  }

 private:
  struct allocated {};

  // The memory of one GPU.
  class part {
   public:
    part(const runtime::shard_place& place, std::size_t size) : place_(place), size_(size) {
      if (size != 0) data_ = place.functions->allocate(place, size * sizeof(T));
    }
    part(part&& other) noexcept
        : place_(other.place_), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
    part& operator=(part&&) = delete;
    part(const part&) = delete;
    part& operator=(const part&) = delete;
    ~part() {
      if (data_ != nullptr) place_.functions->free(data_);
    }

    T* data() const { return static_cast<T*>(data_); }
    std::size_t size() const { return size_; }
    void copy(const runtime::block_copy& c, bool to_place) const {
      if (c.bytes != 0 && c.count != 0) place_.functions->copy(place_, c, to_place);
    }
    void require_ready() const { place_.functions->require_ready(place_); }
    void wait() const { place_.functions->wait(place_); }

   private:
    runtime::shard_place place_;
    void* data_ = nullptr;
    std::size_t size_;
  };

  template <class Gpus>
  sharded(allocated, const Gpus& gpus, std::size_t size, std::size_t block)
      : size_(size), block_(block) {
    if (size > static_cast<std::size_t>(-1) / 2 / sizeof(T)) {
      throw_error<out_of_memory>(
          "warpfold: a sharded array of ", size,
          " elements exceeds the address space; reduce the number of elements");
    }
    const int count = gpus.size();
    shards_.reserve(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
      shards_.emplace_back(gpus.place(rank), size_of_shard(rank, count));
    }
  }

  std::size_t size_of_shard(int rank, int count) const {
    if (block_ == 0) return shard_begin(size_, rank + 1, count) - shard_begin(size_, rank, count);
    const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(count);
    const std::size_t blocks = size_ / block_;
    const std::size_t own = blocks / n + (r < blocks % n ? 1 : 0);
    return own * block_ + (r == blocks % n ? size_ % block_ : 0);
  }

  // From the start of a GPU's block to its next one, in elements of the array.
  std::size_t step() const { return block_ * shards_.size(); }

  // Calls `one(part, place in the array, place in the part, elements of a block, blocks)` for all
  // elements, and waits.
  template <class One>
  void copy(const One& one) const {
    for (const part& p : shards_) p.require_ready();
    try {
      for (std::size_t r = 0; r < shards_.size(); ++r) {
        const part& p = shards_[r];
        if (block_ == 0) {
          const int count = shard_count();
          one(p, shard_begin(size_, static_cast<int>(r), count), 0, p.size(), 1);
        } else {
          const std::size_t blocks = p.size() / block_;
          one(p, r * block_, 0, block_, blocks);
          const std::size_t rest = p.size() % block_;
          if (rest != 0) one(p, r * block_ + blocks * step(), blocks * block_, rest, 1);
        }
      }
      for (const part& p : shards_) p.wait();
    } catch (...) {
      wait_after_failure();  // the host's memory may be gone after the call
      throw;
    }
  }
  void wait_after_failure() const noexcept {
    for (const part& p : shards_) {
      try {
        p.wait();
      } catch (...) {
      }
    }
  }

  const part& checked(int rank) const {
    if (rank >= 0 && rank < shard_count()) return shards_[static_cast<std::size_t>(rank)];
    throw_error<invalid_argument>("warpfold: there is no shard ", rank, " among ", shard_count(),
                                  "; pass the rank of a GPU, from 0");
  }
  void require_size(std::size_t host, const char* direction) const {
    if (host == size_) return;
    throw_error<invalid_range>("warpfold: a copy ", direction, " the host has ", host,
                               " elements, but the sharded array has ", size_, "; pass a span of ",
                               size_);
  }

  std::vector<part> shards_;
  std::size_t size_ = 0;
  std::size_t block_ = 0;
};

}  // namespace warpfold
