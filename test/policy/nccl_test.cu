// wf::nccl, with mailboxes and without: ranks as threads with a GPU each, and as two processes.
// Needs two GPUs; with one GPU there is one rank.
// needs: cuda cccl nccl
#include <warpfold/policy/nccl.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <cuda/std/mdspan>

#include <warpfold/count.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/counted.hpp>

#include "contract/ranks.hpp"

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

void check_cuda(cudaError_t e) { REQUIRE(e == cudaSuccess); }

int gpus() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count));
  return count < 2 ? count : 2;
}

/// Communicators of the GPUs of this process.
struct communicators {
  int count = gpus();
  ncclComm_t of[2] = {};

  communicators() { REQUIRE(ncclCommInitAll(of, count, nullptr) == ncclSuccess); }
  ~communicators() {
    for (int i = 0; i < count; ++i) (void)ncclCommDestroy(of[i]);
  }
};

/// Calls `f(rank, ranks)` on a thread for each rank, with its GPU.
template <class F>
auto on_gpus(const communicators& comms, bool has_mailboxes, const F& f) {
  return test::on_ranks(comms.count, [&](auto thread) {
    const int rank = thread.rank();
    check_cuda(cudaSetDevice(rank));
    const wf::nccl_ranks ranks = wf::nccl(comms.of[rank], 20);
    return f(rank, has_mailboxes ? ranks.with_mailboxes() : ranks);
  });
}
constexpr bool both[] = {false, true};  // by NCCL, and by mailboxes

std::vector<float> some_floats(std::size_t n) {
  std::mt19937 random(11);
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return v;
}

/// The part of a rank.
std::vector<float> part_of(const std::vector<float>& v, int rank, int ranks) {
  const std::size_t at = ranks == 1 ? 0 : v.size() / 3;
  return rank == 0 ? std::vector<float>(v.begin(),
                                        ranks == 1 ? v.end() : v.begin() + static_cast<long>(at))
                   : std::vector<float>(v.begin() + static_cast<long>(at), v.end());
}

struct above {
  float limit;
  WARPFOLD_HD bool operator()(float x) const { return x > limit; }
};
}  // namespace

TEST_CASE("the GPUs of this host have mailboxes") {
  const communicators comms;
  int can = 1;
  if (comms.count == 2) check_cuda(cudaDeviceCanAccessPeer(&can, 0, 1));
  const auto found = on_gpus(comms, true, [](int, const auto& r) { return r.has_mailboxes(); });
  CHECK(found.all_are(can == 1));
  CHECK(!on_gpus(comms, false, [](int, const auto& r) { return r.has_mailboxes(); }).values[0]);
}

TEST_CASE("the ranks of NCCL give the bits of one GPU") {
  const communicators comms;
  for (const bool mailboxes : both)
    for (const std::size_t n : {0ul, 1ul, 1000ul, 2000003ul}) {
      const auto v = some_floats(n);
      const auto agrees = [&](const auto& call) {
        const auto all = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
          const wf::device_buffer<float> part(part_of(v, rank, comms.count));
          const std::span<const float> range(part.data(), part.size());
          return call(wf::across(ranks, wf::device), range);
        });
        const wf::device_buffer<float> whole(v);
        return all.all_are(call(wf::device, std::span<const float>(whole.data(), n)));
      };
      CAPTURE(n);
      CAPTURE(mailboxes);
      CHECK(agrees([](const auto& p, const auto& r) { return wf::sum(p, r); }));
      CHECK(agrees([](const auto& p, const auto& r) { return wf::count_if(p, r, above{2}); }));
      CHECK(
          agrees([](const auto& p, const auto& r) { return wf::reduce(p, r, 7.0f, wf::plus{}); }));
      // With floats that round, in the declared order.
      auto thirds = v;
      for (auto& x : thirds) x /= 3;
      const auto sums = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
        const wf::device_buffer<float> part(part_of(thirds, rank, comms.count));
        return wf::sum(wf::across(ranks, wf::device).starting_at(rank == 0 ? 0 : n / 3, n), part);
      });
      CHECK(sums.all_are(wf::sum(wf::seq, thirds)));
      if (n == 0) continue;
      CHECK(agrees([](const auto& p, const auto& r) { return wf::mean(p, r); }));
      CHECK(agrees([](const auto& p, const auto& r) { return wf::argmin(p, r).index; }));
      CHECK(agrees([](const auto& p, const auto& r) { return wf::min(p, r); }));
      CHECK(agrees(
          [](const auto& p, const auto& r) { return wf::reduce(p, r, wf::plus{}.exact()); }));
    }
}

TEST_CASE("calls on the stream: results everywhere or on one rank, many in a row, graphs") {
  bool mailboxes = false;
  SUBCASE("NCCL") {}
  SUBCASE("mailboxes") { mailboxes = true; }
  const communicators comms;
  const auto v = some_floats(100000);
  const float expected = wf::sum(wf::seq, v);
  const auto done = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
    const wf::device_buffer<float> part(part_of(v, rank, comms.count));
    const std::span<const float> range(part.data(), part.size());
    wf::device_buffer<float> out(1);
    cudaStream_t s;
    check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    const auto policy = wf::across(ranks, wf::device.on(s));
    const auto written = [&] {
      float x = 0;
      check_cuda(cudaStreamSynchronize(s));
      check_cuda(cudaMemcpy(&x, out.data(), sizeof x, cudaMemcpyDeviceToHost));
      check_cuda(cudaMemsetAsync(out.data(), 0, sizeof x, s));
      return x;
    };
    check_cuda(cudaMemsetAsync(out.data(), 0, sizeof(float), s));
    bool right = true;
    for (int i = 0; i < 2000; ++i) wf::sum_async(policy, range, out.data());
    right = right && written() == expected;
    wf::sum_async(policy.to(comms.count - 1), range, out.data());
    right = right && written() == (rank == comms.count - 1 ? expected : 0);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    check_cuda(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < 3; ++i) wf::sum_async(policy, range, out.data());
    check_cuda(cudaStreamEndCapture(s, &graph));
    check_cuda(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 100; ++i) check_cuda(cudaGraphLaunch(exec, s));
    right = right && written() == expected;
    for (int i = 0; i < 50; ++i) {  // graphs and calls in turn
      check_cuda(cudaGraphLaunch(exec, s));
      wf::sum_async(policy, range, out.data());
      right = right && wf::max(policy, range) == 1000;
    }
    right = right && written() == expected;
    check_cuda(cudaGraphExecDestroy(exec));
    check_cuda(cudaGraphDestroy(graph));
    for (int i = 0; i < 1000; ++i) right = right && wf::sum(policy, range) == expected;
    // Two streams take turns in the order of the calls, which is that of the other rank.
    cudaStream_t t;
    check_cuda(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    wf::device_buffer<float> other(1);
    for (int i = 0; i < 500; ++i) {
      wf::sum_async(policy, range, out.data());
      wf::max_async(wf::across(ranks, wf::device.on(t)), range, other.data());
    }
    right = right && written() == expected;
    check_cuda(cudaStreamSynchronize(t));
    right = right && other.to_host()[0] == 1000;
    check_cuda(cudaStreamDestroy(t));
    check_cuda(cudaStreamDestroy(s));
    return right;
  });
  CHECK(done.all_are(true));
}

TEST_CASE("segments that lie on two GPUs, and the folded axis in two parts") {
  const communicators comms;
  const auto v = some_floats(6000);
  const std::vector<long long> offsets{0, 1, 1, 1999, 2001, 5990, 6000};
  std::vector<float> of_segments(6), of_rows(20);
  wf::reduce_segments(wf::seq, v, offsets, wf::plus{}, of_segments);
  const auto as_rows = [](const float* p, std::size_t rows) {
    return cs::mdspan<const float, cs::dextents<std::size_t, 2>>(p, rows, 20);
  };
  wf::reduce_axis<0>(wf::seq, as_rows(v.data(), 300), wf::plus{}, of_rows);
  for (const bool mailboxes : both) {
    CAPTURE(mailboxes);
    const auto done = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
      const wf::device_buffer<float> part(part_of(v, rank, comms.count));
      const wf::device_buffer<long long> bounds(offsets);
      wf::device_buffer<float> sums(6), rows(20);
      const auto policy = wf::across(ranks, wf::device);
      wf::reduce_segments(policy, std::span<const float>(part.data(), part.size()), bounds,
                          wf::plus{}, sums);
      wf::reduce_axis<0>(policy, as_rows(part.data(), part.size() / 20), wf::plus{}, rows);
      return sums.to_host() == of_segments && rows.to_host() == of_rows;
    });
    CHECK(done.all_are(true));
  }
}

TEST_CASE("more captures than mailboxes are exchanged by NCCL") {
  const communicators comms;
  const auto v = some_floats(1000);
  const float expected = wf::sum(wf::seq, v);
  const auto done = on_gpus(comms, true, [&](int rank, const auto& ranks) {
    const wf::device_buffer<float> part(part_of(v, rank, comms.count));
    const std::span<const float> range(part.data(), part.size());
    wf::device_buffer<float> out(1);
    cudaStream_t s;
    check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    const auto policy = wf::across(ranks, wf::device.on(s));
    bool right = true;
    for (int i = 0; i < 40; ++i) {
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      check_cuda(cudaMemset(out.data(), 0, sizeof(float)));
      check_cuda(cudaDeviceSynchronize());
      check_cuda(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
      wf::sum_async(policy, range, out.data());
      check_cuda(cudaStreamEndCapture(s, &graph));
      check_cuda(cudaGraphInstantiate(&exec, graph, 0));
      for (int k = 0; k < 3; ++k) check_cuda(cudaGraphLaunch(exec, s));
      check_cuda(cudaStreamSynchronize(s));
      right = right && out.to_host()[0] == expected;
      check_cuda(cudaGraphExecDestroy(exec));
      check_cuda(cudaGraphDestroy(graph));
    }
    check_cuda(cudaStreamDestroy(s));
    return right;
  });
  CHECK(done.all_are(true));
}

TEST_CASE("an init in memory, also one that cannot be read, and indices of counted ranges") {
  bool mailboxes = false;
  SUBCASE("NCCL") {}
  SUBCASE("mailboxes") { mailboxes = true; }
  const communicators comms;
  const auto v = some_floats(5000);
  const float sum = wf::sum(wf::seq, v);
  const auto done = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
    const auto mine = part_of(v, rank, comms.count);
    const wf::device_buffer<float> part(mine);
    const std::span<const float> range(part.data(), part.size());
    const wf::device_buffer<float> init(std::vector<float>{7});
    wf::device_buffer<float> out(1);
    const auto policy = wf::across(ranks, wf::device);
    bool right = wf::reduce(policy, range, wf::value_at(init.data()), wf::plus{}) == sum + 7;
    // One rank's init is null: it throws, and the others learn of it.
    const float* const nothing = nullptr;
    bool thrown = false;
    try {
      (void)wf::reduce(policy, range, wf::value_at(rank == 0 ? nothing : init.data()), wf::plus{});
    } catch (const wf::invalid_range&) {
      thrown = rank == 0;
    } catch (const wf::rank_error&) {
      thrown = rank != 0;
    }
    right = right && thrown;
    right = right && wf::reduce(policy, range, wf::value_at(init.data()), wf::plus{}) == sum + 7;
    // The index of an element of a range whose size is in memory, with a given first index.
    const std::vector<unsigned> sizes{static_cast<unsigned>(mine.size() - 1)};
    const wf::device_buffer<unsigned> size(sizes);
    const std::size_t first = rank == 0 ? 100 : 100000;
    const auto found = wf::argmax(policy.starting_at(first), wf::counted(range, size.data())).index;
    std::vector<float> counted[2];
    for (int r = 0; r < comms.count; ++r) {
      counted[r] = part_of(v, r, comms.count);
      counted[r].pop_back();
    }
    const auto a = wf::argmax(wf::seq, counted[0]);
    std::size_t expected = a.index + 100;
    if (comms.count == 2) {
      const auto b = wf::argmax(wf::seq, counted[1]);
      if (b.value > a.value) expected = b.index + 100000;
    }
    return right && found == expected;
  });
  CHECK(done.all_are(true));
}

TEST_CASE("a rank that is late: its call is named, and new mailboxes work") {
  const communicators comms;
  if (comms.count < 2) return;
  const auto v = some_floats(1000);
  const auto done = on_gpus(comms, false, [&](int rank, const auto& ranks) {
    const wf::device_buffer<float> part(v);
    const std::span<const float> range(part.data(), part.size());
    const auto impatient = wf::nccl(comms.of[rank], 0.3).with_mailboxes();
    std::string found;
    if (rank == 0) {
      try {
        (void)wf::sum(wf::across(impatient, wf::device), range);
      } catch (const wf::communication_error& e) {
        found = e.what();
      }
      try {
        (void)wf::sum(wf::across(impatient, wf::device), range);
      } catch (const wf::communication_error& e) {
        found += e.what();
      }
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(800));
    }
    const auto again = ranks.with_mailboxes();
    CHECK(wf::sum(wf::across(again, wf::device), range) == 2 * wf::sum(wf::seq, v));
    return found;
  });
  CHECK(done.values[0].find("rank 1 of 2 did not send its state to rank 0") != std::string::npos);
  CHECK(done.values[0].find("in an earlier call, rank 0 of 2 waited") != std::string::npos);
}

TEST_CASE("faults reach every rank, and the communicator stays usable") {
  bool mailboxes = false;
  SUBCASE("NCCL") {}
  SUBCASE("mailboxes") { mailboxes = true; }
  const communicators comms;
  if (comms.count < 2) return;
  const auto v = some_floats(1000);
  const auto two = [&](const auto& call) {
    return on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
      const wf::device_buffer<float> part(v);
      return call(rank, wf::across(ranks, wf::device),
                  std::span<const float>(part.data(), part.size()));
    });
  };
  const auto null = two([](int rank, const auto& p, std::span<const float> r) {
    const float* nothing = nullptr;
    return wf::sum(p, rank == 1 ? std::span<const float>(nothing, 5) : r);
  });
  CHECK(null.thrown_by<wf::invalid_range>(1).find("null pointer") != std::string::npos);
  CHECK(null.thrown_by<wf::rank_error>(0).find("rank 1 of 2 threw") != std::string::npos);
  const auto ops = two([](int rank, const auto& p, std::span<const float> r) {
    return rank == 0 ? wf::sum(p, r) : wf::max(p, r);
  });
  CHECK(ops.thrown_by<wf::rank_error>(0).find("makes another call") != std::string::npos);
  CHECK(ops.thrown_by<wf::rank_error>(1).find("makes another call") != std::string::npos);
  const auto inits = two([](int rank, const auto& p, std::span<const float> r) {
    return wf::reduce(p, r, rank == 0 ? 1.0f : 2.0f, wf::plus{});
  });
  CHECK(inits.thrown_by<wf::rank_error>(0).find("another init") != std::string::npos);
  const auto right =
      two([](int, const auto& p, std::span<const float> r) { return wf::sum(p, r); });
  CHECK(right.all_are(2 * wf::sum(wf::seq, v)));
  const auto async = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
    const auto p = wf::across(ranks, wf::device);
    const wf::device_buffer<float> part(v);
    wf::device_buffer<float> out(1);
    const float* nothing = nullptr;
    const std::span<const float> range(part.data(), part.size());
    int thrown = 0;
    try {
      wf::sum_async(p, rank == 1 ? std::span<const float>(nothing, 5) : range, out.data());
    } catch (const wf::invalid_range&) {
      thrown += 1;
    }
    check_cuda(cudaDeviceSynchronize());
    try {
      wf::sum_async(p, range, out.data());
    } catch (const wf::communication_error&) {
      thrown += 2;
    }
    check_cuda(cudaDeviceSynchronize());
    // The fault was told once. A call that waits finds one, too, and then all is right.
    try {
      wf::sum_async(p, rank == 1 ? std::span<const float>(nothing, 5) : range, out.data());
    } catch (const wf::invalid_range&) {
      thrown += 4;
    }
    check_cuda(cudaDeviceSynchronize());
    try {
      (void)wf::sum(p, range);
    } catch (const wf::communication_error&) {
      thrown += 8;
    }
    if (wf::sum(p, range) == 2 * wf::sum(wf::seq, v)) thrown += 16;
    return thrown;
  });
  CHECK(async.values[0] == 2 + 8 + 16);  // the other rank's faults, at the next call
  CHECK(async.values[1] == 1 + 2 + 4 + 8 + 16);
  const auto wrong_gpu = on_gpus(comms, mailboxes, [&](int rank, const auto& ranks) {
    check_cuda(cudaSetDevice(1 - rank));
    const wf::device_buffer<float> part(v);
    return wf::sum(wf::across(ranks, wf::device), std::span<const float>(part.data(), part.size()));
  });
  CHECK(wrong_gpu.thrown_by<wf::communication_error>(0).find("the current device is 1") !=
        std::string::npos);
}

// A process of the tests below: what it does is in WARPFOLD_NCCL_RANK, _ID, _DIES and _MAILBOXES.
TEST_CASE("one of two processes" * doctest::skip()) {
  const char* const rank_text = std::getenv("WARPFOLD_NCCL_RANK");
  REQUIRE(rank_text != nullptr);
  const int rank = std::atoi(rank_text);
  const bool dies = std::getenv("WARPFOLD_NCCL_DIES") != nullptr;
  ncclUniqueId id;
  {
    std::FILE* f = nullptr;
    for (int i = 0; i < 500 && f == nullptr; ++i) {
      f = std::fopen(std::getenv("WARPFOLD_NCCL_ID"), "rb");
      if (f == nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(f != nullptr);
    REQUIRE(std::fread(&id, sizeof id, 1, f) == 1);
    std::fclose(f);
  }
  check_cuda(cudaSetDevice(rank));
  ncclComm_t comm;
  REQUIRE(ncclCommInitRank(&comm, 2, id, rank) == ncclSuccess);
  const auto v = some_floats(300000);
  const wf::device_buffer<float> part(part_of(v, rank, 2));
  const std::span<const float> range(part.data(), part.size());
  wf::nccl_ranks ranks = wf::nccl(comm, dies ? 1 : 20);
  if (std::getenv("WARPFOLD_NCCL_MAILBOXES") != nullptr) {
    int can = 0;
    check_cuda(cudaDeviceCanAccessPeer(&can, rank, 1 - rank));
    ranks = ranks.with_mailboxes();
    CHECK(ranks.has_mailboxes() == (can == 1));
  }
  const auto policy = wf::across(ranks, wf::device);
  CHECK(wf::sum(policy, range) == wf::sum(wf::seq, v));
  CHECK(wf::reduce(policy, range, wf::plus{}.exact()) ==
        wf::reduce(wf::seq, v, wf::plus{}.exact()));
  if (!dies) {
    bool right = true;
    const auto expected = wf::argmax(wf::seq, v);
    for (int i = 0; i < 3000; ++i)
      right = right && wf::argmax(policy, range).index == expected.index;
    CHECK(right);
    CHECK(ncclCommDestroy(comm) == ncclSuccess);
    return;
  }
  if (rank == 1) _exit(9);
  CHECK_THROWS_AS((void)wf::sum(policy, range), wf::communication_error);
  CHECK(ncclCommAbort(comm) == ncclSuccess);
  CHECK(wf::sum(wf::device, range) == wf::sum(wf::seq, part_of(v, 0, 2)));  // the GPU is usable
}

namespace {

// Runs the case above in two processes; returns their exit codes.
std::pair<int, int> run_two(bool dies, bool mailboxes) {
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  char path[] = "/tmp/warpfold_nccl_XXXXXX";
  const int file = mkstemp(path);
  REQUIRE(file >= 0);
  ncclUniqueId id;
  REQUIRE(ncclGetUniqueId(&id) == ncclSuccess);
  REQUIRE(write(file, &id, sizeof id) == static_cast<long>(sizeof id));
  close(file);
  pid_t child[2];
  for (int r = 0; r < 2; ++r) {
    child[r] = fork();
    if (child[r] == 0) {
      setenv("WARPFOLD_NCCL_RANK", r == 0 ? "0" : "1", 1);
      setenv("WARPFOLD_NCCL_ID", path, 1);
      if (dies) setenv("WARPFOLD_NCCL_DIES", "1", 1);
      if (mailboxes) setenv("WARPFOLD_NCCL_MAILBOXES", "1", 1);
      execl(self, self, "--no-skip", "--test-case=one of two processes", nullptr);
      _exit(127);
    }
  }
  int code[2] = {};
  for (int r = 0; r < 2; ++r) {
    waitpid(child[r], &code[r], 0);
    code[r] = WIFEXITED(code[r]) ? WEXITSTATUS(code[r]) : -1;
  }
  std::remove(path);
  return {code[0], code[1]};
}

}  // namespace

TEST_CASE("two processes, and one that dies") {
  if (gpus() < 2) return;
  for (const bool mailboxes : both) {
    CAPTURE(mailboxes);
    CHECK(run_two(false, mailboxes) == std::pair(0, 0));
    CHECK(run_two(true, mailboxes) == std::pair(0, 9));
  }
}
