// fold_as_terms in the kernels of rows, on the GPU: the bits of wf::seq for rows that terms admit
// or refuse.
#include <warpfold/collective/term_tile.hpp>

#include <cuda_fp16.h>

#include <warpfold/policy/device.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "kernel/axis/folded_term_rows.hpp"

namespace {

template <class State, class T>
auto on_device() {
  return [](const std::vector<T>& v, std::size_t rows, std::size_t columns, const auto& op) {
    using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
    const wf::device_buffer<T> x(v);
    wf::device_buffer<State> out(rows);
    wf::reduce_axis<1>(wf::device, matrix(x.data(), rows, columns), op, out);
    return out.to_host();
  };
}

template <class T>
void check(std::size_t columns) {
  test::check_folded_rows<wf::exponential_sum, T>(140, columns, wf::log_sum_exp_op{},
                                                  on_device<wf::exponential_sum, T>());
  test::check_folded_rows<wf::moments, T>(140, columns, wf::moments_op{},
                                          on_device<wf::moments, T>());
}

}  // namespace

TEST_CASE("rows of every length") {
  for (const std::size_t columns :
       {4, 24, 64, 100, 128, 132, 256, 512, 768, 1000, 1001, 1024, 1028, 3333, 20000, 50257}) {
    check<float>(columns);
  }
  for (const std::size_t columns : {8, 40, 1016, 9000}) check<__half>(columns);
}
