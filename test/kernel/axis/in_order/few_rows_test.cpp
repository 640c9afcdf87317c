// kernel::ordered_few_rows in the emulation: the declared order of one to eight rows, in lines that
// start anywhere and end within a block.
// needs: boost_context
#include <warpfold/kernel/axis/in_order/few_rows.hpp>

#include "kernel/axis/expressions.hpp"
#include "kernel/axis/in_order/ordered.hpp"

namespace {

constexpr wf::kernel::ordered_few_rows few;

template <class T = std::uint64_t, class Op = test::ordered_hash>
void check(std::size_t outers, std::size_t length, std::size_t across, std::size_t offset = 0) {
  const auto r = test::check_ordered_columns<T, Op>(few, outers, length, across, offset);
  CHECK(r.launches.size() == 1);
}

bool suits(std::size_t length, std::size_t across, std::size_t offset = 0) {
  std::vector<wf::word> memory(1);
  const auto kept = test::shape({across}, {1});
  return wf::kernel::ordered_few_rows::suit(wf::axis_reduction<float, wf::plus, float>{
      reinterpret_cast<const float*>(memory.data()) + offset,
      nullptr,
      wf::detail::layout_of(length, across, kept, kept),
      1,
      1,
      {}});
}

}  // namespace

TEST_CASE("every number of rows; lines of a block, of several, and of a part of one") {
  for (std::size_t length = 1; length <= 8; ++length) {
    for (const std::size_t across : {1u, 127u, 128u, 129u, 511u, 512u, 513u, 1025u, 2300u}) {
      check(1, length, across);
      check<float, wf::plus>(1, length, across, across % 4);
    }
    check(5, length, 301, 1);
    check<float, wf::plus>(3, length, 1111, 3);
    check<double, wf::plus>(2, length, 777, 1);
  }
}

TEST_CASE("results with gaps, in the order of another dimension") {
  test::check_order<float>(few, wf::plus{}, 3, 700, test::shape({4, 5, 130}, {12000, 2100, 1}));
  test::check_order<float>(few, wf::plus{}, 5, 2000, test::shape({650, 3}, {1, 660}), 1);
}

TEST_CASE("expressions, arrays that repeat, and several folded axes") {
  using test::check_products;
  for (std::size_t length = 1; length <= 8; ++length) {
    check_products<float, float>(few, {length, 901}, {901, 1}, {901, 1}, {true, false}, 1);
    check_products<float, short>(few, {length, 301}, {301, 1}, {0, 1}, {true, false});
    check_products<float, double>(few, {length, 301}, {301, 1}, {1, 0}, {true, false});
  }
  check_products<float, float>(few, {2, 5, 3, 310}, {4650, 930, 310, 1}, {4650, 930, 310, 1},
                               {true, false, true, false});
}

TEST_CASE("which folds suit it") {
  CHECK(suits(2, 601));
  CHECK(suits(2, 600));  // as fast as words, and not slower where it is not at one
  CHECK(suits(4, 512));
  CHECK(suits(8, 601));
  CHECK(suits(8, 600, 1));
  CHECK_FALSE(suits(8, 600));  // words
  CHECK_FALSE(suits(2, 511));  // less than half a tile
  CHECK_FALSE(suits(9, 601));
  CHECK_FALSE(suits(0, 601));
  std::vector<wf::word> memory(1);
  const auto kept = test::shape({700}, {1});
  const auto of_chars = [&](std::size_t offset) {
    return wf::kernel::ordered_few_rows::suit(wf::axis_reduction<signed char, wf::plus, float>{
        reinterpret_cast<const signed char*>(memory.data()) + offset,
        nullptr,
        wf::detail::layout_of(2, 704, kept, kept),
        1,
        1,
        {}});
  };
  CHECK_FALSE(of_chars(0));  // words
  CHECK(of_chars(1));
  const auto apart = test::shape({700}, {2});
  CHECK_FALSE(wf::kernel::ordered_few_rows::suit(wf::axis_reduction<float, wf::plus, float>{
      nullptr, nullptr, wf::detail::layout_of(2, 1400, apart, apart.row_major()), 1, 1, {}}));
  CHECK_FALSE(wf::kernel::ordered_few_rows::suit(
      wf::axis_reduction<test::wide_hash, test::hash_each, test::wide_hash>{
          nullptr, nullptr, wf::detail::layout_of(2, 700, kept, kept), 1, 1, {}}));
}
