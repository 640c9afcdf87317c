// The text of a tuning: the table that is read is written and read again, with the same result.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <warpfold/tuning_text.hpp>

#include "libfuzzer.hpp"

namespace {

using fuzz::expect;

bool same(const warpfold::tuning::row& a, const warpfold::tuning::row& b) {
  return a.from_bytes == b.from_bytes && a.block == b.block && a.blocks == b.blocks &&
         a.cache == b.cache && a.loads == b.loads;
}

bool same(const warpfold::tuning& a, const warpfold::tuning& b) {
  return a.compute_capability == b.compute_capability && a.multiprocessors == b.multiprocessors &&
         a.l2_bytes == b.l2_bytes && a.count == b.count &&
         std::equal(a.rows, a.rows + a.count, b.rows,
                    [](const auto& x, const auto& y) { return same(x, y); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  warpfold::tuning table;
  try {
    table = warpfold::tuning_from_text(input, "a.tuning");
  } catch (const warpfold::invalid_tuning& e) {
    fuzz::expect_printable(e.what());
    return 0;
  }
  expect(table.count > 0 && table.count <= warpfold::tuning::max_rows, "a table has rows");
  const std::string text = warpfold::to_text(table);
  expect(same(table, warpfold::tuning_from_text(text)), "what is written is read alike");
  expect(to_text(warpfold::tuning_from_text(text)) == text, "and written alike");
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{4096}, ~std::size_t{0}}) {
    expect(table.row_of(bytes).block != 0, "each size has a row");
  }
  return 0;
}
