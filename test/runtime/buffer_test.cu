// device_buffer: elements go to the GPU and come back, and move without a copy.
#include <warpfold/runtime/buffer.hpp>

#include <doctest/doctest.h>

#include <array>
#include <utility>

namespace wf = warpfold;

TEST_CASE("elements come back as they went") {
  const std::vector<int> values = {3, 1, 4, 1, 5};
  const wf::device_buffer<int> of_vector(values);
  CHECK(of_vector.size() == 5);
  CHECK(of_vector.to_host() == values);
  CHECK(wf::device_buffer<int>(values.data() + 1, 2).to_host() == std::vector<int>{1, 4});
  CHECK(wf::device_buffer<short>(std::array<short, 3>{7, 8, 9}).to_host() ==
        std::vector<short>{7, 8, 9});
}

TEST_CASE("moving takes the memory along, and leaves an empty buffer") {
  wf::device_buffer<int> a(std::vector<int>{1, 2, 3});
  const int* const memory = a.data();
  wf::device_buffer<int> b = std::move(a);
  CHECK(b.data() == memory);
  CHECK(a.data() == nullptr);
  CHECK(a.size() == 0);
  CHECK(a.to_host().empty());
  wf::device_buffer<int> c(std::vector<int>{4});
  c = std::move(b);
  CHECK(c.data() == memory);
  CHECK(c.to_host() == std::vector<int>{1, 2, 3});
}
