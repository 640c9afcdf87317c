// Which kernels fold along an axis, by shape, type, alignment and layout. Nothing is launched, and
// no memory is read.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include <array>
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

/// Sums whose order nobody asks for: they take the kernels of any order.
struct any_order_plus : wf::plus {};
struct plus_with {
  std::size_t number;  // a state of its own
  WARPFOLD_HD float operator()(float a, float b) const { return a + b; }
};

}  // namespace

namespace warpfold {
template <class A>
inline constexpr bool same_in_any_order<any_order_plus, A> = true;
template <class A>
inline constexpr bool same_in_any_order<plus_with, A> = true;
}  // namespace warpfold

namespace {

/// A launcher that notes the kernels, one after the other.
struct noting_launcher {
  wf::device_info info;
  std::string kernels;
  int launches = 0;
  std::size_t states = 0;  ///< that were asked for
  int grids = 0;           ///< the same

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() {
    ++grids;
    return {};
  }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    states += count;
    return {nullptr, count};
  }
  template <class Body>
  void launch(const std::string& name, const Body&, const wf::launch_shape& s) {
    wf::check_shape(name.c_str(), Body::max_block, s);
    if (launches++ != 0) kernels += ", ";
    kernels += name;
    // Columns are taken in words of 16 bytes, or element by element.
    if constexpr (requires { Body::size; }) {
      constexpr bool has_words = [] {
        if constexpr (requires { Body::apart; }) return Body::size > 1 && Body::apart == 1;
        return Body::size > 1;
      }();
      if (name.ends_with("columns") && has_words) kernels += " of words";
    }
  }
};

wf::device_info some_gpu() {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 132;
  return gpu;
}

/// A policy that only chooses.
struct noting_policy {
  noting_launcher* on;
  static constexpr const char* name() { return "noting"; }
  template <class Axis>
  void run(const Axis& a) const {
    a.require_valid();
    wf::kernel::automatic_axis{}.enqueue(a, *on);
    // States go through scratch from the first launch to the second, and there is no other use of
    // it, unless the blocks of one launch share results.
    if (on->grids == 0) CHECK((on->states != 0) == (on->launches == 2));
    CHECK((on->states != 0 || on->launches != 2));
  }
  template <class Axis>
  void enqueue(const Axis& a) const {
    run(a);
  }
};

/// Elements that lie at an address of the 16th byte plus `offset` elements, and are never read.
/// Results lie elsewhere.
template <class T>
const T* elements(std::size_t offset = 0) {
  return reinterpret_cast<const T*>(std::uintptr_t{1} << 40) + offset;
}

template <int Axis, class In, class Op = any_order_plus>
std::string chosen(const In& in, const Op& op = {}, const wf::device_info& gpu = some_gpu()) {
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
template <class T, class Op = any_order_plus>
std::string for_rows(std::size_t rows, std::size_t length, const Op& op = {},
                     const wf::device_info& gpu = some_gpu()) {
  return chosen<1>(matrix<T>(elements<T>(), rows, length), op, gpu);
}
template <class T, class Op = any_order_plus>
std::string for_columns(std::size_t length, std::size_t columns, const Op& op = {},
                        const wf::device_info& gpu = some_gpu()) {
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

struct sum_in_any_order : wf::plus {};
const auto five = wf::all(sum_in_any_order{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::maximum{}),
                          wf::arg(wf::minimum{}));

}  // namespace

namespace warpfold {
template <class A>
inline constexpr bool same_in_any_order<sum_in_any_order, A> = true;
}  // namespace warpfold

TEST_CASE("rows of whole words: some lanes each, long ones where they fill the GPU") {
  CHECK(for_rows<float>(1000, 8) == rows_by_lanes);
  CHECK(for_rows<float>(1, 8) == rows_by_lanes);
  CHECK(for_rows<double>(1000, 2) == rows_by_lanes);
  CHECK(for_rows<signed char>(1000, 16) == rows_by_lanes);
  CHECK(for_rows<four_floats>(1000, 3) == rows_by_lanes);
  CHECK(for_rows<float>(1000, 8, wf::arg(wf::minimum{})) == rows_by_lanes);

  // From 32 words on there must be two blocks for each multiprocessor: of 64 rows each, or of 8
  // long ones.
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

  wf::device_info small = some_gpu();
  small.multiprocessors = 1;
  CHECK(for_rows<float>(64, 32 * 4, any_order_plus{}, small) == tiles);
  CHECK(for_rows<float>(65, 32 * 4, any_order_plus{}, small) == rows_by_lanes);
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
  CHECK(for_columns<signed char>(31, 1024, wf::arg(wf::maximum{})) == word_columns);
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
  wf::device_info small = some_gpu();
  small.multiprocessors = 1;
  CHECK(for_columns<float>(1000, 2 * 1024, any_order_plus{}, small) == split_word_columns);
  CHECK(for_columns<float>(1000, 3 * 1024, any_order_plus{}, small) == word_columns);
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

TEST_CASE("a lane counts the chunks of a row in 32 bits") {
  wf::device_info gpu = some_gpu();
  gpu.multiprocessors = 1;
  const auto for_products = [&](std::size_t length) {
    const matrix<float> m(elements<float>(), 32, length);
    const std::span<float> out(reinterpret_cast<float*>(std::uintptr_t{1} << 50), 32);
    noting_launcher on{gpu, {}};
    const auto product = [](float a, float b) { return a * b; };
    wf::reduce_axis<1>(noting_policy{&on}, wf::project(wf::zip(m, m), product), any_order_plus{},
                       out);
    return on.kernels;
  };
  constexpr std::size_t most = std::size_t{1} << 33;  // floats of 2^31 chunks
  CHECK(for_products(most - 4) == rows_by_lanes);
  CHECK(for_products(most) == "axis_row_blocks, axis_pieces");
}

TEST_CASE("results that depend on the order: kernels in the declared order") {
  const wf::plus sum;
  CHECK(for_rows<float>(1000, 8, sum) == "ordered_rows");
  CHECK(for_rows<float>(1000, 1024, sum) == "ordered_rows");
  CHECK(for_rows<float>(1000, 1028, sum) == "ordered_long_rows");
  CHECK(for_rows<float>(100, 1024, sum) == "ordered_long_rows");  // few
  CHECK(for_rows<float>(1000, 7, sum) == "ordered_row_tiles");
  CHECK(for_rows<float>(1000, 65, sum) == "ordered_rows");
  CHECK(chosen<1>(matrix<float>(elements<float>(1), 1000, 7), sum) == "ordered_rows");
  CHECK(for_columns<float>(2, 1'000'001, sum) == "ordered_few_rows");
  CHECK(for_columns<float>(8, 1'000'001, sum) == "ordered_few_rows");
  CHECK(for_columns<float>(8, 1'000'000, sum) == "ordered_columns of words");
  CHECK(for_columns<float>(9, 1'000'001, sum) == "ordered_columns");
  CHECK(for_columns<float>(8, 63, sum) == "ordered_columns");
  CHECK(for_columns<float>(31, 1024, sum) == "ordered_columns of words");
  using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
  CHECK(chosen<1>(cube(elements<float>(), 1000, 5, 7), sum) == "ordered_row_tiles");
  CHECK(chosen<1>(cube(elements<float>(1), 1000, 5, 7), sum) == "ordered_columns");
  CHECK(chosen<1>(cube(elements<float>(), 1000, 100, 7), sum) == "ordered_columns");
  // Beyond the cache, columns that several blocks share are finished by a second launch.
  CHECK(for_columns<float>(1 << 24, 16, sum) == "ordered_columns of words, ordered_pieces");
  CHECK(for_rows<double>(1000, 8, wf::multiplies{}) == "ordered_rows");
  CHECK(for_rows<float>(1000, 8, wf::moments_op{}) == "ordered_rows");
  CHECK(for_columns<float>(31, 1024, wf::moments_op{}) == "ordered_columns of words");
  CHECK(for_columns<signed char>(31, 1024, wf::moments_op{}) == "ordered_columns");
}

TEST_CASE("the grid's memory is asked for only if blocks share a result") {
  const auto grids = [](auto along, std::size_t rows, std::size_t columns) {
    constexpr int axis = decltype(along)::value;
    const std::span<float> out(reinterpret_cast<float*>(std::uintptr_t{1} << 50),
                               axis == 1 ? rows : columns);
    noting_launcher on{some_gpu(), {}};
    wf::reduce_axis<axis>(noting_policy{&on}, matrix<float>(elements<float>(), rows, columns),
                          wf::plus{}, out);
    return on.grids;
  };
  constexpr std::integral_constant<int, 0> down{};
  constexpr std::integral_constant<int, 1> across{};
  CHECK(grids(down, 31, 1024) == 0);
  CHECK(grids(down, 1000, 1000) == 0);  // blocks of whole columns
  CHECK(grids(down, 3000, 1000) == 1);
  CHECK(grids(down, 1 << 14, 1 << 15) == 0);  // a second launch, and few pieces
  CHECK(grids(down, 1 << 25, 16) == 1);       // many
  CHECK(grids(across, 1000, 8) == 0);
  CHECK(grids(across, 2000, 5000) == 0);
  CHECK(grids(across, 4, 1 << 20) == 1);
}

// --- how the kernels divide the work -------------------------------------------------------------

namespace {

/// A launcher that notes how the work is divided.
struct dividing_launcher {
  wf::device_info info;
  std::string plan;

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    plan += "scratch " + std::to_string(count) + "; ";
    return {nullptr, count};
  }
  template <class Body>
  void launch(const char*, const Body& b, const wf::launch_shape& s) {
    if (!plan.empty() && plan.back() != ' ') plan += "; ";
    plan += std::to_string(s.grid.count()) + "x" + std::to_string(s.block.count());
    if constexpr (requires { b.part.merged_rows; }) {
      const auto& h = b.part;
      note(", threads", h.width);
      note(" x", h.height);
      note(" x", h.depth);
      note(", tiles", h.tiles);
      note(", rows", h.rows);
      if (h.pieces != 1) note(", by", h.piece_rows);
      if (h.merged_rows != 1) note(", merged", h.merged_rows);
      if (h.rest != 0) note(", rest", h.rest);
      if (h.words_out) plan += ", words out";
    } else if constexpr (requires { b.piece_chunks; }) {
      note(", pieces", b.pieces);
      note(" of", b.piece_chunks);
    } else if constexpr (requires { b.pieces; }) {
      note(", pieces", b.pieces);
    } else if constexpr (requires { b.lanes_log2; }) {
      note(", lanes", 1u << b.lanes_log2);
      if constexpr (requires { b.line_chunks; }) {
        note(", words", b.chunks);
      } else {
        note(", rows", b.rows);
      }
    }
  }
  void note(const char* what, std::size_t n) {
    (plan += what) += ' ';
    plan += std::to_string(n);
  }
};

struct dividing_policy {
  dividing_launcher* on;
  static constexpr const char* name() { return "dividing"; }
  template <class Axis>
  void run(const Axis& a) const {
    a.require_valid();
    wf::kernel::automatic_axis{}.enqueue(a, *on);
  }
  template <class Axis>
  void enqueue(const Axis& a) const {
    run(a);
  }
};

template <int Axis, class In, class Out, class Op = any_order_plus>
std::string division_into(const In& in, const Out& out, const Op& op = {},
                          const wf::device_info& gpu = some_gpu()) {
  dividing_launcher on{gpu, {}};
  wf::reduce_axis<Axis>(dividing_policy{&on}, in, op, out);
  return on.plan;
}

template <int Axis, class In, class Op = any_order_plus>
std::string division_of(const In& in, const Op& op = {}, const wf::device_info& gpu = some_gpu()) {
  using T = typename In::value_type;
  using out_type = typename wf::axis_reduction<T, Op, T>::accumulator;
  std::size_t results = 1;
  for (int d = 0; d < static_cast<int>(In::rank()); ++d) {
    if (d != Axis) results *= in.extent(static_cast<typename In::rank_type>(d));
  }
  const std::span<out_type> out(reinterpret_cast<out_type*>(std::uintptr_t{1} << 50), results);
  return division_into<Axis>(in, out, op, gpu);
}

template <class T, class Op = any_order_plus>
std::string division_of_rows(std::size_t rows, std::size_t length, const Op& op = {}) {
  return division_of<1>(matrix<T>(elements<T>(), rows, length), op);
}
template <class T, class Op = any_order_plus>
std::string division_of_columns(std::size_t length, std::size_t across, const Op& op = {}) {
  return division_of<0>(matrix<T>(elements<T>(), length, across), op);
}

}  // namespace

TEST_CASE(
    "lanes of a row: the most of which less than a third idle; a row at a time where it fills "
    "them") {
  const auto lanes = [](std::size_t words) {
    return 1u << wf::kernel::axis_rows::lanes_log2(words);
  };
  for (const auto& [words, expected] : {std::array<std::size_t, 2>{0, 1},
                                        {1, 1},
                                        {2, 2},
                                        {3, 4},
                                        {4, 4},
                                        {5, 2},
                                        {6, 8},
                                        {7, 8},
                                        {8, 8},
                                        {9, 4},
                                        {11, 4},
                                        {12, 16},
                                        {16, 16},
                                        {17, 8},
                                        {22, 8},
                                        {23, 32},
                                        {32, 32},
                                        {33, 8},
                                        {40, 16},
                                        {44, 16},
                                        {45, 32},
                                        {64, 32},
                                        {67, 16},
                                        {68, 32},
                                        {1024, 32}}) {
    const std::size_t n = words;  // some Clangs do not capture the binding
    INFO(n);
    CHECK(lanes(n) == expected);
  }
  CHECK(division_of_rows<float>(1000000, 255 * 4) == "15625x256, lanes 32, words 255");
  CHECK(division_of_rows<float>(1000000, 256 * 4) == "125000x256, lanes 32, words 256");
  CHECK(division_of_rows<float>(1000000, 32 * 4, five) == "31250x256, lanes 32, words 32");
  CHECK(division_of_rows<float>(1000000, 33 * 4, five) == "31250x256, lanes 8, words 33");
  CHECK(division_of_rows<float>(512, 4) == "1x256, lanes 1, words 1");
}

TEST_CASE("tiles: as many rows as fit 16 KB and end at words, and up to 32 lanes for each") {
  CHECK(division_of_rows<float>(1000000, 2) == "489x256, lanes 1, rows 2048");
  CHECK(division_of_rows<float>(1000000, 3) == "734x256, lanes 1, rows 1364");
  CHECK(division_of_rows<float>(1000000, 33) == "8065x256, lanes 2, rows 124");
  CHECK(division_of_rows<float>(1000000, 129) == "35715x256, lanes 8, rows 28");
  CHECK(division_of_rows<float>(1000000, 255) == "62500x256, lanes 16, rows 16");
  CHECK(division_of_rows<float>(8, 511) == "1x256, lanes 32, rows 8");
  CHECK(division_of_rows<float>(9, 511) == "2x256, lanes 32, rows 8");
  CHECK(division_of_rows<signed char>(1000, 1023) == "63x256, lanes 16, rows 16");

  const auto tile_rows = [](std::size_t length) {
    wf::axis_reduction<float, any_order_plus, float> axis{};
    axis.layout.length = length;
    return wf::kernel::axis_row_tiles::tile_rows(axis);
  };
  CHECK(tile_rows(0) == 0);
  CHECK(tile_rows(1) == 4096);
  CHECK(tile_rows(1024) == 4);
  CHECK(tile_rows(1025) == 0);  // four of them are more than 16 KB
  CHECK(tile_rows(4096) == 1);
  CHECK(tile_rows(4097) == 0);
  CHECK(tile_rows(5000) == 0);
}

TEST_CASE(
    "pieces of long rows: four of a block's steps each, one where multiprocessors would idle") {
  CHECK(division_of_rows<float>(1, 1025 * 4) == "1x128, pieces 1 of 1025");
  CHECK(division_of_rows<float>(1, 2047 * 4) == "1x128, pieces 1 of 2047");
  CHECK(division_of_rows<float>(1, 2048 * 4) == "1x256, pieces 1 of 2048");
  CHECK(division_of<1>(matrix<float>(elements<float>(1), 10, 1023 * 4)) ==
        "10x64, pieces 1 of 1023");
  CHECK(division_of<1>(matrix<float>(elements<float>(1), 10, 1024 * 4)) ==
        "10x128, pieces 1 of 1024");
  CHECK(division_of_rows<float>(4, 8192 * 4) ==
        "scratch 16; 16x256, pieces 4 of 2048; 1x32, pieces 4");
  CHECK(division_of_rows<float>(100, 16384 * 4) ==
        "scratch 500; 500x256, pieces 5 of 3277; 13x32, pieces 5");
  CHECK(division_of_rows<float>(120, 40960 * 4) ==
        "scratch 600; 600x256, pieces 5 of 8192; 15x32, pieces 5");
  CHECK(division_of_rows<float>(500, 16384 * 4) ==
        "scratch 1000; 1000x256, pieces 2 of 8192; 63x32, pieces 2");
  CHECK(division_of_rows<float>(2000, 100000 * 4) ==
        "scratch 8000; 8000x256, pieces 4 of 25000; 250x32, pieces 4");
  CHECK(division_of_rows<float>(133, 1000000 * 4) ==
        "scratch 8379; 8379x256, pieces 63 of 15874; 17x128, pieces 63");
  // No piece is empty, and the last one may be of one chunk.
  CHECK(division_of_rows<signed char>(1, (525 * 513 + 1) * 16, wf::arg(wf::maximum{})) ==
        "scratch 526; 526x256, pieces 526 of 513; 1x1024, pieces 526");
  // A block counts its chunks in 32 bits.
  const auto much = [](std::size_t chunks) {
    return division_of<1>(with_strides(elements<float>(), 100000, chunks * 4, 0, 1));
  };
  constexpr std::size_t most = std::size_t{1} << 31;
  CHECK(much(most - 1) == "100000x256, pieces 1 of 2147483647");
  CHECK(much(most) == "scratch 200000; 200000x256, pieces 2 of 1073741824; 12500x32, pieces 2");
  CHECK(much(2 * most) == "scratch 300000; 300000x256, pieces 3 of 1431655766; 12500x32, pieces 3");
}

TEST_CASE("the second launch: eight results a block, and threads for four pieces each") {
  const auto last = [](const std::string& plan) { return plan.substr(plan.rfind("; ") + 2); };
  const auto pieces_of = [&](std::size_t chunks) {
    return last(division_of_rows<float>(1, chunks * 4));
  };
  CHECK(pieces_of(16 * 2048) == "1x32, pieces 16");
  CHECK(pieces_of(17 * 2048) == "1x64, pieces 17");
  CHECK(pieces_of(32 * 2048) == "1x64, pieces 32");
  CHECK(pieces_of(33 * 2048) == "1x128, pieces 33");
  CHECK(pieces_of(488 * 2048) == "1x1024, pieces 488");
  CHECK(last(division_of_rows<float>(8, 1 << 20)) == "1x256, pieces 66");
  CHECK(last(division_of_rows<float>(9, 1 << 20)) == "2x128, pieces 58");
  // Large states leave room for fewer threads.
  CHECK(last(division_of_rows<float>(1, 488 * 2048 * 4, five)) == "1x512, pieces 488");
}

TEST_CASE("columns: how threads stand, whole lines where they can") {
  CHECK(division_of_columns<float>(0, 8) == "1x32, threads 2 x 1 x 1, tiles 1, rows 0, words out");
  CHECK(division_of_columns<float>(8, 20) == "1x32, threads 5 x 1 x 1, tiles 1, rows 8, words out");
  CHECK(division_of_columns<float>(9, 20) == "1x32, threads 5 x 2 x 1, tiles 1, rows 9, words out");
  CHECK(division_of_columns<float>(53, 20) ==
        "1x32, threads 5 x 6 x 1, tiles 1, rows 53, words out");
  CHECK(division_of_columns<float>(53, 24) ==
        "1x64, threads 6 x 7 x 1, tiles 1, rows 53, words out");
  CHECK(division_of_columns<float>(57, 20) ==
        "1x64, threads 5 x 8 x 1, tiles 1, rows 57, words out");
  CHECK(division_of_columns<float>(1000, 8) ==
        "1x256, threads 2 x 124 x 1, tiles 1, rows 1000, words out");
  CHECK(division_of_columns<float>(1000, 20) ==
        "1x256, threads 5 x 48 x 1, tiles 1, rows 1000, words out");
  CHECK(division_of_columns<float>(100000, 4) ==
        "scratch 92; 23x256, threads 1 x 256 x 1, tiles 1, rows 100000, by 4352, words out; "
        "1x64, pieces 23");
  // Tiles of whole lines, although the last one is then emptier.
  CHECK(division_of_columns<float>(31, 1024) ==
        "1x256, threads 256 x 1 x 1, tiles 1, rows 31, words out");
  CHECK(division_of_columns<float>(31, 1028) ==
        "2x160, threads 136 x 1 x 1, tiles 2, rows 31, words out");
  CHECK(division_of_columns<float>(31, 20000) ==
        "20x256, threads 256 x 1 x 1, tiles 20, rows 31, words out");
  CHECK(division_of_columns<float>(17, 132) ==
        "1x96, threads 33 x 2 x 1, tiles 1, rows 17, words out");
  // Rows that are merged, and what is left of them.
  CHECK(division_of_columns<float>(67, 9) ==
        "scratch 36; 1x32, threads 9 x 2 x 1, tiles 1, rows 16, merged 4, rest 3, words out; "
        "2x32, pieces 4");
  CHECK(division_of_columns<float>(100, 1022) ==
        "scratch 6132; 6x256, threads 256 x 1 x 1, tiles 2, rows 50, by 17, merged 2, words out; "
        "128x32, pieces 6");
  // A piece of 34 steps of 24 rows.
  CHECK(division_of_columns<float>(100000, 40) ==
        "scratch 9840; 246x256, threads 10 x 24 x 1, tiles 1, rows 100000, by 408, words out; "
        "5x512, pieces 246");
  CHECK(division_of_columns<three_floats>(1000, 64) ==
        "scratch 960; 15x256, threads 64 x 4 x 1, tiles 1, rows 1000, by 68; 8x32, pieces 15");
  CHECK(division_of_columns<signed char>(1000, 64) ==
        "1x256, threads 4 x 64 x 1, tiles 1, rows 1000");

  using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
  const auto outer = [](std::size_t n, std::size_t length) {
    return division_of<1>(cube(elements<float>(), n, length, 8));
  };
  CHECK(outer(5, 7) == "1x32, threads 2 x 1 x 5, tiles 1, rows 7, words out");
  CHECK(outer(100, 7) == "1x224, threads 2 x 1 x 100, tiles 1, rows 7, words out");
  CHECK(outer(129, 7) == "2x256, threads 2 x 1 x 128, tiles 1, rows 7, words out");
  CHECK(outer(31, 100) == "4x256, threads 2 x 12 x 10, tiles 1, rows 100, words out");

  // A thread counts its rows in 32 bits.
  const auto much = [](std::size_t rows) {
    return division_of<0>(with_strides(elements<float>(), rows, 1 << 20, 0, 1));
  };
  constexpr std::size_t most = std::size_t{1} << 31;
  CHECK(much(most - 1) == "1024x256, threads 256 x 1 x 1, tiles 1024, rows 2147483647, words out");
  CHECK(much(2 * most) ==
        "scratch 3145728; 3072x256, threads 256 x 1 x 1, tiles 1024, rows 4294967296, by "
        "1431655766, words out; 131072x32, pieces 3");
}

TEST_CASE("results of columns are written in words where all rows of the output have them") {
  using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
  using pages = cs::mdspan<float, cs::dextents<std::size_t, 2>, cs::layout_stride>;
  const cube in(elements<float>(), 6, 7, 8);
  const auto in_words = [&](std::size_t offset, std::size_t down, std::size_t across) {
    const pages out(reinterpret_cast<float*>(std::uintptr_t{1} << 50) + offset,
                    pages::mapping_type{cs::dextents<std::size_t, 2>(6, 8),
                                        cs::array<std::size_t, 2>{down, across}});
    return division_into<1>(in, out).find("words out") != std::string::npos;
  };
  CHECK(in_words(0, 8, 1));
  CHECK(in_words(4, 12, 1));
  CHECK(!in_words(1, 12, 1));
  CHECK(!in_words(0, 9, 1));
  CHECK(!in_words(0, 10, 1));
  CHECK(!in_words(0, 16, 2));
  CHECK(!in_words(0, 1, 6));
}

TEST_CASE("numbers at which one piece more would be made, or one fewer") {
  CHECK(division_of_columns<float>(288, 31 * 1024) ==
        "scratch 539648; 527x256, threads 256 x 1 x 1, tiles 31, rows 288, by 17, words out; "
        "3968x64, pieces 17");
  CHECK(division_of_rows<float>(1000, 16384 * 4) ==
        "scratch 2000; 2000x256, pieces 2 of 8192; 125x32, pieces 2");
  CHECK(division_of_rows<float>(900, 81920 * 4) ==
        "scratch 8100; 8100x256, pieces 9 of 9103; 113x32, pieces 9");
  CHECK(division_of_rows<signed char>(1, (528 * 512 + 1) * 16, wf::arg(wf::maximum{})) ==
        "scratch 527; 527x256, pieces 527 of 513; 1x1024, pieces 527");
  // Scratch for several matrices.
  using cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>>;
  CHECK(division_of<1>(cube(elements<float>(), 3, 320, 1024)) ==
        "scratch 61440; 60x256, threads 256 x 1 x 1, tiles 1, rows 320, by 16, words out; "
        "384x64, pieces 20");

  // Rows of 4 KB, of which four fill a tile: 32 lanes each, and no more.
  wf::axis_reduction<float, any_order_plus, float> axis{};
  axis.layout.length = 1024;
  dividing_launcher on{some_gpu(), {}};
  wf::kernel::axis_row_tiles{}.enqueue(axis, on);
  CHECK(on.plan == "1x256, lanes 32, rows 4");
}

TEST_CASE("only the dimensions that are kept decide on words") {
  using strided_cube = cs::mdspan<const float, cs::dextents<std::size_t, 3>, cs::layout_stride>;
  const strided_cube apart(elements<float>(),
                           strided_cube::mapping_type{cs::dextents<std::size_t, 3>(3, 7, 8),
                                                      cs::array<std::size_t, 3>{61, 8, 1}});
  CHECK(chosen<1>(apart) == columns);

  // Four that are kept, and none behind them.
  using five_axes = cs::mdspan<const float, cs::dextents<std::size_t, 5>, cs::layout_stride>;
  using four_axes = cs::mdspan<float, cs::dextents<std::size_t, 4>, cs::layout_stride>;
  const five_axes in(elements<float>(),
                     five_axes::mapping_type{cs::dextents<std::size_t, 5>(7, 2, 2, 2, 4),
                                             cs::array<std::size_t, 5>{200, 96, 40, 12, 1}});
  const auto into = [&](const cs::array<std::size_t, 4>& strides) {
    const four_axes out(reinterpret_cast<float*>(std::uintptr_t{1} << 50),
                        four_axes::mapping_type{cs::dextents<std::size_t, 4>(2, 2, 2, 4), strides});
    return division_into<0>(in, out, plus_with{3});
  };
  CHECK(into({23, 11, 5, 1}) == "1x32, threads 1 x 1 x 8, tiles 1, rows 7");
  CHECK(into({64, 32, 8, 1}) == "1x32, threads 1 x 1 x 8, tiles 1, rows 7, words out");
}
