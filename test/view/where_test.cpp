// wf::where: elements and bits as chunks load them, for masks of every unit, offset and alignment.
// needs: boost_context
#include <warpfold/view/where.hpp>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/counted_loads.hpp"
#include "contract/view_contract.hpp"

namespace {

template <class Unit>
bool bit(const std::vector<Unit>& mask, std::size_t n) {
  constexpr std::size_t width = 8 * sizeof(Unit);
  return (mask[n / width] >> n % width & 1) != 0;
}

/// Views of `n` elements with the bits from `first` on, compared with loops.
template <class Base, class Unit>
void check_bits(const Base& base, const std::vector<Unit>& mask, const Unit* placed,
                std::size_t first) {
  constexpr std::size_t width = 8 * sizeof(Unit);
  const std::size_t n = base.size(), units = (first + n + width - 1) / width;
  INFO(n, " elements, bits from ", first, ", units of ", width, " bits");
  const auto view = wf::where(base, std::span<const Unit>(placed, units), first);
  REQUIRE(view.size() == n);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    wrong += !(view[i].value == base[i]) || view[i].is_set != bit(mask, first + i);
  }
  CHECK(wrong == 0);
  test::check_chunks(view);
  const std::size_t read = n == 0 ? 0 : units - first / width;
  CHECK(wf::bytes_of(view) == wf::bytes_of(base) + read * sizeof(Unit));
}

constexpr std::size_t sizes[] = {0, 1, 5, 17, 131};
constexpr std::size_t firsts[] = {0, 1, 7, 31, 64, 77};

template <class T, class Unit>
void check_offsets() {
  const auto values = test::any_values<T>(400);
  const auto mask = test::any_values<Unit>(600 / sizeof(Unit));
  const test::host_memory::array<Unit> bits(mask, sizeof(Unit));
  for (const std::size_t offset : test::offsets<T>()) {
    const test::host_memory::array<T> placed(values, offset);
    for (const std::size_t n : sizes) {
      for (const std::size_t first : firsts) {
        check_bits(wf::as_view(std::span<const T>(placed.data(), n)), mask, bits.data(), first);
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("masks of every unit and offset", Unit, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  check_offsets<float, Unit>();
  check_offsets<signed char, Unit>();
}

TEST_CASE("other views: computed, strided, reversed, zipped, and no memory at all") {
  const auto values = test::any_values<double>(200);
  const auto mask = test::any_values<std::uint32_t>(10);
  check_bits(wf::project(values, [](double x) { return -x; }), mask, mask.data(), 3);
  check_bits(wf::strided(values, 3), mask, mask.data(), 0);
  check_bits(wf::reverse(values), mask, mask.data(), 1);
  check_bits(wf::zip(values, wf::counting(0, 200)), mask, mask.data(), 2);
  check_bits(wf::counting(0, 200), mask, mask.data(), 0);
  // The mask beside the elements, from the end: chunks of both.
  const auto view = wf::reverse(wf::where(values, mask, 5));
  CHECK(view[0].value == values[199]);
  CHECK(view[0].is_set == bit(mask, 204));
  test::check_chunks(view);
}

TEST_CASE("a projection is that of the elements") {
  const std::vector<int> v = {1, 2, 3};
  const std::vector<std::uint8_t> bits = {0b101};
  const auto view = wf::project(wf::where(v, bits), [](int x) { return x * 0.5; });
  CHECK(view[0] == wf::masked<double>{0.5, true});
  CHECK(view[1] == wf::masked<double>{1.0, false});
}

TEST_CASE("chunks keep their width, and each loads two units of the mask") {
  const std::vector<float> values(4096, 1);
  const std::vector<std::uint32_t> mask(4096 / 32 + 1, ~std::uint32_t{0});
  const test::host_memory::array<float> placed(values, 0);
  const test::host_memory::array<std::uint32_t> bits(mask, 0);
  const auto of = [&](std::size_t first) {
    return wf::where(std::span<const float>(placed.data(), values.size()),
                     std::span<const std::uint32_t>(bits.data(), mask.size()), first);
  };
  constexpr std::uint64_t chunks = 4096 / 4;
  CHECK(test::loads_of(16, of(0)) == test::loads_of(16, of(0).values()));
  CHECK(test::loads_of(4, of(0)) == 2 * chunks);
  CHECK(test::loads_of(4, of(1)) == 2 * chunks);
}

TEST_CASE("a mask with too few bits is invalid_range") {
  const std::vector<float> v(65);
  const std::vector<std::uint32_t> mask(3);
  CHECK(wf::where(v, mask, 31).size() == 65);
  test::check_throws<wf::invalid_range>([&] { (void)wf::where(v, mask, 32); },
                                        "a mask of 3 integers of 32 bits for 65 elements from bit "
                                        "32 on");
  test::check_throws<wf::invalid_range>([&] { (void)wf::where(v, mask, ~std::size_t{0} - 7); },
                                        "pass one bit for each element");
  CHECK(wf::where(std::span<const float>(), std::span<const std::uint8_t>(), 9).size() == 0);
}
