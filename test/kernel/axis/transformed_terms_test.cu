// kernel::transformed_terms on the GPU: the bits of wf::seq for rows that the terms admit or
// refuse.
#include <warpfold/kernel/axis/transformed_terms.hpp>

#include <vector>

#include <cuda_fp16.h>

#include <warpfold/policy/device.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "kernel/axis/term_rows.hpp"

namespace {

// In place: a row must not be read after another thread has written it.
template <class T>
auto on_device() {
  return [](const std::vector<T>& v, std::size_t rows, std::size_t columns, const auto& op,
            const auto& f) {
    using matrix = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>>;
    wf::device_buffer<T> x(v);
    const matrix m(x.data(), rows, columns);
    wf::transform_axis<1>(wf::device, m, op, m, f);
    return x.to_host();
  };
}

}  // namespace

TEST_CASE("rows of lanes and of warps") {
  for (const std::size_t columns : {4, 12, 40, 128, 132, 512, 768, 1024}) {
    test::check_all_term_rows<float>(columns, 200, on_device<float>());
  }
  for (const std::size_t columns : {8, 136, 1016}) {
    test::check_all_term_rows<__half>(columns, 200, on_device<__half>());
  }
}

TEST_CASE("rows of blocks") {
  for (const std::size_t columns : {1028, 5000, 16384, 16388, 32768}) {
    test::check_all_term_rows<float>(columns, 30, on_device<float>());
  }
  test::check_all_term_rows<__half>(2056, 15, on_device<__half>());
}

TEST_CASE("rows of odd width") {
  for (const std::size_t columns : {1, 2, 3, 5, 7, 9, 31, 33, 67, 127, 129, 255, 769, 1001, 8191}) {
    test::check_all_term_rows<float>(columns, 200, on_device<float>());
  }
}
