// Pointers to data members of class and enum types in kernels: nvcc 13.0 writes the types of such
// pointers wrongly in the host's launch code.
#include <warpfold/transform.hpp>
#include <warpfold/warpfold.hpp>

#include <doctest/doctest.h>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

struct vec {
  int x, y;
  friend WARPFOLD_HD constexpr bool operator==(const vec& a, const vec& b) {
    return a.x == b.x && a.y == b.y;
  }
  friend WARPFOLD_HD constexpr bool operator<(const vec& a, const vec& b) { return a.x < b.x; }
};
enum class color { red, green, blue };
// The members have the names of their types, which the wrong code confuses.
struct particle {
  struct vec vec;
  enum color color;
};
struct add {
  WARPFOLD_HD vec operator()(const vec& a, const vec& b) const { return {a.x + b.x, a.y + b.y}; }
};

std::vector<particle> particles(int n) {
  std::vector<particle> all;
  for (int i = 0; i < n; ++i) all.push_back({{(i * 7) % 1001, -i}, static_cast<color>(i % 3)});
  return all;
}

}  // namespace

TEST_CASE("projections onto members of class and enum types") {
  const auto host = particles(10000);
  const test::device_memory::array<particle> array(host, 0);
  const std::span<const particle> range(array.data(), host.size());
  const vec sum = wf::reduce(wf::device, wf::project(range, &particle::vec), vec{0, 0}, add{});
  CHECK(sum == wf::reduce(wf::seq, wf::project(host, &particle::vec), vec{0, 0}, add{}));
  CHECK(wf::count(wf::device, wf::project(range, &particle::color), color::blue) == 3333);
  CHECK(wf::argmax(wf::device, range, {}, &particle::vec).index ==
        wf::argmax(wf::seq, host, {}, &particle::vec).index);
}

TEST_CASE("a transformation that selects a member of class type") {
  const auto host = particles(1000);
  const test::device_memory::array<particle> array(host, 0);
  wf::device_buffer<vec> out(host.size());
  wf::transform(wf::device, std::span<const particle>(array.data(), host.size()),
                std::span<vec>(out.data(), out.size()), &particle::vec);
  const auto selected = test::device_memory::values(out.data(), host.size());
  for (std::size_t i = 0; i < host.size(); ++i) CHECK(selected[i] == host[i].vec);
}
