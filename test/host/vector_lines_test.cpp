// Lines: their accumulators are the same with vectors of 16 and of 32 bytes, in the same order.
#include <warpfold/host/vector_lines.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/view/as_view.hpp>

namespace wf = warpfold;

#if defined(__GNUC__)
namespace {

using namespace wf::host::detail;

/// The values of a line that has taken `lines` lines from `data`, in vectors of 16 bytes.
template <int Bytes, class Vectors, class T>
auto values_of(const Vectors& vectors, const T* data, std::size_t lines) {
  using line = typename Vectors::template line<Bytes>;
  constexpr std::make_index_sequence<line::units> units{};
  line wide;
  start_line(wide, vectors, data, units);
  for (std::size_t i = 1; i < lines; ++i) {
    take_line(wide, vectors, data + i * Vectors::line_elements, units);
  }
  typename Vectors::template line<narrow> all;
  wide.split(all, line::units);
  std::vector<decltype(all.value(0))> values;
  // A merge of the first unit with each other one shows all of them.
  for (std::size_t l = 0; l < decltype(all)::unit; ++l) values.push_back(all.value(l));
  for (std::size_t r = 1; r < decltype(all)::units; ++r) {
    all.merge(vectors, 0, r);
    for (std::size_t l = 0; l < decltype(all)::unit; ++l) values.push_back(all.value(l));
  }
  return values;
}

template <class Op, class T>
void check_widths() {
  using vectors = plain_vectors<Op, T>;
  std::vector<T> v(5 * vectors::line_elements);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>((i * 37) % 101);
  const vectors own{Op{}};
  const auto narrow_values = values_of<16>(own, v.data(), 5);
  CHECK(narrow_values == values_of<32>(own, v.data(), 5));
  auto first = v[0];
  for (std::size_t i = 1; i < 5; ++i) {
    first = static_cast<T>(Op{}(first, v[i * vectors::line_elements]));
  }
  CHECK(narrow_values[0] == first);
}

}  // namespace

TEST_CASE_TEMPLATE("sums and extrema have the same accumulators in both widths", T, float, double,
                   int) {
  check_widths<wf::plus, T>();
  check_widths<wf::maximum, T>();
}

TEST_CASE("sums of products take both arrays") {
  const std::vector<int> a(64, 2), b(64, 3);
  const auto product = wf::project(wf::zip(a, b), wf::detail::product_for_sum{});
  using vectors = vectors_of<wf::plus, std::remove_const_t<decltype(product)>>;
  vectors::line<16> line;
  const auto from = vectors::data(product);
  line.start(0, 0, from);
  line.take(0, 0, from + 4);
  CHECK(line.value(0) == 24);  // of a pair
}
#endif
