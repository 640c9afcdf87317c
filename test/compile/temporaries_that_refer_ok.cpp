// What may be a temporary: it refers to elements that live elsewhere. What owns its elements may not.
// expect: ok
#include <array>
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

namespace wf = warpfold;

// A pointer and a size, as many libraries have their own.
struct own_span {
  float* p;
  std::size_t n;
  float* data() const { return p; }
  std::size_t size() const { return n; }
};
// Its elements are const where it is const, as an owner's are, and it says that it is none.
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

using wf::detail::outlives_call;
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
  // A temporary that is given to a call directly lives as long as the call.
  return sum(wf::project(std::span(v), negate{})) + sum(wf::project(own_span(own), negate{})) +
         sum(wf::project(wf::field<&point::x>(std::span(p)), negate{})) +
         static_cast<float>(sum(wf::packed(std::string_view(c.data(), c.size())))) +
         static_cast<float>(wf::reduce(wf::seq, std::array{1, 2, 3}, wf::plus{}));
}
