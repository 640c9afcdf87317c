/// @file
/// Structs whose members are stored in separate arrays, as one sequence of structs.
#pragma once

#include <utility>

#include <warpfold/view/member_pointer.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

/// The value type of an array member `E x[Count]`: the same bytes as a struct.
template <class E, std::size_t Count>
struct member_array {
  E elements[Count];

  static WARPFOLD_HD constexpr std::size_t size() { return Count; }
  WARPFOLD_HD constexpr E& operator[](std::size_t i) { return elements[i]; }
  WARPFOLD_HD constexpr const E& operator[](std::size_t i) const { return elements[i]; }

  friend WARPFOLD_HD constexpr bool operator==(const member_array& a, const member_array& b) {
    for (std::size_t i = 0; i < Count; ++i) {
      if (!(a.elements[i] == b.elements[i])) return false;
    }
    return true;
  }
};

namespace detail {

template <class Member>
struct field_element {
  using type = Member;
};
template <class E, std::size_t Count>
struct field_element<E[Count]> {
  using type = member_array<E, Count>;
};

}  // namespace detail

/// The element type of the array for one member, `field_t<&particle::mass>`: the member's type, or
/// a `member_array` for an array member.
template <auto Member>
using field_t = typename detail::field_element<
    typename detail::member_pointer<std::remove_cv_t<decltype(Member)>>::type>::type;

namespace detail {

// Bytes of objects of any type. Not single ones: ptxas would reassemble numbers from them.
template <std::size_t Bytes>
struct alignas(Bytes) WARPFOLD_MAY_ALIAS piece {
  std::conditional_t<Bytes % 4 == 0, std::uint32_t,
                     std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>
      part[Bytes % 4 == 0 ? Bytes / 4 : 1];
};

// `Count` elements of one field in registers. A load is the greatest power of two up to 16 that
// divides their bytes: 2 chars in one load of 2 bytes, 4 float3 in three of 16.
template <class F, int Count>
union field_chunk {
  static constexpr std::size_t piece_bytes = gcd(sizeof(F) * Count, word_bytes);
  static constexpr int pieces = static_cast<int>(sizeof(F) * Count / piece_bytes);

  using piece_type = std::conditional_t<piece_bytes == word_bytes, word, piece<piece_bytes>>;

  piece_type as_pieces[std::size_t{pieces}];
  F elements[std::size_t{Count}];

  WARPFOLD_HD field_chunk() {}

  // `from` is aligned to piece_bytes.
  inline WARPFOLD_HD void load(const unsigned char* from, const auto& loads) {
    WARPFOLD_UNROLL
    for (int p = 0; p < pieces; ++p) {
      if constexpr (piece_bytes == word_bytes) {
        as_pieces[p] = loads.load_word(from + static_cast<std::size_t>(p) * word_bytes);
      } else {
        as_pieces[p] = loads.load(
            reinterpret_cast<const piece_type*>(from + static_cast<std::size_t>(p) * piece_bytes));
      }
    }
  }
};

// Assembled by members: no default constructor. Others are zero; padding is unspecified.
template <class T>
union assembled {
  unsigned char bytes[sizeof(T)];
  T value;

  WARPFOLD_HD assembled() : bytes{} {}

  template <auto Member, class F>
  WARPFOLD_HD void set(const F& x) {
    __builtin_memcpy(static_cast<void*>(__builtin_addressof(value.*Member)), &x, sizeof x);
  }
};

// Makes a `T` from a tuple of its members' values.
template <class T, auto... Members>
struct assemble {
  template <class... Ms>
  WARPFOLD_HD T operator()(const tuple<Ms...>& members) const {
    return of(members, std::make_index_sequence<sizeof...(Members)>{});
  }

 private:
  template <class Tuple, std::size_t... At>
  static WARPFOLD_HD T of(const Tuple& members, std::index_sequence<At...>) {
    assembled<T> made;
    (made.template set<Members>(static_cast<field_t<Members>>(warpfold::get<At>(members))), ...);
    return made.value;
  }
};

template <class Byte, auto... Members>
class member_arrays {
 public:
  member_arrays() = default;
  template <class... Fs>
  WARPFOLD_HD explicit member_arrays(std::size_t size, Fs*... arrays)
      : arrays_{reinterpret_cast<Byte*>(arrays)...}, size_(size) {}

  WARPFOLD_HD std::size_t size() const { return size_; }

  void visit_memory(auto&& visit) const {
    visit_arrays(
        [&]<class F>(const F* array) { contiguous_view<F>(array, size_).visit_memory(visit); },
        every{});
  }
  void visit_columns(auto&& visit) const {
    visit_arrays(
        [&]<class F>(const F* array) { visit(static_cast<const void*>(array), sizeof(F)); },
        every{});
  }

 protected:
  using every = std::make_index_sequence<sizeof...(Members)>;

  Byte* arrays_[sizeof...(Members) != 0 ? sizeof...(Members) : 1] = {};
  std::size_t size_ = 0;

 private:
  // Not a lambda: clang 14 cannot expand `Members` in a generic one.
  template <class Visit, std::size_t... At>
  void visit_arrays(const Visit& visit, std::index_sequence<At...>) const {
    (visit(reinterpret_cast<const field_t<Members>*>(arrays_[At])), ...);
  }
};

}  // namespace detail

/// Elements of type `T` whose members are stored in separate arrays, in the order of `Members`. A
/// `T` is assembled in registers from one or more loads per member. Members that are not listed are
/// zero, and padding has no value.
///
/// The chunk size is the smallest among the members: 2 for chars beside doubles. Neighboring
/// threads then load neighboring words of each array. `zip` would take 16 chars and 16 doubles, so
/// a thread's doubles would start 128 bytes after those of the thread before.
template <class T, auto... Members>
class soa_view : public detail::member_arrays<const unsigned char, Members...> {
  using base = detail::member_arrays<const unsigned char, Members...>;
  using base::arrays_;
  using typename base::every;

  static constexpr int shortest() {
    int n = static_cast<int>(word_bytes);
    ((n = detail::elements_per_chunk(sizeof(field_t<Members>)) < n
              ? detail::elements_per_chunk(sizeof(field_t<Members>))
              : n),
     ...);
    return n;
  }

 public:
  using value_type = T;
  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = false;
  static constexpr int chunk_size = shortest();
  using chunk_type = tuple<detail::field_chunk<field_t<Members>, chunk_size>...>;

  soa_view() = default;
  /// @param size number of elements of each array
  /// @param arrays one for each member, aligned to 16 bytes
  WARPFOLD_HD explicit soa_view(std::size_t size, const field_t<Members>*... arrays)
      : base(size, arrays...) {}

  WARPFOLD_HD T operator[](std::size_t i) const { return element(i, every{}); }

  WARPFOLD_HD std::size_t head() const { return chunk_size == 1 ? any_head : 0; }

  inline WARPFOLD_HD T at(std::size_t i, const auto& loads) const {
    tuple<detail::field_chunk<field_t<Members>, 1>...> one;
    load_fields(one, i, loads, every{});
    return assembled_from(one, 0, every{});
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    load_fields(c, i, loads, every{});
  }

  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    // The same for every chunk and thread of a launch, so the branch never diverges.
    if (i % chunk_size == 0) {
      load(c, i, loads);
    } else {
      load_singly(c, i, loads, every{});
    }
  }

  WARPFOLD_HD T get(const chunk_type& c, int k) const { return assembled_from(c, k, every{}); }

 private:
  template <std::size_t... At>
  WARPFOLD_HD T element(std::size_t i, std::index_sequence<At...>) const {
    detail::assembled<T> made;
    (made.template set<Members>(reinterpret_cast<const field_t<Members>*>(arrays_[At])[i]), ...);
    return made.value;
  }

  template <int Count, class Loads, std::size_t... At>
  WARPFOLD_HD void load_fields(tuple<detail::field_chunk<field_t<Members>, Count>...>& c,
                               std::size_t i, const Loads& loads,
                               std::index_sequence<At...>) const {
    (warpfold::get<At>(c).load(arrays_[At] + i * sizeof(field_t<Members>), loads), ...);
  }

  template <class Loads, std::size_t... At>
  WARPFOLD_HD void load_singly(chunk_type& c, std::size_t i, const Loads& loads,
                               std::index_sequence<At...>) const {
    (load_each(warpfold::get<At>(c), arrays_[At] + i * sizeof(field_t<Members>), loads), ...);
  }
  template <class F, class Loads>
  static WARPFOLD_HD void load_each(detail::field_chunk<F, chunk_size>& c,
                                    const unsigned char* from, const Loads& loads) {
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_size; ++k) {
      detail::field_chunk<F, 1> one;
      one.load(from + static_cast<std::size_t>(k) * sizeof(F), loads);
      ::new (static_cast<void*>(&c.elements[k])) F(one.elements[0]);
    }
  }

  template <int Count, std::size_t... At>
  static WARPFOLD_HD T
  assembled_from(const tuple<detail::field_chunk<field_t<Members>, Count>...>& c, int k,
                 std::index_sequence<At...>) {
    detail::assembled<T> made;
    (made.template set<Members>(warpfold::get<At>(c).elements[k]), ...);
    return made.value;
  }
};

/// An output view: the members of element `i` go to their arrays, with coalesced stores.
template <class T, auto... Members>
class soa_output : public detail::member_arrays<unsigned char, Members...> {
  using base = detail::member_arrays<unsigned char, Members...>;

 public:
  using value_type = T;
  static constexpr int chunk_size = 1;
  using chunk_type = chunk<T, 1>;

  WARPFOLD_HD explicit soa_output(std::size_t size, field_t<Members>*... arrays)
      : base(size, arrays...) {}

  WARPFOLD_HD std::size_t head() const { return any_head; }

  WARPFOLD_HD void set(chunk_type& c, int, const T& value) const { c.set(0, value); }
  inline WARPFOLD_HD void store(const chunk_type& c, std::size_t i, const auto& stores) const {
    store_at(i, c.elements[0], stores);
  }
  inline WARPFOLD_HD void store_at(std::size_t i, const T& value, const auto& stores) const {
    store_fields(i, value, stores, typename base::every{});
  }

 private:
  template <class Stores, std::size_t... At>
  WARPFOLD_HD void store_fields(std::size_t i, const T& value, const Stores& stores,
                                std::index_sequence<At...>) const {
    (store_field<field_t<Members>>(this->arrays_[At], i, __builtin_addressof(value.*Members),
                                   stores),
     ...);
  }
  template <class F, class Stores>
  static WARPFOLD_HD void store_field(unsigned char* array, std::size_t i, const void* member,
                                      const Stores& stores) {
    chunk<F, 1> field;
    __builtin_memcpy(static_cast<void*>(&field.elements[0]), member, sizeof(F));
    stores.store(reinterpret_cast<F*>(array) + i, field.elements[0]);
  }
};

}  // namespace warpfold
