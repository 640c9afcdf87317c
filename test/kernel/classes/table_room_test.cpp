// The room for tables of classes: the number of ranges, and the row of a label in a table.
#include <warpfold/kernel/classes/table_room.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace wf = warpfold;
using wf::kernel::detail::ranges_of_classes;
using wf::kernel::detail::row_of_label;

namespace {

struct work {
  std::size_t classes;
};

template <class T>
void check_rows() {
  INFO(sizeof(T), " bytes");
  CHECK(row_of_label<true>(T{0}, 0, 100) == 0);
  CHECK(row_of_label<true>(T{99}, 0, 100) == 99);
  CHECK(row_of_label<true>(T{100}, 0, 100) == 100);
  CHECK(row_of_label<true>(static_cast<T>(-1), 0, 100) == 100);
  CHECK(row_of_label<true>((std::numeric_limits<T>::max)(), 0, 100) == 100);
  CHECK(row_of_label<true>((std::numeric_limits<T>::min)(), 0, 1) == (std::is_signed_v<T> ? 1 : 0));
  CHECK(row_of_label<false>(T{59}, 60, 10) == 10);
  CHECK(row_of_label<false>(T{60}, 60, 10) == 0);
  CHECK(row_of_label<false>(T{69}, 60, 10) == 9);
  CHECK(row_of_label<false>(T{70}, 60, 10) == 10);
}

}  // namespace

TEST_CASE("labels of every type have a row, and wrong ones the last row") {
  check_rows<std::int8_t>();
  check_rows<std::uint8_t>();
  check_rows<std::int16_t>();
  check_rows<std::uint16_t>();
  check_rows<int>();
  check_rows<unsigned>();
  check_rows<std::int64_t>();
  check_rows<std::uint64_t>();
}

TEST_CASE("negative labels are in no range, also of billions of classes") {
  const std::size_t last = std::size_t{65534} * 60000;
  CHECK(row_of_label<false>(std::int8_t{-128}, last, 60000) == 60000);
  CHECK(row_of_label<false>(std::int16_t{-32768}, last, 60000) == 60000);
  // As 32 bits, this label would be class 3800000000.
  CHECK(row_of_label<false>(int{-494967296}, 3799990000, 60000) == 60000);
  CHECK(row_of_label<false>(3800000000u, 3799990000, 60000) == 10000);
  CHECK(row_of_label<true>(std::uint64_t{1} << 32, 0, 100) == 100);
}

TEST_CASE("ranges divide the classes, and a grid has up to 65535 of them") {
  CHECK(ranges_of_classes(work{100}, 100, 4, 400) == 1);
  CHECK(ranges_of_classes(work{101}, 100, 4, 400) == 2);
  CHECK(ranges_of_classes(work{65535}, 1, 4, 4) == 65535);
  CHECK_THROWS_AS(ranges_of_classes(work{65536}, 1, 4, 4), wf::unsupported_kernel);
  CHECK_THROWS_WITH_AS(ranges_of_classes(work{7}, 0, 24, 9),
                       doctest::Contains("7 classes of 24 bytes do not fit 9 bytes"),
                       wf::unsupported_kernel);
}

TEST_CASE("the memory of is_last_block is not for tables") {
  wf::device_info gpu;
  gpu.shared_bytes_per_block = 1000;
  CHECK(wf::kernel::detail::room_for_classes(gpu) ==
        1000 - wf::kernel::detail::bytes_before_tables);
  gpu.shared_bytes_per_block = 3;
  CHECK(wf::kernel::detail::room_for_classes(gpu) == 0);
}
