// fold_as_terms in the kernels of rows, in the emulation: the bits of wf::seq for rows that terms
// admit or refuse.
// needs: boost_context cccl
#include <warpfold/collective/term_tile.hpp>

#include <cuda_fp16.h>

#include <warpfold/policy/emulated.hpp>

#include "kernel/axis/folded_term_rows.hpp"

namespace {

template <class State, class T>
auto by_emulation() {
  return [](const std::vector<T>& v, std::size_t rows, std::size_t columns, const auto& op) {
    using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
    std::vector<State> out(rows);
    wf::reduce_axis<1>(wf::emulated, matrix(v.data(), rows, columns), op, out);
    return out;
  };
}

template <class T>
void check(std::size_t columns) {
  test::check_folded_rows<wf::exponential_sum, T>(15, columns, wf::log_sum_exp_op{},
                                                  by_emulation<wf::exponential_sum, T>());
  test::check_folded_rows<wf::moments, T>(15, columns, wf::moments_op{},
                                          by_emulation<wf::moments, T>());
}

}  // namespace

TEST_CASE("rows of lanes and of warps") {
  for (const std::size_t columns : {4, 8, 24, 64, 100, 128, 132, 256, 512, 768, 1000, 1001, 1024}) {
    check<float>(columns);
  }
  for (const std::size_t columns : {8, 40, 1016}) check<__half>(columns);
}

TEST_CASE("rows of blocks") {
  for (const std::size_t columns : {1028, 3333, 8192, 20000}) check<float>(columns);
  check<__half>(9000);
}
