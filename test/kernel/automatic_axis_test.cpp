// Which kernels fold along an axis, by shape, type, alignment and layout. Nothing is launched, and no memory is read.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include <cstdint>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

/// A launcher that notes the kernels, one after the other.
struct noting_launcher {
  wf::runtime::device_info info;
  std::string kernels;
  int launches = 0;
  std::size_t states = 0;  ///< that were asked for

  const wf::runtime::device_info& gpu() const { return info; }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    states += count;
    return {nullptr, count};
  }
  template <class Body>
  void launch(const char* name, const Body&, const wf::runtime::launch_shape& s) {
    wf::runtime::check_shape(name, Body::max_block, s);
    if (launches++ != 0) kernels += ", ";
    kernels += name;
    // Columns are taken in words of 16 bytes, or element by element.
    if constexpr (requires { Body::can_store_words; }) {
      if (Body::size > 1) kernels += " of words";
    }
  }
};

wf::runtime::device_info some_gpu() {
  wf::runtime::device_info gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 132;
  return gpu;
}

/// A policy that only chooses.
struct noting_policy {
  noting_launcher* on;
  static constexpr const char* name() { return "noting"; }
  template <class Axis>
  void run_axis(const Axis& a) const {
    a.require_valid();
    wf::kernel::automatic_axis{}.enqueue(a, *on);
    // States go through scratch from the first launch to the second, and there is no other use of it.
    CHECK((on->states != 0) == (on->launches == 2));
  }
  template <class Axis>
  void enqueue_axis(const Axis& a) const {
    run_axis(a);
  }
};

/// Elements that lie at an address of the 16th byte plus `offset` elements, and are never read. Results lie elsewhere.
template <class T>
const T* elements(std::size_t offset = 0) {
  return reinterpret_cast<const T*>(std::uintptr_t{1} << 40) + offset;
}

template <int Axis, class In, class Op = wf::plus>
std::string chosen(const In& in, const Op& op = {},
                   const wf::runtime::device_info& gpu = some_gpu()) {
  using T = typename In::value_type;
  using out_type =
      typename wf::axis_reduction<T, Op, T>::accumulator;  // written as they are folded
  std::size_t results = 1;
  for (int d = 0; d < static_cast<int>(In::rank()); ++d) {
    if (d != Axis) results *= in.extent(static_cast<typename In::rank_type>(d));
  }
  const std::span<out_type> out(reinterpret_cast<out_type*>(std::uintptr_t{1} << 50), results);
  noting_launcher on{gpu, {}};
  wf::reduce_axis<Axis>(noting_policy{&on}, in, op, out);
  return on.kernels;
}

template <class T, class Layout = cs::layout_right>
using matrix = cs::mdspan<const T, cs::dextents<std::size_t, 2>, Layout>;
template <class T>
using strided = matrix<T, cs::layout_stride>;

template <class T>
strided<T> with_strides(const T* data, std::size_t rows, std::size_t columns, std::size_t down,
                        std::size_t across) {
  return {data, typename strided<T>::mapping_type{cs::dextents<std::size_t, 2>(rows, columns),
                                                  cs::array<std::size_t, 2>{down, across}}};
}

/// For the rows, or the columns, of a matrix without gaps.
template <class T, class Op = wf::plus>
std::string for_rows(std::size_t rows, std::size_t length, const Op& op = {},
                     const wf::runtime::device_info& gpu = some_gpu()) {
  return chosen<1>(matrix<T>(elements<T>(), rows, length), op, gpu);
}
template <class T, class Op = wf::plus>
std::string for_columns(std::size_t length, std::size_t columns, const Op& op = {},
                        const wf::runtime::device_info& gpu = some_gpu()) {
  return chosen<0>(matrix<T>(elements<T>(), length, columns), op, gpu);
}

constexpr const char* rows_by_lanes = "axis_rows";
constexpr const char* tiles = "axis_row_tiles";
constexpr const char* blocks = "axis_row_blocks";
constexpr const char* split_blocks = "axis_row_blocks, axis_pieces";
constexpr const char* columns = "axis_columns";
constexpr const char* split_columns = "axis_columns, axis_pieces";
constexpr const char* word_columns = "axis_columns of words";
constexpr const char* split_word_columns = "axis_columns of words, axis_pieces";

struct four_floats {
  float x[4];
  friend WARPFOLD_HD four_floats operator+(const four_floats& a, const four_floats&) { return a; }
};
struct three_floats {
  float x[3];
  friend WARPFOLD_HD three_floats operator+(const three_floats& a, const three_floats&) {
    return a;
  }
};

const auto five =
    wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::maximum{}), wf::moments_op{});

}  // namespace

TEST_CASE("rows of whole words: some lanes each, long ones where they fill the GPU") {
  CHECK(for_rows<float>(1000, 8) == rows_by_lanes);
  CHECK(for_rows<float>(1, 8) == rows_by_lanes);
  CHECK(for_rows<double>(1000, 2) == rows_by_lanes);
  CHECK(for_rows<signed char>(1000, 16) == rows_by_lanes);
  CHECK(for_rows<four_floats>(1000, 3) == rows_by_lanes);
  CHECK(for_rows<float>(1000, 8, wf::arg(wf::minimum{})) == rows_by_lanes);

  // From 32 words on there must be two blocks for each multiprocessor: of 64 rows each, or of 8 long ones.
  CHECK(for_rows<float>(1, 31 * 4) == rows_by_lanes);
  CHECK(for_rows<float>(1, 32 * 4) == tiles);
  CHECK(for_rows<float>(263 * 64, 32 * 4) == tiles);
  CHECK(for_rows<float>(263 * 64 + 1, 32 * 4) == rows_by_lanes);
  CHECK(for_rows<float>(263 * 8, 1024 * 4) == blocks);
  CHECK(for_rows<float>(263 * 8 + 1, 1024 * 4) == rows_by_lanes);
  CHECK(for_rows<float>(100000, 1024 * 4) == rows_by_lanes);
  CHECK(for_rows<float>(100000, 1025 * 4) == blocks);

  // Large states leave room for fewer of them.
  CHECK(for_rows<float>(263 * 32, 32 * 4, five) == tiles);
  CHECK(for_rows<float>(263 * 32 + 1, 32 * 4, five) == rows_by_lanes);

  wf::runtime::device_info small = some_gpu();
  small.multiprocessors = 1;
  CHECK(for_rows<float>(64, 32 * 4, wf::plus{}, small) == tiles);
  CHECK(for_rows<float>(65, 32 * 4, wf::plus{}, small) == rows_by_lanes);
}

TEST_CASE("other rows of up to 2048 bytes: through shared memory") {
  CHECK(for_rows<float>(1000, 3) == tiles);
  CHECK(for_rows<float>(1, 7) == tiles);
  CHECK(for_rows<float>(1000, 511) == tiles);
  CHECK(for_rows<float>(1000, 513) == blocks);
  CHECK(for_rows<float>(10, 512) == tiles);
  CHECK(for_rows<float>(10, 516) == blocks);
  CHECK(for_rows<double>(1000, 255) == tiles);
  CHECK(for_rows<double>(1000, 257) == blocks);
  CHECK(for_rows<three_floats>(1000, 170) == tiles);
  CHECK(for_rows<three_floats>(1000, 171) == blocks);

  // A tile is of whole words: of rows of an odd number of bytes that takes 16.
  CHECK(for_rows<signed char>(1000, 1023) == tiles);
  CHECK(for_rows<signed char>(1000, 1025) == blocks);
}

TEST_CASE("short rows that do not start at words: as columns, and from 32 words on a block each") {
  constexpr std::size_t many = 100000;
  const auto at = [](std::size_t offset, std::size_t length) {
    return chosen<1>(matrix<float>(elements<float>(offset), many, length));
  };
  CHECK(at(4, 8) == rows_by_lanes);
  CHECK(at(1, 8) == columns);
  CHECK(at(4, 3) == tiles);
  CHECK(at(1, 3) == columns);
  CHECK(at(1, 127) == columns);
  CHECK(at(1, 128) == blocks);
  CHECK(chosen<1>(matrix<three_floats>(elements<three_floats>(1), many, 31)) == columns);
  CHECK(chosen<1>(matrix<three_floats>(elements<three_floats>(1), many, 32)) == blocks);

  // The same of rows with gaps. One row alone has none.
  const auto every = [](std::size_t stride, std::size_t rows, std::size_t length) {
    return chosen<1>(with_strides(elements<float>(), rows, length, stride, 1));
  };
  CHECK(every(12, many, 8) == rows_by_lanes);
  CHECK(every(10, many, 8) == columns);
  CHECK(every(10, 1, 8) == rows_by_lanes);
  CHECK(every(4, many, 3) == columns);
  CHECK(every(132, many, 127) == columns);
  CHECK(every(130, many, 128) == blocks);
  CHECK(every(132, many, 128) == rows_by_lanes);
  CHECK(every(132, 263 * 64, 128) == blocks);
}

TEST_CASE("long rows: a block each, and several where there are few of them") {
  CHECK(for_rows<float>(1, 1 << 20) == split_blocks);
  CHECK(chosen<1>(matrix<float>(elements<float>(1), 1, 1 << 20)) == split_blocks);
  CHECK(for_rows<three_floats>(1, 1 << 20) == split_blocks);

  // Four of a row for each multiprocessor, of a load's length at least.
  CHECK(for_rows<float>(4, 4095 * 4) == blocks);
  CHECK(for_rows<float>(4, 4096 * 4) == split_blocks);
  // Where there are enough of them, long pieces.
  CHECK(for_rows<float>(1000, 65536 - 4) == blocks);
  CHECK(for_rows<float>(1000, 65536) == split_blocks);
  CHECK(for_rows<float>(32 * 132, 65536) == split_blocks);
  CHECK(for_rows<float>(32 * 132 + 1, 65536) == blocks);
  // Narrow elements that become something else each are more work, and the pieces shorter.
  CHECK(for_rows<signed char>(4, 16384) == blocks);
  CHECK(for_rows<signed char>(4, 16384, wf::arg(wf::maximum{})) == split_blocks);
}

TEST_CASE("columns: in words where all rows have them") {
  CHECK(for_columns<float>(31, 1024) == word_columns);
  CHECK(for_columns<double>(31, 1024) == word_columns);
  CHECK(for_columns<signed char>(31, 1024) == word_columns);
  CHECK(for_columns<three_floats>(31, 1024) == columns);
  CHECK(chosen<0>(matrix<float>(elements<float>(4), 31, 1024)) == word_columns);
  CHECK(chosen<0>(matrix<float>(elements<float>(1), 31, 1024)) == columns);
  CHECK(chosen<0>(with_strides(elements<float>(), 31, 8, 12, 1)) == word_columns);
  CHECK(chosen<0>(with_strides(elements<float>(), 31, 8, 10, 1)) == columns);
  CHECK(chosen<0>(with_strides(elements<float>(), 31, 1024, 2048, 2)) == columns);

  // A thread holds the states of a word's columns: up to 256 bytes.
  CHECK(for_columns<float>(31, 1024, wf::moments_op{}) == word_columns);
  CHECK(for_columns<signed char>(31, 1024, wf::arg(wf::maximum{})) == word_columns);
  CHECK(for_columns<signed char>(31, 1024, wf::moments_op{}) == columns);
  CHECK(for_columns<float>(31, 1024, five) == word_columns);
  CHECK(for_columns<signed char>(31, 1024, five) == columns);

  // Several rows make one of whole words, each of which has states of its own.
  CHECK(for_columns<float>(3, 3) == columns);
  CHECK(for_columns<float>(4, 3) == split_word_columns);
  CHECK(for_columns<float>(1, 1022) == columns);
  CHECK(for_columns<float>(2, 1022) == split_word_columns);
  CHECK(for_columns<float>(4, 1023) == split_word_columns);
  // Of long rows only if there are many.
  CHECK(for_columns<float>(4, 1025) == columns);
  CHECK(for_columns<float>(63, 1025) == split_columns);
  CHECK(for_columns<float>(64, 1025) == split_word_columns);
}

TEST_CASE("columns are split where there are few: into pieces of 16 steps for each thread") {
  CHECK(for_columns<float>(31, 1024) == word_columns);
  CHECK(for_columns<float>(32, 1024) == split_word_columns);
  CHECK(for_columns<three_floats>(31, 1024) == columns);
  CHECK(for_columns<three_floats>(32, 1024) == split_columns);
  CHECK(for_columns<float>(1 << 20, 4) == split_word_columns);

  // Four blocks of 256 words for each multiprocessor are as many as are resident.
  CHECK(for_columns<float>(1000, 264 * 1024) == split_word_columns);
  CHECK(for_columns<float>(1000, 265 * 1024) == word_columns);
  wf::runtime::device_info small = some_gpu();
  small.multiprocessors = 1;
  CHECK(for_columns<float>(1000, 2 * 1024, wf::plus{}, small) == split_word_columns);
  CHECK(for_columns<float>(1000, 3 * 1024, wf::plus{}, small) == word_columns);
}

TEST_CASE("what counts is how memory runs, and not the axis' number") {
  const matrix<float, cs::layout_left> left(elements<float>(), 8, 1000);
  CHECK(chosen<0>(left) == rows_by_lanes);
  CHECK(chosen<1>(left) == word_columns);
  CHECK(chosen<0>(with_strides(elements<float>(), 2000, 8, 1, 2000)) == blocks);
  CHECK(chosen<1>(with_strides(elements<float>(), 1000, 16, 32, 2)) == columns);

  using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
  CHECK(chosen<2>(cube(elements<float>(), 100, 20, 8)) == rows_by_lanes);
  CHECK(chosen<1>(cube(elements<float>(), 1000, 50, 64)) == word_columns);
  CHECK(chosen<0>(cube(elements<float>(), 100, 20, 8)) == word_columns);

  // Rows with gaps between some of them only are not at one distance.
  using strided_cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>, cs::layout_stride>;
  const auto planes = [](std::size_t length, std::size_t plane) {
    return strided_cube(elements<float>(),
                        strided_cube::mapping_type{cs::dextents<std::size_t, 3>(100, 20, length),
                                                   cs::array<std::size_t, 3>{plane, length, 1}});
  };
  CHECK(chosen<2>(planes(8, 160)) == rows_by_lanes);
  CHECK(chosen<2>(planes(8, 200)) == columns);
  CHECK(chosen<2>(planes(128, 4000)) == blocks);
}

TEST_CASE(
    "an axis of one element or none is copied as columns are; without results nothing is "
    "launched") {
  CHECK(for_rows<float>(1000, 1) == word_columns);
  CHECK(for_rows<float>(1000, 2) == tiles);
  CHECK(for_columns<float>(1, 1000) == word_columns);
  CHECK(for_rows<float>(1000, 0) == columns);
  CHECK(for_columns<float>(0, 1000) == word_columns);
  CHECK(for_rows<float>(0, 8) == "");
  CHECK(for_columns<float>(8, 0) == "");
}
