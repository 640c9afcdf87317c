// Sums of 300 random arrays of float along a random axis, some along several axes: wf::device
// beside plain kernels. benchmarks/axis_shapes_torch.py measures PyTorch's sums of the same arrays.
//
// Path covered: reduce_axis.hpp -> policy/device.hpp -> kernel/axis/automatic.hpp, and
// work/expression_reduction.hpp for several axes; with cuda::std::mdspan.
//
// The list is the same in each run. Arrays have rank 2 to 4 and 4 KB to 256 MB. Sizes and extents
// are log-uniform, and most extents are odd. All arrays together have 10 GB.
//
// The elements are small integers, so that every sum of floats is exact. Each contender runs once
// before, and its sums are compared with integer sums. Cold: one call after a write of 256 MB.
// Times are medians. A contender that takes more than four times as long as warpfold is timed once
// or twice.
//
//     axis_shapes [--list] [--only TEXT]...
//
// --list prints the arrays and measures nothing. --only selects those that contain one of the
// texts; then no record is written. Progress goes to stderr.
//
// Writes benchmarks/results/<gpu>/axis_shapes.json in the current directory, or under
// WARPFOLD_RESULTS. benchmarks/report_axis_shapes.py writes axis_shapes.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

#include "contenders.hpp"
#include "measure.hpp"
#include "plain_axis.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

// --- the list ------------------------------------------------------------------------------------

constexpr std::size_t count = 300;
constexpr std::size_t least_elements = std::size_t{1} << 10, most_elements = std::size_t{1} << 26;

/// Axes of arrays of one rank, and warpfold's sums along them.
struct axes {
  std::size_t rank;
  std::vector<std::size_t> folded;  ///< in increasing order
  void (*sum)(const float* x, const std::vector<std::size_t>& extents, std::span<float> out);
};

template <std::size_t Rank, int... Axes>
axes axes_of() {
  return {Rank,
          {static_cast<std::size_t>(Axes)...},
          [](const float* x, const std::vector<std::size_t>& extents, std::span<float> out) {
            cuda::std::array<int, Rank> shape;
            for (std::size_t d = 0; d < Rank; ++d) shape[d] = static_cast<int>(extents[d]);
            const cuda::std::mdspan<const float, cuda::std::dextents<int, Rank>> array(x, shape);
            const auto policy = wf::device.on(machine().stream);
            if constexpr (sizeof...(Axes) == 1) {
              wf::reduce_axis_async<Axes...>(policy, array, wf::plus{}, out);
            } else {
              wf::reduce_axes_async<Axes...>(policy, array, wf::plus{}, out);
            }
          }};
}

/// Several axes are neighbors, or they are all but some neighbors in the middle: the plain kernels
/// fold these.
const std::vector<axes>& all_axes() {
  static const std::vector<axes> all{
      axes_of<2, 0>(),    axes_of<2, 1>(),    axes_of<3, 0>(),    axes_of<3, 1>(),
      axes_of<3, 2>(),    axes_of<3, 0, 1>(), axes_of<3, 1, 2>(), axes_of<3, 0, 2>(),
      axes_of<4, 0>(),    axes_of<4, 1>(),    axes_of<4, 2>(),    axes_of<4, 3>(),
      axes_of<4, 0, 1>(), axes_of<4, 1, 2>(), axes_of<4, 2, 3>(), axes_of<4, 0, 2, 3>()};
  return all;
}

/// SplitMix64: the same numbers with every standard library.
struct generator {
  std::uint64_t state;
  std::uint64_t bits() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  /// Above 0, at most 1.
  double uniform() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }
};

struct array_row : row {
  std::vector<std::size_t> extents;
  const axes* along{};
};

std::size_t product(const std::vector<std::size_t>& extents, std::size_t first, std::size_t last) {
  std::size_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= extents[d];
  return n;
}

/// Extents from 2 whose logarithms share the one of a random size.
std::vector<std::size_t> random_extents(generator& random, std::size_t rank) {
  const double low = std::log2(least_elements), high = std::log2(most_elements);
  const double size = low + (high - low) * random.uniform();
  std::vector<double> share(rank);
  double all = 0;
  for (double& s : share) all += s = -std::log(random.uniform());
  std::vector<std::size_t> extents;
  for (const double s : share) {
    auto extent = std::max<std::size_t>(2, std::llround(std::exp2(size * s / all)));
    if (random.below(4) != 0) extent |= 1;
    extents.push_back(extent);
  }
  // Extents of 2 and 3 instead of 1 make some arrays too large.
  std::size_t& longest = *std::max_element(extents.begin(), extents.end());
  const std::size_t others = product(extents, 0, rank) / longest;
  longest = std::min(longest, most_elements / others);
  longest = std::max(longest, (least_elements + others - 1) / others);
  return extents;
}

/// The numbers with `between` between them.
std::string joined(const std::vector<std::size_t>& numbers, const char* between) {
  std::string text;
  for (const std::size_t n : numbers) text += (text.empty() ? "" : between) + std::to_string(n);
  return text;
}

std::vector<array_row> all_rows() {
  std::vector<array_row> rows;
  std::set<std::string> seen;
  generator random{2024};
  while (rows.size() < count) {
    const std::size_t rank = 2 + rows.size() % 3;
    const bool several = rank > 2 && random.below(4) == 0;
    std::vector<const axes*> possible;
    for (const axes& a : all_axes()) {
      if (a.rank == rank && (a.folded.size() > 1) == several) possible.push_back(&a);
    }
    array_row r;
    r.work = "axis sums";
    r.along = possible[random.below(possible.size())];
    r.extents = random_extents(random, rank);
    r.size = joined(r.extents, " x ") + (several ? ", axes " : ", axis ") +
             joined(r.along->folded, ", ");
    if (seen.insert(r.size).second) rows.push_back(std::move(r));
  }
  return rows;
}

// --- times ---------------------------------------------------------------------------------------

/// Integers from -2 to 2.
struct integers_around_zero {
  __device__ float operator()(std::size_t i) const {
    return static_cast<float>(static_cast<int>(hash_of(i) % 5) - 2);
  }
};

/// The memory of all rows.
struct memory {
  wf::device_buffer<float> x = filled<float>(most_elements, integers_around_zero{});
  wf::device_buffer<int> want{most_elements / 2};
  wf::device_buffer<float> out{most_elements / 2};
};

template <class Shape>
void measure_shape(array_row& r, memory& m, const Shape& shape) {
  cudaStream_t const stream = machine().stream;
  const std::size_t outputs = shape.outputs();
  const float* const x = m.x.data();
  float* const to = m.out.data();
  const int* const want = m.want.data();
  plain::sum_integers(x, shape, m.want.data(), stream);
  const auto mistakes = [=] { return wrong_of(outputs, differs<int>{to, want, 0, 0}); };
  const auto add = [&](const char* name, const std::function<void()>& call) {
    r.contenders.push_back({name, call, {to, outputs * sizeof(float)}, mistakes});
  };
  r.bytes = (outputs * shape.length + outputs) * sizeof(float);
  add("warpfold", [=, &r] { r.along->sum(x, r.extents, {to, outputs}); });
  plain::add_axis_kernels(x, shape, to, stream, add);
  measure_contenders(r, true);
}

void measure_array(array_row& r, memory& m) {
  const std::vector<std::size_t>& folded = r.along->folded;
  const std::size_t first = folded.front(), last = folded.back() + 1, rank = r.extents.size();
  const auto extent = [&](std::size_t from, std::size_t to) {
    return product(r.extents, from, to);
  };
  if (last - first == folded.size()) {
    measure_shape(r, m,
                  plain::axis_shape{extent(0, first), extent(first, last), extent(last, rank)});
    return;
  }
  const std::size_t kept = 1, kept_end = folded[1];  // axis 0 is folded
  measure_shape(r, m,
                plain::ends_shape{extent(0, kept), extent(kept, kept_end), extent(kept_end, rank)});
}

void write_results(const std::vector<array_row>& rows) {
  write_rows("axis_shapes.json", "", rows, [](std::ostream& json, const array_row& r) {
    json << "\"shape\": [" << joined(r.extents, ", ") << "], \"axes\": ["
         << joined(r.along->folded, ", ") << "], ";
    write_contenders(json, r);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const measure::selection selected(argc, argv);
  if (!selected.valid) return 2;
  std::vector<array_row> rows = all_rows();
  selected.apply(rows);
  if (selected.list) {
    print_list(rows);
    return 0;
  }
  if (!measure::has_gpu()) return 0;
  seconds_now();
  warm_up();
  memory m;
  for (array_row& r : rows) measure_array(r, m);
  if (selected.only.empty()) {
    write_results(rows);
  } else {
    std::printf("no record: --only selected %zu rows\n", rows.size());
  }
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.right; }) ? 0 : 1;
}
