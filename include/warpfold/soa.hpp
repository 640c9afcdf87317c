/// @file
/// needs: boost
/// `host_soa` and `soa`: containers that store each field of a struct in its own array. `zip_to`:
/// separate arrays as one sequence of structs.
///
/// Includes Hana by design, through fields.hpp: Hana knows the fields.
///
/// A reduction of one field then reads only that field, and a reduction of whole structs reads each
/// array with coalesced loads. With a vector of structs both read all bytes, in steps of the
/// struct's size.
///
///     struct particle {
///       BOOST_HANA_DEFINE_STRUCT(particle, (float, mass), (double, charge));
///     };
///     wf::host_soa<particle> all(particles);  // from a std::vector or std::span
///     wf::reduce(wf::seq, all.field<&particle::mass>(), wf::plus{});   // one field
///     wf::reduce(wf::seq, all, heavier{});                             // whole particles
///
/// A nested struct is one field. So is an array member, whose elements are `wf::member_array`s.
/// BOOST_HANA_DEFINE_STRUCT takes its type by a name: `(std::type_identity_t<float[3]>, position)`.
/// Members unknown to Hana are not stored and are read back as zeros; padding has no value.
///
/// Example: test/examples/soa.cpp
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/core/error.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/copy_to_device.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/fields.hpp>
#include <warpfold/view/soa_view.hpp>

namespace warpfold {
namespace detail {

/// Alignment of each field's array in bytes, as GPU allocations have.
inline constexpr std::size_t array_alignment = 256;

/// Host memory, aligned to array_alignment.
class host_bytes {
 public:
  host_bytes() = default;
  explicit host_bytes(std::size_t size)
      : data_(size == 0 ? nullptr
                        : static_cast<unsigned char*>(
                              ::operator new(size, std::align_val_t{array_alignment}))) {}
  host_bytes(host_bytes&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  host_bytes& operator=(host_bytes&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  host_bytes(const host_bytes&) = delete;  // arrays are copied field by field
  host_bytes& operator=(const host_bytes&) = delete;
  ~host_bytes() { ::operator delete(data_, std::align_val_t{array_alignment}); }

  unsigned char* data() noexcept { return data_; }
  const unsigned char* data() const noexcept { return data_; }

 private:
  unsigned char* data_ = nullptr;
};

// The index of `Member` among `Members`; the number of `Members` if it is not one of them.
template <auto Member, auto... Members>
constexpr std::size_t place_of_member(member_list<Members...>) {
  std::size_t place = 0;
  (void)((std::is_same_v<member_list<Member>, member_list<Members>> || (++place, false)) || ...);
  return place;
}

template <class T, class Pointer>
inline constexpr bool points_into = false;
template <class T, class Member, class C>
inline constexpr bool points_into<T, Member C::*> =
    std::is_base_of_v<C, T> && !std::is_function_v<Member>;

// True if `Member` is one of `T`'s fields; otherwise reports an error.
template <class T, auto Member, class List>
constexpr bool check_field() {
  constexpr bool is_empty = std::is_same_v<List, member_list<>>;  // already reported
  constexpr bool own = is_empty || points_into<T, std::remove_cv_t<decltype(Member)>>;
  static_assert(own,
                "warpfold: field<...>() was given a pointer that is no data member of this struct");
  if constexpr (own && !is_empty) {
    constexpr bool named = place_of_member<Member>(List{}) < List::size;
    static_assert(named,
                  "warpfold: Boost.Hana does not know the member given to field<...>(); add it to "
                  "the description of the struct");
    return named;
  } else {
    return false;
  }
}

/// The arrays of all fields, in one allocation of `Bytes`.
template <class T, class Bytes, class List>
class soa_arrays;

template <class T, class Bytes, auto... Members>
class soa_arrays<T, Bytes, member_list<Members...>> {
  using list = member_list<Members...>;
  static_assert(((alignof(field_t<Members>) <= array_alignment) && ...),
                "warpfold: a field of this struct is aligned to more than 256 bytes, but arrays of "
                "fields are aligned to 256; reduce its alignment");

 public:
  using value_type = T;
  static constexpr std::size_t fields_count = sizeof...(Members);

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Returns the array of one field, `field<&T::x>()`, as a `std::span` aligned to 256 bytes. It is
  /// valid until the container grows, is assigned to or is destroyed.
  template <auto Member>
  auto field() const {
    return span_of<Member, const unsigned char>(*this);
  }
  template <auto Member>
  auto field() {
    return span_of<Member, unsigned char>(*this);
  }

  /// Returns a view of whole elements. `wf::reduce`, `wf::project` and `wf::zip` use it if given
  /// the container. It is valid as long as the span of `field`.
  auto view() const { return view_of(std::make_index_sequence<fields_count>{}); }

  /// Returns an output view of whole elements. `wf::transform` and `wf::copy` use it if given the
  /// container.
  auto output() { return output_of(std::make_index_sequence<fields_count>{}); }

 protected:
  soa_arrays() = default;
  // Not initialized.
  soa_arrays(std::size_t size, std::size_t capacity)
      : bytes_(bytes_for(capacity)), size_(size), capacity_(capacity) {}

  soa_arrays(soa_arrays&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  soa_arrays& operator=(soa_arrays&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~soa_arrays() = default;

  // Writes `count` elements at index `at`; for host memory.
  void scatter(const T* elements, std::size_t count, std::size_t at) {
    scatter(elements, count, at, std::make_index_sequence<fields_count>{});
  }

  // Copies `count` elements of `from`, starting at index `first`, to the start of this container,
  // array by array, with `copy(to, from, bytes)`.
  template <class OtherBytes, class Copy>
  void copy_arrays(const soa_arrays<T, OtherBytes, list>& from, std::size_t first,
                   std::size_t count, const Copy& copy) {
    if (count == 0) return;
    for (std::size_t f = 0; f < fields_count; ++f) {
      copy(bytes_.data() + start_of(f, capacity_),
           from.bytes_.data() + start_of(f, from.capacity_) + first * sizes[f], count * sizes[f]);
    }
  }

  // Bytes of all arrays with room for `capacity` elements.
  static std::size_t bytes_for(std::size_t capacity) {
    constexpr std::size_t each = (std::size_t{0} + ... + sizeof(field_t<Members>));
    constexpr std::size_t most = static_cast<std::size_t>(-1) - fields_count * array_alignment;
    if (each != 0 && capacity > most / each) {
      throw_error<out_of_memory>(
          "warpfold: the arrays for ", capacity, " elements, ", each,
          " bytes each, exceed the address space; reduce the number of elements");
    }
    return start_of(fields_count, capacity);
  }

  Bytes bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;

 private:
  template <class, class, class>
  friend class soa_arrays;

  static constexpr std::size_t sizes[fields_count + 1] = {sizeof(field_t<Members>)..., 0};

  // The first byte of array number `field`.
  static std::size_t start_of(std::size_t field, std::size_t capacity) {
    std::size_t at = 0;
    for (std::size_t f = 0; f < field; ++f) {
      at += (capacity * sizes[f] + array_alignment - 1) / array_alignment * array_alignment;
    }
    return at;
  }

  template <auto Member, class Byte, class Self>
  static auto span_of(Self& self) {
    using pointer = std::remove_cv_t<decltype(Member)>;
    if constexpr (check_field<T, Member, list>()) {
      using element =
          std::conditional_t<std::is_const_v<Byte>, const field_t<Member>, field_t<Member>>;
      Byte* const start =
          self.bytes_.data() + start_of(place_of_member<Member>(list{}), self.capacity_);
      return std::span<element>(reinterpret_cast<element*>(start), self.size_);
    } else if constexpr (std::is_member_object_pointer_v<pointer>) {
      return std::span<field_t<Member>>();  // so that no second error follows
    } else {
      return std::span<Byte>();
    }
  }

  template <std::size_t... At>
  auto view_of(std::index_sequence<At...>) const {
    return soa_view<T, Members...>(size_, field<Members>().data()...);
  }
  template <std::size_t... At>
  auto output_of(std::index_sequence<At...>) {
    return soa_output<T, Members...>(size_, field<Members>().data()...);
  }

  template <std::size_t... At>
  void scatter([[maybe_unused]] const T* elements, std::size_t count,
               [[maybe_unused]] std::size_t at, std::index_sequence<At...>) {
    // The addresses are kept in variables: the compiler cannot know that the stores do not change
    // bytes_.
    [[maybe_unused]] unsigned char* const to[] = {
        bytes_.data() + start_of(At, capacity_) + at * sizes[At]..., nullptr};
    for (std::size_t i = 0; i < count; ++i) {
      (std::memcpy(to[At] + i * sizes[At], __builtin_addressof(elements[i].*Members), sizes[At]),
       ...);
    }
  }
};

}  // namespace detail

/// Arrays in host memory, for the host policies: `wf::seq`, `wf::par`, `wf::emulated`. Movable, but
/// not implicitly copyable.
template <class T>
class host_soa : public detail::soa_arrays<T, detail::host_bytes, detail::fields_of<T>> {
  using base = detail::soa_arrays<T, detail::host_bytes, detail::fields_of<T>>;

 public:
  host_soa() = default;

  /// Makes `size` elements whose bytes are zero.
  /// @throws std::bad_alloc if memory is exhausted
  explicit host_soa(std::size_t size) : base(size, size) {
    if (size != 0) std::memset(this->bytes_.data(), 0, base::bytes_for(size));
  }

  /// Copies the elements in one pass.
  /// @throws std::bad_alloc if memory is exhausted
  explicit host_soa(std::span<const T> elements) : base(elements.size(), elements.size()) {
    this->scatter(elements.data(), elements.size(), 0);
  }

  /// Returns element `i`, assembled from its fields; `i` is not checked. Write fields through
  /// `field`.
  T operator[](std::size_t i) const { return this->view()[i]; }

  /// Appends an element. If the capacity is exhausted it doubles, so the amortized cost is
  /// constant.
  /// @throws std::bad_alloc if memory is exhausted; the container is then unchanged
  void push(const T& element) {
    if (this->size_ == this->capacity_) {
      // The first capacity fills the smallest array of one-byte elements.
      reserve(this->capacity_ == 0 ? detail::array_alignment : 2 * this->capacity_);
    }
    this->scatter(__builtin_addressof(element), 1, this->size_);
    ++this->size_;
  }

  /// Makes room for `capacity` elements in all.
  /// @throws std::bad_alloc if memory is exhausted; the container is then unchanged
  void reserve(std::size_t capacity) {
    if (capacity <= this->capacity_) return;
    host_soa larger(this->size_, capacity);
    larger.copy_arrays(*this, 0, this->size_,
                       [](void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); });
    *this = std::move(larger);
  }

  /// Returns the elements as structs.
  std::vector<T> to_host() const {
    std::vector<T> elements;
    elements.reserve(this->size_);
    for (std::size_t i = 0; i < this->size_; ++i) elements.push_back((*this)[i]);
    return elements;
  }

 private:
  template <class>
  friend class soa;

  host_soa(std::size_t size, std::size_t capacity) : base(size, capacity) {}  // not initialized
};

#if defined(__CUDACC__)

/// Arrays in the memory of the current GPU, for `wf::device` and the other GPU policies. Movable,
/// but not implicitly copyable.
///
/// Copies run on the default stream and wait until they are done.
template <class T>
class soa : public detail::soa_arrays<T, device_buffer<unsigned char>, detail::fields_of<T>> {
  using base = detail::soa_arrays<T, device_buffer<unsigned char>, detail::fields_of<T>>;

 public:
  soa() = default;

  /// Makes `size` uninitialized elements with one cudaMalloc.
  /// @throws no_device,out_of_memory if there is no GPU or no memory
  explicit soa(std::size_t size) : base(size, size) {}

  /// Copies host arrays, with one cudaMemcpy per field.
  /// @throws no_device,out_of_memory,cuda_error if there is no GPU or no memory, or a copy fails
  explicit soa(const host_soa<T>& host) : base(host.size(), host.size()) {
    this->copy_arrays(host, 0, host.size(), [](void* to, const void* from, std::size_t n) {
      runtime::copy_to_device(to, from, n);
    });
  }

  /// Copies host elements. They are first converted to arrays on the host, which takes as many
  /// bytes again during the call.
  /// @throws no_device,out_of_memory,cuda_error,std::bad_alloc as above, or if host memory is
  ///     exhausted
  explicit soa(std::span<const T> host) : soa(host_soa<T>(host)) {}

  /// Returns element `i`, copied to the host with one cudaMemcpy per field: slow, for inspecting a
  /// few elements. `i` is not checked.
  /// @throws cuda_error if a copy fails
  T operator[](std::size_t i) const { return to_host(i, 1)[0]; }

  /// Returns the elements as structs, copied to the host.
  /// @throws cuda_error,std::bad_alloc if a copy fails, or if host memory is exhausted
  std::vector<T> to_host() const { return to_host(0, this->size_).to_host(); }

 private:
  host_soa<T> to_host(std::size_t first, std::size_t count) const {
    host_soa<T> host(count, count);
    host.copy_arrays(*this, first, count, [](void* to, const void* from, std::size_t n) {
      runtime::check(cudaMemcpy(to, from, n, cudaMemcpyDeviceToHost), "cudaMemcpy");
    });
    return host;
  }
};

#else

// A host compiler sees this class, which reports one error.
template <class T>
class soa {
  static_assert(sizeof(T) == 0,
                "warpfold: wf::soa keeps its arrays on the GPU and needs nvcc; use wf::host_soa "
                "here, or name this file .cu");

 public:
  template <class... Arguments>
  explicit soa(const Arguments&...) {}
};

#endif

namespace detail {

// True if there is a range for each field; otherwise reports an error.
template <class... Views, auto... Members>
constexpr bool check_columns(member_list<Members...>) {
  constexpr bool as_many = sizeof...(Views) == sizeof...(Members);
  static_assert(as_many || sizeof...(Members) == 0,
                "warpfold: zip_to takes one range for each field of the struct, in their order");
  if constexpr (as_many) {
    constexpr bool convertible =
        (std::is_convertible_v<typename Views::value_type, field_t<Members>> && ...);
    static_assert(convertible,
                  "warpfold: a range's elements do not convert to the struct's field; pass the "
                  "ranges to zip_to in the order of the fields");
    return convertible;
  } else {
    return false;
  }
}

template <class T, auto... Members>
assemble<T, Members...> assemble_from(member_list<Members...>) {
  return {};
}

}  // namespace detail

/// Returns a view of separate arrays as one sequence of structs: field `k` of element `i` is
/// element `i` of range `k`.
///
/// @tparam T a struct described to Boost.Hana, with one field for each range
/// @param ranges of equal size, in the order of the fields; must outlive the view
/// @return the view; nothing is stored
/// @throws invalid_range if the ranges have different sizes
///
/// Cost: none; a reduction of the view reads each range once, as for `zip`.
///
/// <!-- code: declarations -->
/// ```cpp
/// struct particle {
///   BOOST_HANA_DEFINE_STRUCT(particle, (float, mass), (double, charge));
/// };
/// inline double moment(const std::vector<float>& masses, const std::vector<double>& charges) {
///   const auto product = [](const particle& p) { return p.mass * p.charge; };
///   const auto all = wf::zip_to<particle>(masses, charges);
///   return wf::reduce(wf::seq, wf::project(all, product), wf::plus{});
/// }
/// ```
template <class T, class... Ranges>
  requires(reducible_range<Ranges> && ...)
auto zip_to(Ranges&&... ranges) {
  using fields = detail::fields_of<T>;
  if constexpr (detail::check_columns<view_of_t<Ranges>...>(fields{})) {
    const std::size_t sizes[] = {as_view(ranges).size()...};
    for (const std::size_t size : sizes) {
      if (size == sizes[0]) continue;
      throw_error<invalid_range>("warpfold: zip_to was given ranges of ", sizes[0], " and of ",
                                 size, " elements; pass ranges of the same size");
    }
    return project(zip(std::forward<Ranges>(ranges)...), detail::assemble_from<T>(fields{}));
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class T, class... Ranges>
  requires(!(reducible_range<Ranges> && ...))
auto zip_to(const Ranges&...) {
  return detail::refuse_ranges<Ranges...>();
}

}  // namespace warpfold
