// A range that refers to elements elsewhere may be a temporary. A range that owns its elements may
// not.
// expect: ok
#include <array>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/packed.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/zip.hpp>

#include "compile/any_mdspan.hpp"

namespace wf = warpfold;

// A pointer and a size, as in many libraries.
struct own_span {
  float* p;
  std::size_t n;
  float* data() const { return p; }
  std::size_t size() const { return n; }
};
// Its elements are const if it is const, as for an owner, but it is a borrowed range.
struct deep_span {
  float* p;
  std::size_t n;
  float* data() { return p; }
  const float* data() const { return p; }
  std::size_t size() const { return n; }
  float* begin() { return p; }
  float* end() { return p + n; }
};
template <>
inline constexpr bool std::ranges::enable_borrowed_range<deep_span> = true;
// Owners.
struct vec3 {
  float at[3];
  float* data() { return at; }
  const float* data() const { return at; }
  std::size_t size() const { return 3; }
};
struct iterated {
  float at[3];
  float* begin() { return at; }
  float* end() { return at + 3; }
  const float* begin() const { return at; }
  const float* end() const { return at + 3; }
};

// Owners with read-only elements, in all forms of a range.
struct read_only {
  double at[3];
  const double* data() const { return at; }
  std::size_t size() const { return 3; }
};
struct read_only_iterated {
  double at[3];
  const double* begin() const { return at; }
  const double* end() const { return at + 3; }
};
struct read_only_text {
  std::size_t used;
  char text[24];
  using value_type = char;
  const char* data() const { return text; }
  std::size_t size() const { return used; }
};
// The same functions in a class that is a borrowed range.
template <class T>
struct const_span {
  using element_type = T;
  T* p;
  std::size_t n;
  T* data() const { return p; }
  std::size_t size() const { return n; }
};
struct text_view {
  const char* p;
  std::size_t n;
  const char* data() const { return p; }
  std::size_t size() const { return n; }
  void remove_prefix(std::size_t k) { p += k, n -= k; }
};
struct pointers {
  const float *first, *last;
  const float* begin() const { return first; }
  const float* end() const { return last; }
  pointers& advance(std::ptrdiff_t k) { return first += k, *this; }
};
struct standard_view : std::ranges::view_base {
  const float* p;
  std::size_t n;
  const float* data() const { return p; }
  std::size_t size() const { return n; }
};
struct borrowed {
  const float* p;
  std::size_t n;
  const float* data() const { return p; }
  std::size_t size() const { return n; }
};
template <>
inline constexpr bool std::ranges::enable_borrowed_range<borrowed> = true;
// If elements of a const class are writable, the class does not own them.
struct writable_pointers {
  float *first, *last;
  float* begin() const { return first; }
  float* end() const { return last; }
};

using wf::detail::outlives_call;
static_assert(!outlives_call<read_only> && !outlives_call<const read_only> &&
              !outlives_call<read_only_iterated> && !outlives_call<read_only_text> &&
              !outlives_call<std::ranges::single_view<double>> && outlives_call<read_only&> &&
              outlives_call<const read_only_text&>);
static_assert(outlives_call<const_span<const float>> && outlives_call<const_span<float>> &&
              outlives_call<text_view> && outlives_call<pointers> && outlives_call<standard_view> &&
              outlives_call<borrowed> && outlives_call<writable_pointers> &&
              outlives_call<std::ranges::subrange<const float*>> &&
              outlives_call<std::ranges::iota_view<int, int>> &&
              outlives_call<decltype(std::views::take(std::declval<std::vector<float>&>(), 2))> &&
              outlives_call<std::ranges::ref_view<std::vector<float>>> && outlives_call<matrix> &&
              outlives_call<wf::view_of_t<matrix>>);
static_assert(outlives_call<std::span<float>> && outlives_call<std::span<const float, 3>> &&
              outlives_call<const std::span<float>> && outlives_call<std::string_view> &&
              outlives_call<own_span> && outlives_call<deep_span> && outlives_call<float*> &&
              outlives_call<wf::contiguous_view<float>> &&
              outlives_call<wf::contiguous_output<float>> && outlives_call<wf::counting_view<int>>);
static_assert(outlives_call<std::array<int, 3>&> && outlives_call<const vec3&> &&
              outlives_call<float (&)[3]> && outlives_call<std::vector<int>&>);
static_assert(!outlives_call<std::array<int, 3>> && !outlives_call<const std::array<int, 3>> &&
              !outlives_call<std::array<const int, 3>> && !outlives_call<float[3]> &&
              !outlives_call<std::initializer_list<int>> &&
              outlives_call<const std::initializer_list<int>&> && !outlives_call<vec3> &&
              !outlives_call<const vec3> && !outlives_call<iterated> &&
              !outlives_call<std::vector<int>>);

struct point {
  float x, y, z;
};
struct negate {
  float operator()(float x) const { return -x; }
};

float call(std::vector<float>& v, std::vector<char>& c, std::vector<point>& p) {
  const own_span own{v.data(), v.size()};
  wf::copy(wf::seq, v, std::span(v));
  wf::copy(wf::seq, v, own_span(own));
  wf::copy(wf::seq, v, v.data());
  wf::copy(wf::seq, wf::staged(std::span<const point>(p)), wf::staged(std::span(p)));
  const auto sum = [](const auto& range) { return wf::reduce(wf::seq, range, wf::plus{}); };
  // A temporary in the argument of a call lives as long as the call.
  const std::span<const float> read(v);
  const auto a = wf::project(const_span<const float>{v.data(), v.size()}, negate{});
  const auto b = wf::zip(read, borrowed{v.data(), v.size()});
  const auto d = wf::project(std::views::take(v, 2), negate{});
  return sum(a) + sum(wf::project(b, [](const auto& x) { return wf::get<0>(x); })) + sum(d) +
         sum(wf::project(std::span(v), negate{})) + sum(wf::project(own_span(own), negate{})) +
         sum(wf::project(wf::field<&point::x>(std::span(p)), negate{})) +
         static_cast<float>(sum(wf::packed(std::string_view(c.data(), c.size())))) +
         static_cast<float>(wf::reduce(wf::seq, std::array{1, 2, 3}, wf::plus{}));
}
