// with_ordered_chunks: chunks are nodes of the declared order.
#include <warpfold/kernel/axis/in_order/row_chunks.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/work/axis_reduction.hpp>

#include "view/shapes.hpp"

namespace wf = warpfold;

namespace {

struct found {
  int size;
  wf::array_load how;
  wf::kernel::row_chunks row;
};
found chunks_of(const float* in, std::size_t rows, std::size_t length, std::size_t pitch) {
  const auto kept = test::shape({rows}, {pitch});
  const wf::axis_reduction<float, wf::plus, float> axis{
      in, nullptr, wf::detail::layout_of(length, 1, kept, kept.row_major()), 1, 1, {}};
  found f{};
  wf::kernel::with_ordered_chunks(
      axis, [&]<class Size>(Size, const auto& how, const wf::kernel::row_chunks& row) {
        f = {Size::value, how.of[0], row};
      });
  return f;
}

}  // namespace

TEST_CASE("words where rows start at them, and a last chunk of fewer elements") {
  std::vector<wf::word> memory(64);
  const auto* const in = reinterpret_cast<const float*>(memory.data());
  const found words = chunks_of(in, 3, 10, 12);
  CHECK(words.size == 4);
  CHECK(words.how == wf::array_load::words);
  CHECK(words.row.count == 3);
  CHECK(words.row.last == 2);
  const found other = chunks_of(in + 1, 3, 12, 13);
  CHECK(other.size == 4);
  CHECK(other.how == wf::array_load::elements);
  CHECK(other.row.count == 3);
  CHECK(other.row.last == 0);
  CHECK(chunks_of(in, 3, 3, 4).size == 1);  // shorter than a chunk
}
