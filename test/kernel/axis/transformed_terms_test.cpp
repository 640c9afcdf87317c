// kernel::transformed_terms in the emulation: the bits of wf::seq for rows that the terms admit or
// refuse, the launches, and the width of loads.
// needs: boost_context cccl
#include <warpfold/kernel/axis/transformed_terms.hpp>

#include <span>
#include <string>
#include <vector>

#include <cuda_fp16.h>

#include "kernel/axis/emulated_term_rows.hpp"
#include "kernel/axis/row_shares.hpp"

TEST_CASE("one launch, which reads and writes words once") {
  const auto v = test::term_rows<float>(1, 512, 0);
  std::vector<wf::word> out(512 / 4);
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
  const auto policy = wf::emulated.counting();
  wf::transform_axis<1>(policy, matrix(v.data(), 1, 512), wf::softmax_op{},
                        std::span(reinterpret_cast<float*>(out.data()), 512));
  const auto r = policy.report();
  REQUIRE(r.launches.size() == 1);
  CHECK(std::string(r.launches[0].launch.kernel) == "transformed_terms");
  CHECK(test::loads_of(r, 16) == 512 / 4);
  CHECK(test::stores_of(r, 16) == 512 / 4);
}

TEST_CASE("rows of lanes and of warps") {
  for (const std::size_t columns : {4, 12, 40, 128, 132, 512, 768, 1024}) {
    test::check_all_term_rows<float>(columns, 15, test::by_emulation<float>());
  }
  for (const std::size_t columns : {8, 136, 1016}) {
    test::check_all_term_rows<__half>(columns, 15, test::by_emulation<__half>());
  }
}

TEST_CASE("rows of blocks") {
  test::check_all_term_rows<float>(1028, 15, test::by_emulation<float>());
  test::check_all_term_rows<float>(5000, 15, test::by_emulation<float>());
  test::check_all_term_rows<float>(32768, 4, test::by_emulation<float>());
  test::check_all_term_rows<__half>(2056, 15, test::by_emulation<__half>());
}
