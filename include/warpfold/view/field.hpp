/// @file
/// `field<&T::x>(range)`: one member of each structure of a range.
#pragma once

#include <warpfold/view/member_pointer.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold {

namespace detail {

// Selects a member of a structure or of a type derived from it. The member is a template argument,
// so nothing is called through a pointer and nothing is copied to the GPU.
template <auto Member>
struct member_of {
  using structure = typename member_pointer<decltype(Member)>::structure;
  using type = std::remove_cv_t<typename member_pointer<decltype(Member)>::type>;

  WARPFOLD_HD constexpr type operator()(const structure& s) const { return s.*Member; }
};
template <auto Member>
inline constexpr bool only_selects<member_of<Member>> = true;

}  // namespace detail

/// The member `Member` of `size` structures of type `T`, starting at `data`. Each is loaded alone,
/// without the rest of its structure. `field` makes one for larger structures.
template <class T, auto Member>
class field_view
    : public element_loads<field_view<T, Member>, typename detail::member_of<Member>::type> {
 public:
  using value_type = typename detail::member_of<Member>::type;
  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = false;

  field_view() = default;
  WARPFOLD_HD constexpr field_view(const T* data, std::size_t size) : data_(data), size_(size) {}

  WARPFOLD_HD constexpr std::size_t size() const { return size_; }
  WARPFOLD_HD constexpr const value_type& operator[](std::size_t i) const {
    return data_[i].*Member;
  }

  /// Visits whole structures: the bytes between the members cannot be told apart.
  void visit_memory(auto&& visit) const {
    contiguous_view<const T>(data_, size_).visit_memory(visit);
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

// True if a thread loads several structures with one 16-byte load, that is below 16 bytes. Larger
// ones would take more loads than there are structures.
template <class View>
inline constexpr bool is_wide_for_fields = true;
template <class T>
inline constexpr bool is_wide_for_fields<contiguous_view<T>> =
    contiguous_view<T>::chunk_type::fills_words && sizeof(T) < word_bytes;

}  // namespace detail

/// Returns a view of the member `Member` of each structure of `range`.
///
/// @tparam Member a pointer to a data member of the elements or of a base class of theirs
/// @param range any range or view; must outlive the view
/// @return a view of the members; nothing is stored
///
/// Cost: the memory of whole structures, in sectors of 32 bytes. If most of a large structure is
/// unused, separate arrays (soa.hpp) are read faster. Contiguous structures of less than 16
/// bytes are loaded 16 bytes at a time, from larger ones only the member. Other views load their
/// structures as usual.
///
/// ```cpp
/// struct particle { float mass, charge; };
/// std::vector<particle> v{{1, 2}, {3, 4}};
/// auto mass = wf::sum(wf::seq, wf::field<&particle::mass>(v));  // 4
/// ```
template <auto Member, class Range>
  requires reducible_range<Range>
auto field(Range&& range) {
  WARPFOLD_REQUIRE_LASTING("field", Range);
  using parts = detail::member_pointer<decltype(Member)>;
  using base = view_of_t<Range>;
  using T = typename base::value_type;
  static_assert(parts::is_object,
                "warpfold: field takes a pointer to a data member, field<&particle::mass>(v)");
  if constexpr (parts::is_object) {
    constexpr bool is_array = std::is_array_v<typename parts::type>;
    static_assert(!is_array,
                  "warpfold: field cannot select an array member; use project with a function of "
                  "the structure");
    constexpr bool belongs = std::is_convertible_v<const T*, const typename parts::structure*>;
    static_assert(belongs,
                  "warpfold: the member that field was given is not one of the range's elements; "
                  "pass a member of their type");
    if constexpr (is_array) {
      return detail::refused{};
    } else if constexpr (!belongs) {
      // Of the right type, so that no second error follows.
      return contiguous_view<const typename parts::type>();
    } else if constexpr (detail::is_wide_for_fields<base>) {
      return transform_view<base, detail::member_of<Member>>(as_view(range), {});
    } else {
      const auto all = as_view(range);
      return field_view<T, Member>(all.data(), all.size());
    }
  } else {
    return detail::refused{};
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <auto Member, class Range = detail::braces>
  requires(!reducible_range<Range>)
auto field(const Range&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
