// kernel::elementwise_lines: which expressions it takes, and in the emulation that every element is
// written from its own indices, with word accesses where all lines allow them.
// needs: boost_context cccl
#include <warpfold/kernel/elementwise/lines.hpp>

#include <cstdint>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/broadcast.hpp>
#include <warpfold/view/zip.hpp>

#include "kernel/launches.hpp"

namespace {

using wf::emulation::traffic;

template <class T>
using matrix = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>, cuda::std::layout_stride>;
using extents = cuda::std::dextents<std::size_t, 2>;

struct mixed {
  template <class T>
  WARPFOLD_HD double operator()(T x, double of_row, double of_column) const {
    return static_cast<double>(x) * 3 + of_row * 1000 + of_column;
  }
};

/// Writes rows x columns elements of `From` to `To`, with rows that are `in_step` and `out_step`
/// elements apart, and the first element `offset` elements after a word. Returns the launch.
template <class From, class To>
wf::emulation::launch_counts write(std::size_t rows, std::size_t columns, std::size_t in_step,
                                   std::size_t out_step, std::size_t offset = 0) {
  INFO(rows, " x ", columns, ", rows ", in_step, " and ", out_step, " apart, offset ", offset);
  struct alignas(16) word {
    unsigned char bytes[16];
  };
  const auto words = [](std::size_t bytes) { return std::vector<word>(bytes / 16 + 2); };
  auto in_memory = words((rows * in_step + offset) * sizeof(From));
  auto out_memory = words((rows * out_step + offset) * sizeof(To));
  From* const in = reinterpret_cast<From*>(in_memory.data()) + offset;
  To* const out = reinterpret_cast<To*>(out_memory.data()) + offset;
  std::vector<double> of_row(rows), of_column(columns);
  for (std::size_t i = 0; i < rows; ++i) of_row[i] = static_cast<double>(i % 5);
  for (std::size_t j = 0; j < columns; ++j) of_column[j] = static_cast<double>(j % 11);
  for (std::size_t k = 0; k < rows * in_step; ++k) in[k] = static_cast<From>(k * 7 % 29);
  for (std::size_t k = 0; k < rows * out_step; ++k) out[k] = static_cast<To>(1);
  using mapping = typename matrix<To>::mapping_type;
  const auto strides = [&](std::size_t step) {
    return mapping(extents(rows, columns), cuda::std::array<std::size_t, 2>{step, 1});
  };
  const matrix<const From> from(in, strides(in_step));
  const matrix<To> to(out, strides(out_step));
  wf::transform(wf::emulated.counting(),
                wf::zip(from, wf::broadcast<0>(of_row), wf::broadcast<1>(of_column)), to, mixed{});
  const auto report = wf::emulation::last_report();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < out_step; ++j) {
      const To want = j < columns
                          ? static_cast<To>(mixed{}(in[i * in_step + j], of_row[i], of_column[j]))
                          : static_cast<To>(1);
      wrong += out[i * out_step + j] != want;
    }
  }
  CHECK(wrong == 0);
  REQUIRE(report.launches.size() == 1);
  return report.launches[0];
}

/// The widest access of one kind, in bytes per lane.
unsigned widest(const wf::emulation::launch_counts& launch, traffic what) {
  unsigned most = 0;
  for (const auto& s : launch.sites) {
    if (s.what == what && s.access_bytes > most) most = s.access_bytes;
  }
  return most;
}

std::string kernel_of(const wf::emulation::launch_counts& l) { return l.launch.kernel; }

}  // namespace

TEST_CASE("lines of 64 elements and more, of any length") {
  CHECK(kernel_of(write<float, float>(9, 63, 63, 63)) == "elementwise");
  for (const std::size_t columns : {64, 65, 66, 67, 100, 128, 255, 1000, 1024, 5000}) {
    const auto launch = write<float, float>(9, columns, columns, columns);
    CHECK(kernel_of(launch) == "elementwise_lines");
    CHECK(widest(launch, traffic::global_store) == (columns % 4 == 0 ? 16 : 4));
  }
  (void)write<float, float>(1000, 64, 64, 64);
  (void)write<float, float>(1, 70000, 70000, 70000);
}

TEST_CASE("padded rows, and rows that are not aligned") {
  for (const std::size_t columns : {65, 127, 1001}) {
    const std::size_t step = (columns + 7) / 4 * 4;
    const auto launch = write<float, float>(7, columns, step, step);
    CHECK(widest(launch, traffic::global_load) == 16);
    CHECK(widest(launch, traffic::global_store) == 16);
    CHECK(widest(write<float, float>(7, columns, step, step, 1), traffic::global_store) == 4);
    CHECK(widest(write<float, float>(7, columns, step + 1, step), traffic::global_load) == 8);
    (void)write<float, float>(7, columns, step, step + 3);
  }
}

TEST_CASE("elements of different sizes") {
  CHECK(widest(write<unsigned char, double>(5, 256, 256, 256), traffic::global_store) == 16);
  (void)write<unsigned char, double>(5, 257, 257, 257);
  (void)write<double, unsigned char>(5, 4096, 4096, 4096);
  (void)write<double, short>(5, 1026, 1028, 1032);
  (void)write<short, float>(33, 72, 80, 88);
}

TEST_CASE("lines of the output that are shorter than those of the input") {
  // The input is contiguous in three dimensions, the output only in the last one.
  constexpr std::size_t planes = 3, rows = 4, columns = 96, step = 100;
  std::vector<int> in(planes * rows * columns), out(planes * rows * step, -1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i);
  using cube = cuda::std::dextents<std::size_t, 3>;
  const cuda::std::mdspan<const int, cube> from(in.data(), planes, rows, columns);
  using padded = cuda::std::mdspan<int, cube, cuda::std::layout_stride>;
  const padded to(out.data(),
                  padded::mapping_type(cube(planes, rows, columns),
                                       cuda::std::array<std::size_t, 3>{rows * step, step, 1}));
  const cuda::std::mdspan<int, cube> whole(in.data(), planes, rows, columns);
  std::vector<int> of_plane{1000, 2000, 3000};
  wf::transform(wf::emulated.counting(), wf::zip(from, wf::broadcast<0>(of_plane)), to,
                [](int x, int y) { return x + y; });
  CHECK(kernel_of(wf::emulation::last_report().launches.at(0)) == "elementwise_lines");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < planes * rows; ++i) {
    for (std::size_t j = 0; j < step; ++j) {
      const int want = j < columns ? in[i * columns + j] + of_plane[i / rows] : -1;
      wrong += out[i * step + j] != want;
    }
  }
  CHECK(wrong == 0);
  // In place.
  wf::transform(wf::emulated, wf::zip(from, wf::broadcast<0>(of_plane)), whole,
                [](int x, int y) { return x + y; });
  CHECK(in[0] == 1000);
  CHECK(in.back() == static_cast<int>(planes * rows * columns) - 1 + 3000);
}
