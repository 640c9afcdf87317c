// ipc_mailboxes: which call gets which set. Between processes: policy/nccl_test.cu.
#include <warpfold/runtime/ipc_mailboxes.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "contract/device_memory.hpp"

namespace wf = warpfold;
using wf::collective::mailboxes;
using wf::runtime::ipc_mailboxes;

namespace {

void gather_one(const void* mine, std::size_t bytes, void* all) { std::memcpy(all, mine, bytes); }

mailboxes next(ipc_mailboxes& all, cudaStream_t stream = nullptr) {
  mailboxes m;
  REQUIRE(all.next(stream, 77, m));
  all.launched(stream);
  return m;
}

// Mailboxes of a call that is captured on a stream of its own.
mailboxes captured(ipc_mailboxes& all, bool& has_set) {
  const test::own_stream stream;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  mailboxes m, again;
  has_set = all.next(stream.get(), 77, m);
  all.launched(stream.get());
  CHECK(all.next(stream.get(), 77, again) == has_set);
  if (has_set) CHECK(m.of_rank[0] == again.of_rank[0]);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  return m;
}

std::vector<wf::collective::letter> letters_of(const mailboxes& m) {
  std::vector<wf::collective::letter> letters(mailboxes::letters(1) + 3, 1);
  REQUIRE(cudaMemcpy(letters.data(), m.of_rank[0], letters.size() * 8, cudaMemcpyDefault) ==
          cudaSuccess);
  return letters;
}

}  // namespace

TEST_CASE("calls on streams share a set, and each capture has its own") {
  const auto all = ipc_mailboxes::connect(0, 1, gather_one);
  REQUIRE(all != nullptr);
  const test::own_stream stream;
  const mailboxes a = next(*all), b = next(*all, stream.get());
  CHECK(a.of_rank[0] == b.of_rank[0]);
  CHECK(a.limit_ns == 77);
  CHECK(a.ranks == 1);
  bool has_set = false;
  const mailboxes c = captured(*all, has_set), d = captured(*all, has_set);
  CHECK(c.of_rank[0] != a.of_rank[0]);
  CHECK(c.of_rank[0] != d.of_rank[0]);
  for (int i = 3; i < ipc_mailboxes::sets; ++i) (void)captured(*all, has_set);
  CHECK(has_set);
  (void)captured(*all, has_set);
  CHECK(!has_set);
  CHECK(next(*all).of_rank[0] == a.of_rank[0]);
}

TEST_CASE("a stream waits for the call before on another one") {
  const auto all = ipc_mailboxes::connect(0, 1, gather_one);
  const test::own_stream first, second;
  std::atomic<bool> goes_on = false;
  mailboxes m;
  REQUIRE(all->next(first.get(), 77, m));
  REQUIRE(cudaLaunchHostFunc(
              first.get(),
              [](void* p) {
                while (!*static_cast<std::atomic<bool>*>(p)) {
                }
              },
              &goes_on) == cudaSuccess);
  all->launched(first.get());
  REQUIRE(all->next(second.get(), 77, m));
  CHECK(cudaStreamQuery(second.get()) == cudaErrorNotReady);
  goes_on = true;
  second.wait();
  CHECK(cudaStreamQuery(first.get()) == cudaSuccess);
}

TEST_CASE("mailboxes are empty, also those that another group has used; broken ones are not used") {
  auto first = ipc_mailboxes::connect(0, 1, gather_one);
  const mailboxes m = next(*first);
  const auto is_empty = [&] {
    const auto letters = letters_of(m);
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (i != mailboxes::letters(1) && letters[i] != 0) return false;
    }
    return true;
  };
  CHECK(is_empty());
  const auto start = letters_of(m)[mailboxes::letters(1)];
  CHECK(start != 0);
  CHECK(start <= 0x80000000u);
  REQUIRE(cudaMemset(m.of_rank[0], 1, 64) == cudaSuccess);
  first.reset();
  auto second = ipc_mailboxes::connect(0, 1, gather_one);
  CHECK(next(*second).of_rank[0] == m.of_rank[0]);
  CHECK(is_empty());
  CHECK(letters_of(m)[mailboxes::letters(1)] != start);
  second->note_failure();
  CHECK(second->is_broken());
  second.reset();
  const auto third = ipc_mailboxes::connect(0, 1, gather_one);
  CHECK(next(*third).of_rank[0] != m.of_rank[0]);
}

TEST_CASE("too many ranks, or one that cannot connect: none has mailboxes, and nobody waits") {
  CHECK(ipc_mailboxes::connect(0, mailboxes::most_ranks + 1, gather_one) == nullptr);
  int gathers = 0;
  // Rank 1 tells nothing.
  const auto alone =
      ipc_mailboxes::connect(0, 2, [&](const void* mine, std::size_t bytes, void* all) {
        std::memset(all, 0, 2 * bytes);
        std::memcpy(all, mine, bytes);
        ++gathers;
      });
  CHECK(alone == nullptr);
  CHECK(gathers == 2);
}
