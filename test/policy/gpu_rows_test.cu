// gpu_rows: each GPU folds a row, and one GPU gets all rows in the order of the ranks.
#include <warpfold/policy/gpu_rows.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace wf = warpfold;

TEST_CASE("the GPU that writes has the rows of all ranks, in their order") {
  int gpus = 0;
  REQUIRE(cudaGetDeviceCount(&gpus) == cudaSuccess);
  wf::runtime::gpu_list list;
  list.count = 3;
  for (int rank = 0; rank < list.count; ++rank) {
    list.ids[rank] = rank % gpus;
    const wf::runtime::device_guard on(list.ids[rank]);
    REQUIRE(cudaStreamCreateWithFlags(&list.streams[rank], cudaStreamNonBlocking) == cudaSuccess);
  }
  constexpr std::size_t results = 1000;
  for (int writer = 0; writer < list.count; ++writer) {
    std::vector<unsigned char> got(2 * results);
    const std::vector<int> ranks{0, 2};  // rank 1 has no elements
    wf::detail::gpu_rows(list, writer)
        .combine<unsigned char>(
            ranks, results,
            [&](int rank, const auto& local, unsigned char* row) {
              REQUIRE(cudaMemsetAsync(row, rank + 1, results, local.stream()) == cudaSuccess);
            },
            [&](const auto& local, const unsigned char* rows) {
              REQUIRE(cudaMemcpyAsync(got.data(), rows, got.size(), cudaMemcpyDeviceToHost,
                                      local.stream()) == cudaSuccess);
              local.wait();
            });
    CHECK(got.front() == 1);
    CHECK(got[results - 1] == 1);
    CHECK(got[results] == 3);
    CHECK(got.back() == 3);
  }
  for (int rank = 0; rank < list.count; ++rank) {
    const wf::runtime::device_guard on(list.ids[rank]);
    CHECK(cudaStreamDestroy(list.streams[rank]) == cudaSuccess);
  }
}
