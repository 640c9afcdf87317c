// Loads of chunks of several arrays in each way, and the values that expressions compute of them.
#include <warpfold/view/array_source.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/view/global_access.hpp>

namespace wf = warpfold;

namespace {

struct minus {
  double operator()(float x, double y) const { return static_cast<double>(x) - y; }
};
using difference = wf::detail::projected_value<
    wf::detail::zipped_value<wf::detail::array_value, wf::detail::array_value>, minus>;
using source = wf::array_source<difference, float, double>;

static_assert(std::is_same_v<source::value_type, double>);
static_assert(source::chunk_size == 4);
static_assert(source::words<4> == 3 && source::words<1> == 2);
static_assert(difference::computes && !wf::detail::array_value::computes);
static_assert(wf::array_source<wf::detail::array_value, char>::chunk_size == 16);
struct three {
  float x, y, z;
};
static_assert(wf::array_source<wf::detail::array_value, three>::chunk_size == 1);

struct arrays {
  alignas(16) float x[16];
  alignas(16) double y[16];
  source s{{x, {y}}, {}};

  arrays() {
    for (int i = 0; i < 16; ++i) {
      x[i] = static_cast<float>(i * i);
      y[i] = 100 * i;
    }
  }
};

}  // namespace

TEST_CASE("each array is loaded in its own way") {
  using how = wf::array_load;
  const arrays a;
  const wf::global_access loads;
  const std::size_t at[] = {4, 2};
  source::chunk_type<4> c;
  const auto check = [&](std::size_t x_step, std::size_t y_step, how x_how, how y_how, int here) {
    const std::size_t step[] = {x_step, y_step};
    const how ways[] = {x_how, y_how};
    a.s.load<4>(c, at, step, ways, here, loads);
    for (int k = 0; k < 4; ++k) {
      const auto own = static_cast<std::size_t>(k < here ? k : here - 1);
      CHECK(a.s.get<4>(c, k) == static_cast<double>(a.x[4 + own * x_step]) - a.y[2 + own * y_step]);
    }
  };
  check(1, 1, how::words, how::words, 4);
  check(1, 1, how::words, how::words, 3);
  check(1, 0, how::words, how::elements, 4);
  check(3, 2, how::elements, how::elements, 4);
  check(3, 0, how::elements, how::elements, 1);
}

TEST_CASE("one element, and values on the host") {
  const arrays a;
  const std::size_t at[] = {5, 7};
  source::chunk_type<1> c;
  a.s.load_one(c, at, wf::global_access{});
  CHECK(a.s.get<1>(c, 0) == 25 - 700);
  CHECK(a.s.value(at) == 25 - 700);
}
