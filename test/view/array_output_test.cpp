// Outputs with strides, written as kernels do: chunk after chunk.
#include <warpfold/view/array_output.hpp>

#include <vector>

#include "contract/view_contract.hpp"

namespace {

/// Lines of `length` elements. Checks each element, and that the gaps do not change.
template <class T>
void check(std::size_t lines, std::size_t length, std::size_t step, std::size_t line) {
  INFO(lines, " lines of ", length, ", strides of ", step, " and ", line);
  const auto values = test::any_values<T>(lines * length);
  const std::size_t span = (lines - 1) * line + (length - 1) * step + 1;
  wf::array_dimensions<1> dims;
  dims.append({length, {step}});
  dims.append({lines, {line}});
  for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
    std::vector<T> expected(span);
    for (std::size_t i = 0; i < values.size(); ++i) {
      expected[i / length * line + i % length * step] = values[i];
    }
    const test::host_memory::array<T> memory(std::vector<T>(span), offset);
    const wf::array_output<T> out(const_cast<T*>(memory.data()), dims, span);
    const wf::global_access stores;
    constexpr std::size_t size = wf::array_output<T>::chunk_size;
    const std::size_t head = out.head() == wf::any_head ? 0 : out.head();
    std::size_t i = 0;
    for (; i < head && i < values.size(); ++i) out.store_at(i, values[i], stores);
    for (; i + size <= values.size(); i += size) {
      typename wf::array_output<T>::chunk_type c;
      for (std::size_t k = 0; k < size; ++k) out.set(c, static_cast<int>(k), values[i + k]);
      out.store(c, i, stores);
    }
    for (; i < values.size(); ++i) out.store_at(i, values[i], stores);
    CHECK(test::host_memory::values(memory.data(), span) == expected);
  }
}

}  // namespace

TEST_CASE("lines with and without gaps, short, long and turned") {
  check<float>(5, 12, 1, 12);
  check<float>(5, 12, 1, 16);
  check<float>(7, 3, 1, 5);
  check<double>(6, 9, 6, 1);
  check<unsigned char>(9, 37, 1, 48);
  check<short>(4, 10, 2, 25);
}

TEST_CASE("an output without gaps tells its head and that it can be written in place") {
  alignas(16) float data[40];
  wf::array_dimensions<1> whole, gaps;
  whole.append({8, {1}});
  whole.append({4, {8}});
  gaps.append({8, {1}});
  gaps.append({4, {9}});
  CHECK(wf::array_output<float>(data + 1, whole, 32).head() == 3);
  CHECK(wf::array_output<float>(data, gaps, 35).head() == wf::any_head);
  const auto step_of = [](const auto& out) {
    std::size_t step = 99;
    out.visit_arrays([&](const void*, std::size_t, std::size_t s) { step = s; });
    return step;
  };
  CHECK(step_of(wf::array_output<float>(data, whole, 32)) == 4);
  CHECK(step_of(wf::array_output<float>(data, gaps, 35)) == 0);
}
