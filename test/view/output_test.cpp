// Output views, written as kernels do: chunk after chunk.
// needs: boost boost_context
#include <warpfold/view/output.hpp>

#include <algorithm>
#include <vector>

#include <warpfold/soa.hpp>

#include "contract/view_contract.hpp"
#include "view/soa_elements.hpp"

namespace {

/// 8 bytes that are aligned to 4.
struct two_floats {
  float x, y;
  friend bool operator==(const two_floats&, const two_floats&) = default;
};

/// All elements by chunks, those before and after them one by one.
template <class Output, class T>
void write(const Output& out, const std::vector<T>& values) {
  const wf::global_access stores;
  const std::size_t size = Output::chunk_size;
  const std::size_t head = std::min(out.head(), values.size());
  std::size_t i = 0;
  for (; i < head && out.head() != wf::any_head; ++i) out.store_at(i, values[i], stores);
  for (; i + size <= values.size(); i += size) {
    typename Output::chunk_type chunk;
    for (std::size_t k = 0; k < size; ++k) out.set(chunk, static_cast<int>(k), values[i + k]);
    out.store(chunk, i, stores);
  }
  for (; i < values.size(); ++i) out.store_at(i, values[i], stores);
}

template <class T>
void check_contiguous() {
  const auto values = test::any_values<T>(37);
  for (std::size_t offset = 0; offset < 16; offset += alignof(T)) {
    INFO(offset);
    alignas(16) unsigned char bytes[40 * sizeof(T) + 16] = {};
    auto* const to = reinterpret_cast<T*>(bytes + offset);
    write(wf::contiguous_output<T>(to, values.size()), values);
    CHECK(std::vector<T>(to, to + values.size()) == values);
  }
}

}  // namespace

TEST_CASE("contiguous elements at every offset") {
  check_contiguous<signed char>();
  check_contiguous<int>();
  check_contiguous<double>();
  check_contiguous<two_floats>();
}

TEST_CASE("arrays of fields: each member in its own, and all of them are told") {
  const auto values = test::elements<test::seven>(37);
  wf::host_soa<test::seven> soa(values.size());
  const auto out = soa.output();
  write(out, values);
  CHECK(soa.to_host() == values);

  std::size_t arrays = 0;
  out.visit_memory([&](const void* p, std::size_t bytes, std::size_t alignment) {
    if (arrays == 3) CHECK(p == soa.field<&test::seven::d>().data());
    CHECK(bytes == 37 * sizeof(float));
    CHECK(alignment % alignof(float) == 0);
    ++arrays;
  });
  CHECK(arrays == 7);

  arrays = 0;
  const auto view = soa.view();
  view.visit_columns([&](const void* p, std::size_t bytes) {
    if (arrays == 3) CHECK(p == soa.field<&test::seven::d>().data());
    CHECK(bytes == sizeof(float));
    ++arrays;
  });
  CHECK(arrays == 7);
}

TEST_CASE("one result goes to the first element of a container, to a pointer, to an iterator") {
  std::vector<int> v(2);
  int array[2];
  int* const p = array;
  auto at = v.begin() + 1;
  std::span<int> nothing;
  CHECK(wf::detail::result_address(v) == v.data());
  CHECK(wf::detail::result_address(array) == p);
  CHECK(wf::detail::result_address(p) == p);
  CHECK(wf::detail::result_address(at) == v.data() + 1);
  CHECK_THROWS_AS(wf::detail::result_address(nothing), wf::invalid_range);
}
