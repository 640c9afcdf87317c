// mailbox_set and mailbox_pool: which call gets which mailboxes, and when they are used again.
#include <warpfold/runtime/mailbox_set.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace wf = warpfold;
using wf::runtime::gpu_list;
using wf::runtime::mailbox_pool;
using wf::runtime::mailbox_set;

namespace {

gpu_list two_ranks() {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  gpu_list gpus;
  gpus.count = 2;
  gpus.ids[1] = count > 1 ? 1 : 0;
  return gpus;
}

}  // namespace

TEST_CASE("mailboxes are zero, and each rank has its own") {
  const mailbox_set set(two_ranks());
  const auto m = set.of(1, 77);
  CHECK(m.rank == 1);
  CHECK(m.ranks == 2);
  CHECK(m.limit_ns == 77);
  CHECK(m.of_rank[0] != m.of_rank[1]);
  CHECK(m.missing != set.of(0, 77).missing);
  std::vector<wf::collective::letter> letters(wf::collective::mailboxes::letters(2) + 1, 1);
  REQUIRE(cudaMemcpy(letters.data(), m.of_rank[1], letters.size() * 8, cudaMemcpyDefault) ==
          cudaSuccess);
  for (const auto x : letters) REQUIRE(x == 0);
  CHECK(!set.is_broken());
}

TEST_CASE("a set that was given back is used again, a broken one is not") {
  const gpu_list gpus = two_ranks();
  mailbox_pool& pool = mailbox_pool::get();
  const wf::runtime::spin_guard guard(pool.launch_order());
  mailbox_set* const first = pool.borrow(gpus);
  mailbox_set* const second = pool.borrow(gpus);
  CHECK(first != second);
  pool.give_back(first);
  CHECK(pool.borrow(gpus) == first);
  first->cancel();
  CHECK(first->is_broken());
  pool.give_back(first);
  mailbox_set* const third = pool.borrow(gpus);
  CHECK(!third->is_broken());
  pool.give_back(second);
  pool.give_back(third);
}

TEST_CASE("calls on the same streams share a set until it is broken") {
  gpu_list gpus = two_ranks();
  for (int i = 0; i < 2; ++i) {
    const wf::runtime::device_guard on(gpus.ids[i]);
    REQUIRE(cudaStreamCreateWithFlags(&gpus.streams[i], cudaStreamNonBlocking) == cudaSuccess);
  }
  mailbox_pool& pool = mailbox_pool::get();
  const wf::runtime::spin_guard guard(pool.launch_order());
  mailbox_set* broken = nullptr;
  mailbox_set* const set = pool.of_streams(gpus, broken);
  CHECK(pool.of_streams(gpus, broken) == set);
  CHECK(broken == nullptr);
  set->cancel();
  CHECK(pool.of_streams(gpus, broken) == nullptr);
  CHECK(broken == set);
  broken = nullptr;
  mailbox_set* const other = pool.of_streams(gpus, broken);
  REQUIRE(other != nullptr);
  CHECK(other != set);
  for (int i = 0; i < 2; ++i) {
    const wf::runtime::device_guard on(gpus.ids[i]);
    (void)cudaStreamDestroy(gpus.streams[i]);
  }
}
