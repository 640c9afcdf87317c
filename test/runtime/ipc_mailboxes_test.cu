// ipc_mailboxes: which call gets which set. Between processes: policy/nccl_test.cu.
#include <warpfold/runtime/ipc_mailboxes.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace wf = warpfold;
using wf::collective::mailboxes;
using wf::runtime::ipc_mailboxes;
using wf::runtime::stream_capture;

namespace {

void gather_one(const void* mine, std::size_t bytes, void* all) { std::memcpy(all, mine, bytes); }

mailboxes next(ipc_mailboxes& all, const stream_capture& capture = {}) {
  mailboxes m;
  REQUIRE(all.next(capture, 77, m));
  return m;
}

}  // namespace

TEST_CASE("calls on streams share a set and take turns; each graph and stream has its own") {
  const auto all = ipc_mailboxes::connect(0, 1, gather_one);
  REQUIRE(all != nullptr);
  const mailboxes a = next(*all), b = next(*all);
  CHECK(a.of_rank[0] == b.of_rank[0]);
  CHECK(a.turn == 0);
  CHECK(b.turn == 1);
  CHECK(a.limit_ns == 77);
  CHECK(a.ranks == 1);
  const auto graph = reinterpret_cast<cudaGraph_t>(8);
  const auto stream = reinterpret_cast<cudaStream_t>(16),
             other = reinterpret_cast<cudaStream_t>(24);
  const stream_capture one{graph, 1, stream}, same_stream{graph, 2, stream},
      same_graph{graph, 1, other};
  const mailboxes c = next(*all, one), d = next(*all, one);
  CHECK(c.of_rank[0] != a.of_rank[0]);
  CHECK(c.of_rank[0] == d.of_rank[0]);
  CHECK(c.turn == mailboxes::any_turn);
  CHECK(next(*all, same_stream).of_rank[0] != c.of_rank[0]);
  CHECK(next(*all, same_graph).of_rank[0] != c.of_rank[0]);
  CHECK(next(*all).turn == 2);
  for (unsigned long long i = 3; i < ipc_mailboxes::sets - 1; ++i) {
    (void)next(*all, {graph, i + 10, stream});
  }
  mailboxes m;
  CHECK(!all->next({graph, 1000, stream}, 77, m));
}

TEST_CASE("mailboxes are zero, also those that another group has used; broken ones are not used") {
  const auto letters_of = [](const mailboxes& m) {
    std::vector<wf::collective::letter> letters(mailboxes::letters(1) + 3, 1);
    REQUIRE(cudaMemcpy(letters.data(), m.of_rank[0], letters.size() * 8, cudaMemcpyDefault) ==
            cudaSuccess);
    return letters;
  };
  const std::vector<wf::collective::letter> zeros(mailboxes::letters(1) + 3, 0);
  auto first = ipc_mailboxes::connect(0, 1, gather_one);
  const mailboxes m = next(*first);
  CHECK(letters_of(m) == zeros);
  REQUIRE(cudaMemset(m.of_rank[0], 1, 64) == cudaSuccess);
  first.reset();
  auto second = ipc_mailboxes::connect(0, 1, gather_one);
  CHECK(next(*second).of_rank[0] == m.of_rank[0]);
  CHECK(letters_of(m) == zeros);
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
