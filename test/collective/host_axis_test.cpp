// The units and pieces in which host threads fold along an axis, each by itself.
#include <warpfold/collective/host_axis.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/axis_shape.hpp>

namespace wf = warpfold;

namespace {

using wf::detail::axis_shape;

axis_shape shape(const std::vector<std::size_t>& extents, const std::vector<std::size_t>& strides) {
  axis_shape s;
  s.rank = static_cast<int>(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    s.extent[d] = extents[d];
    s.stride[d] = strides[d];
  }
  return s;
}

using axis_type = wf::axis_reduction<int, wf::plus, long long>;
template <bool Strict>
using host_axis = wf::collective::host_axis<axis_type, Strict>;

/// Sums of `length` elements that are `step` apart, `kept` of them, whole and in pieces.
template <bool Strict>
void check_sums(std::size_t length, std::size_t step, const axis_shape& kept) {
  std::vector<int> in(kept.span() + (length - 1) * step);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i % 1009);
  const axis_shape to = kept.row_major();
  std::vector<long long> expected(kept.count());
  for (std::size_t o = 0; o < expected.size(); ++o) {
    std::size_t rest = o, from = 0;
    for (int d = kept.rank; d-- > 0; rest /= kept.extent[d]) {
      from += rest % kept.extent[d] * kept.stride[d];
    }
    for (std::size_t i = 0; i < length; ++i) expected[o] += in[from + i * step];
  }
  std::vector<long long> out(expected.size());
  const axis_type axis{in.data(), out.data(), wf::detail::layout_of(length, step, kept, to),
                       in.size(), out.size(), {}};
  const host_axis<Strict> work(axis);
  for (std::size_t u = 0; u < work.units(); ++u) work.write(u);
  CHECK(out == expected);
  for (std::size_t pieces = 1; pieces <= 3; ++pieces) {
    INFO(pieces, " pieces");
    out.assign(out.size(), -1);
    const typename host_axis<Strict>::partials partials(out.size(), pieces);
    for (std::size_t i = 0; i < work.units() * pieces; ++i) {
      work.write_partials(i / pieces, i % pieces, partials);
    }
    work.write_all(partials);
    CHECK(out == expected);
  }
}
void check(std::size_t length, std::size_t step, const axis_shape& kept) {
  check_sums<true>(length, step, kept);
  check_sums<false>(length, step, kept);
}

}  // namespace

TEST_CASE("rows") {
  check(5, 1, shape({3}, {5}));
  check(200, 1, shape({3, 2}, {1000, 300}));
}

TEST_CASE("columns, of more than one unit, side by side and not") {
  check(9, 5000, shape({5000}, {1}));
  check(9, 10000, shape({5000}, {2}));
  check(6, 100, shape({3, 7}, {1000, 1}));
  check(7, 100, shape({3, 7}, {1000, 3}));
}

TEST_CASE("columns of the same elements") {
  check(7, 10, shape({3, 4}, {0, 1}));
  check(7, 10, shape({3, 4}, {1, 0}));
}
