// The work object of folds of expressions: what it writes, and which memory overlaps.
// needs: cccl
#include <warpfold/work/expression_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace wf = warpfold;

namespace {

using numbers = wf::array_source<wf::detail::array_value, float>;
template <class Op, class... Outs>
using work = wf::expression_reduction<numbers, Op, Outs...>;
static_assert(wf::axis_reduction_work<work<wf::plus, float>>);

struct larger {
  float operator()(float a, float b) const { return a < b ? b : a; }
};

// Three rows of four elements, with one result each.
template <class Op, class... Outs>
work<Op, Outs...> rows(const float* in, const Op& op, Outs*... out) {
  work<Op, Outs...> w{{{in}, {}}, wf::detail::tuple_of(out...), {}, {}, op};
  w.layout.outputs = 3;
  w.layout.length = 4;
  w.layout.kept.dims[0].extent = 3;
  w.layout.kept.dims[0].stride[0] = 4;
  for (int o = 1; o <= w.outs; ++o) w.layout.kept.dims[0].stride[o] = static_cast<std::size_t>(o);
  w.layout.folded.append({4, {1, 1}});
  for (auto& s : w.span) s = 3;
  w.span[0] = 12;
  return w;
}

// Writes result `r`.
template <class Work>
void write(const Work& w, std::size_t r, const typename Work::accumulator& a) {
  w.write(w.layout.kept.place(r).of, a, wf::host_stores{});
}

}  // namespace

TEST_CASE("one output holds the result, the accumulator, or the index of the result") {
  const std::vector<float> in(12);
  float sums[3] = {};
  write(rows(in.data(), wf::plus{}, sums), 2, 5.0f);
  CHECK(sums[2] == 5);
  wf::compensated_sum<float> exact[3] = {};
  write(rows(in.data(), wf::compensated_plus{}, exact), 1, {1, 0.25f});
  CHECK(exact[1].dropped == 0.25f);
  write(rows(in.data(), wf::compensated_plus{}, sums), 1, {1, 0.25f});
  CHECK(sums[1] == 1.25f);
  short places[3] = {};
  write(rows(in.data(), wf::arg(wf::maximum{}), places), 0, {7.0f, 3});
  CHECK(places[0] == 3);
}

TEST_CASE("several outputs hold the parts of the result") {
  const std::vector<float> in(12);
  double sums[3] = {};
  int places[5] = {};
  wf::compensated_sum<float> exact[7] = {};
  const auto op = wf::all(wf::plus{}, wf::arg(wf::maximum{}), wf::plus{}.compensated());
  const auto w = rows(in.data(), op, sums, places, exact);
  write(w, 1, {5.0f, {{7.0f, 3}, {{1.0f, 0.25f}}}});
  CHECK(sums[1] == 5);
  CHECK(places[2] == 3);
  CHECK(exact[3].dropped == 0.25f);
}

TEST_CASE("outputs in the input or in each other, and axes without elements") {
  std::vector<float> m(24);
  float* const p = m.data();
  CHECK_NOTHROW(rows(p, wf::plus{}, p + 12).require_valid());
  CHECK_THROWS_AS(rows(p, wf::plus{}, p + 11).require_valid(), wf::invalid_range);
  const auto two = wf::all(wf::plus{}, wf::plus{});
  CHECK_NOTHROW(rows(p, two, p + 15, p + 12).require_valid());
  CHECK_THROWS_AS(rows(p, two, p + 14, p + 12).require_valid(), wf::invalid_range);
  CHECK_THROWS_AS(rows(p, two, p + 12, p + 14).require_valid(), wf::invalid_range);
  CHECK_THROWS_AS(rows(p, two, p + 12, p + 12).require_valid(), wf::invalid_range);
  auto none = rows(p, larger{}, p + 12);
  none.layout.length = 0;
  CHECK_THROWS_AS(none.require_valid(), wf::empty_range);
  none.layout.outputs = 0;
  CHECK_NOTHROW(none.require_valid());
}

TEST_CASE("bytes read and written") {
  std::vector<float> m(24);
  const auto w = rows(m.data(), wf::plus{}, m.data() + 12);
  CHECK(w.bytes() == 48);
  CHECK(w.bytes_written() == 12);
}
