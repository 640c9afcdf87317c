// wf::nccl with starting_at(first, whole): the declared order, however the ranks divide the
// elements. The ranks are threads that share one GPU, with a stream each and NCCL's functions of
// the test.
// needs: cuda nccl
#include <warpfold/policy/nccl.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

#include "contract/nccl_on_one_gpu.hpp"
#include "contract/order_certificate.hpp"
#include "contract/ranks.hpp"

namespace wf = warpfold;

namespace {

void check_cuda(cudaError_t e) { REQUIRE(e == cudaSuccess); }

/// Ranks that share the GPU.
struct shared_gpu {
  test::nccl_group group;
  std::deque<ncclComm> comms;
  std::vector<cudaStream_t> streams;

  explicit shared_gpu(int ranks) : group(ranks), streams(static_cast<std::size_t>(ranks)) {
    check_cuda(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{16} << 10));
    for (int r = 0; r < ranks; ++r) comms.push_back({&group, r});
    for (auto& s : streams) check_cuda(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  }
  ~shared_gpu() {
    for (auto& s : streams) (void)cudaStreamDestroy(s);
  }

  /// Calls `f(policy, rank)` as every rank.
  template <class F>
  auto call(bool has_mailboxes, const F& f) {
    return test::on_ranks(group.ranks, [&](auto thread) {
      const auto r = static_cast<std::size_t>(thread.rank());
      const wf::nccl_ranks ranks = wf::nccl(&comms[r], 20);
      const wf::nccl_ranks joined = has_mailboxes ? ranks.with_mailboxes() : ranks;
      if (joined.has_mailboxes() != has_mailboxes) throw std::runtime_error("no mailboxes");
      return f(wf::across(joined, wf::device.on(streams[r])), r);
    });
  }
};

// False if the GPU runs the kernels of two streams one after another, as compute-sanitizer makes it
// do: then kernels cannot exchange.
bool can_exchange() {
  static const bool can = [] {
    const wf::device_buffer<float> x(std::vector<float>{1, 2});
    shared_gpu gpu(2);
    const auto sums = test::on_ranks(2, [&](auto thread) {
      const auto r = static_cast<std::size_t>(thread.rank());
      const auto ranks = wf::nccl(&gpu.comms[r], 2).with_mailboxes();
      return wf::sum(wf::across(ranks, wf::device.on(gpu.streams[r])),
                     std::span<const float>(x.data() + r, 1));
    });
    if (!sums.all_are(3)) MESSAGE("kernels run one after another: mailboxes were not tested");
    return sums.all_are(3);
  }();
  return can;
}
std::vector<bool> ways() {  // by all-gathers, and by mailboxes
  return can_exchange() ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

// Checks that `fold(policy, range)` of parts of `v` gives all ranks what it gives wf::seq of all.
template <class T, class Fold>
void check_splits(const std::vector<T>& v, const Fold& fold) {
  std::mt19937 random(static_cast<unsigned>(v.size()));
  const auto expected = fold(wf::seq, std::span<const T>(v));
  const wf::device_buffer<T> whole(v);
  for (const int ranks : {1, 2, 3, 8}) {
    shared_gpu gpu(ranks);
    for (const bool has_mailboxes : ways()) {
      for (int equal = 0; equal < 2; ++equal) {
        auto bounds = test::dealt(v.size(), ranks, random);
        if (equal != 0) {
          for (std::size_t r = 0; r < bounds.size(); ++r) {
            bounds[r] = v.size() * r / static_cast<std::size_t>(ranks);
          }
        }
        const auto all = gpu.call(has_mailboxes, [&](const auto& policy, std::size_t r) {
          const std::span<const T> part(whole.data() + bounds[r], bounds[r + 1] - bounds[r]);
          return fold(policy.starting_at(bounds[r], v.size()), part);
        });
        CAPTURE(v.size());
        CAPTURE(ranks);
        CAPTURE(has_mailboxes);
        CAPTURE(equal);
        CHECK(all.all_are(expected));
      }
    }
  }
}

std::vector<float> some_floats(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 20011) - 10000) / 3;
  return v;
}

}  // namespace

TEST_CASE("the tree of the whole, for ops that are neither associative nor commutative") {
  const auto with = [](const auto& op) {
    return [op](const auto& p, const auto& r) { return wf::reduce(p, r, op); };
  };
  for (const std::size_t n : {1ul, 2ul, 7ul, 1000ul, 65536ul, 500'003ul}) {
    check_splits(test::ordered_elements(n), with(test::ordered_hash{}));
    check_splits(test::ordered_elements(n), with(test::hash_with_index{}));
    check_splits(test::ordered_elements(n), with(test::hash_and_last{}));
  }
  std::vector<test::wide_hash> wide(4099);
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
  check_splits(wide, with(test::hash_each{}));
}

TEST_CASE("the bits of sums, norms and variances, with an init or without elements") {
  for (const std::size_t n : {0ul, 5ul, 100'003ul, 4'000'000ul}) {
    const std::vector<float> v = some_floats(n);
    check_splits(v, [](const auto& p, const auto& r) { return wf::sum(p, r); });
    check_splits(v,
                 [](const auto& p, const auto& r) { return wf::reduce(p, r, 0.1f, wf::plus{}); });
    check_splits(v, [](const auto& p, const auto& r) { return wf::norm_2(p, r); });
    if (n == 0) continue;
    check_splits(v, [](const auto& p, const auto& r) { return wf::variance(p, r); });
    check_splits(v, [](const auto& p, const auto& r) { return wf::argmax(p, r).index; });
    check_splits(v,
                 [](const auto& p, const auto& r) { return wf::reduce(p, r, wf::plus{}.exact()); });
  }
}

TEST_CASE("results on the stream, everywhere or on one rank, many in a row") {
  const std::vector<float> v = some_floats(300'007);
  const float expected = wf::sum(wf::seq, v);
  const wf::device_buffer<float> whole(v);
  wf::device_buffer<float> out(3);
  shared_gpu gpu(3);
  for (const bool has_mailboxes : ways()) {
    const std::size_t bounds[] = {0, 100'001, 100'001, v.size()};
    check_cuda(cudaMemset(out.data(), 0, 3 * sizeof(float)));
    check_cuda(
        cudaDeviceSynchronize());  // the streams of the ranks do not wait for the default one
    const auto done = gpu.call(has_mailboxes, [&](const auto& policy, std::size_t r) {
      const std::span<const float> part(whole.data() + bounds[r], bounds[r + 1] - bounds[r]);
      const auto placed = policy.starting_at(bounds[r], v.size());
      for (int i = 0; i < 20; ++i) wf::sum_async(placed, part, out.data() + r);
      wf::max_async(policy.to(1).starting_at(bounds[r], v.size()), part, out.data() + r);
      return cudaStreamSynchronize(gpu.streams[r]) == cudaSuccess;
    });
    CHECK(done.all_are(true));
    const std::vector<float> written = out.to_host();
    CHECK(written == std::vector<float>{expected, wf::max(wf::seq, v), expected});
  }
}

TEST_CASE("mailboxes: captured calls, and ranks of which one names a kernel with another order") {
  if (!can_exchange()) return;
  const std::vector<float> v = some_floats(100'003);
  const wf::device_buffer<float> whole(v);
  wf::device_buffer<float> out(2);
  shared_gpu gpu(2);
  const std::size_t bounds[] = {0, 33'333, v.size()};
  const auto part = [&](std::size_t r) {
    return std::span<const float>(whole.data() + bounds[r], bounds[r + 1] - bounds[r]);
  };
  const auto done = gpu.call(true, [&](const auto& policy, std::size_t r) {
    cudaStream_t const s = gpu.streams[r];
    const auto placed = policy.starting_at(bounds[r], v.size());
    (void)wf::sum(placed, part(r));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    bool works = cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    for (int i = 0; i < 3; ++i) wf::sum_async(placed, part(r), out.data() + r);
    works = works && cudaStreamEndCapture(s, &graph) == cudaSuccess &&
            cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess;
    for (int i = 0; works && i < 20; ++i) works = cudaGraphLaunch(exec, s) == cudaSuccess;
    works = works && cudaStreamSynchronize(s) == cudaSuccess;
    (void)cudaGraphExecDestroy(exec);
    (void)cudaGraphDestroy(graph);
    return works;
  });
  CHECK(done.all_are(true));
  CHECK(out.to_host() == std::vector<float>(2, wf::sum(wf::seq, v)));
  const auto mixed = gpu.call(true, [&](const auto& policy, std::size_t r) {
    const auto named =
        wf::across(policy.ranks(), policy.local().with_kernel(wf::kernel::single_pass{}));
    if (r == 0) return wf::sum(named.starting_at(bounds[r], v.size()), part(r));
    return wf::sum(policy.starting_at(bounds[r], v.size()), part(r));
  });
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(mixed.thrown_by<wf::rank_error>(r).find("makes another call") != std::string::npos);
  }
}

TEST_CASE("parts that are not the whole, and a rank that throws: every rank learns of it") {
  const std::vector<float> v = some_floats(1000);
  const wf::device_buffer<float> x(v);
  shared_gpu gpu(2);
  const auto part = [&](std::size_t r) { return std::span<const float>(x.data() + 500 * r, 500); };
  for (const bool has_mailboxes : ways()) {
    const auto sum_at = [&](std::size_t first_of_1, std::size_t whole_of_1) {
      return gpu.call(has_mailboxes, [&](const auto& policy, std::size_t r) {
        return wf::sum(
            r == 0 ? policy.starting_at(0, 1000) : policy.starting_at(first_of_1, whole_of_1),
            part(r));
      });
    };
    for (const auto& bad : {sum_at(499, 1000), sum_at(500, 1001)}) {
      for (std::size_t r = 0; r < 2; ++r) {
        CHECK(bad.thrown_by<wf::invalid_argument>(r).find("do not make up the whole") !=
              std::string::npos);
      }
    }
    const auto outside = sum_at(501, 1000);
    CHECK(outside.thrown_by<wf::invalid_argument>(1).find("500 elements from index 501 on") !=
          std::string::npos);
    CHECK(outside.thrown_by<wf::rank_error>(0).find("rank 1 of 2 threw") != std::string::npos);
    const auto other = gpu.call(has_mailboxes, [&](const auto& policy, std::size_t r) {
      return wf::reduce(policy.starting_at(500 * r, 1000), part(r), r == 0 ? 1.0f : 2.0f,
                        wf::plus{});
    });
    CHECK(other.thrown_by<wf::rank_error>(0).find("another init") != std::string::npos);
    CHECK(sum_at(500, 1000).all_are(wf::sum(wf::seq, v)));  // as usable as before
    const auto later = gpu.call(has_mailboxes, [&](const auto& policy, std::size_t r) {
      wf::device_buffer<float> out(1);
      wf::sum_async(policy.starting_at(r == 0 ? 0 : 499, 1000), part(r), out.data());
      (void)cudaStreamSynchronize(gpu.streams[r]);
      wf::sum_async(policy.starting_at(500 * r, 1000), part(r), out.data());
      return 0;
    });
    CHECK(later.thrown_by<wf::communication_error>(0).find("did not make up the whole") !=
          std::string::npos);
  }
}

TEST_CASE("explain names the kernel and what travels") {
  const wf::device_buffer<float> x(1000);
  shared_gpu gpu(1);
  const wf::nccl_ranks ranks = wf::nccl(&gpu.comms[0], 20);
  const auto plan = wf::explain(wf::across(ranks, wf::device).starting_at(0, 1000), x, wf::plus{});
  CHECK(plan.kernel == "rank_nodes");
  CHECK(plan.exchange == "an all-gather");
  CHECK(plan.launches == 3);
}
