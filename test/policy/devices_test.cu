// wf::devices: shards on several GPUs give what one GPU gives for the whole range; streams, graphs,
// faults. With one GPU, that GPU has two ranks on two streams.
#include <warpfold/policy/devices.hpp>

#include <doctest/doctest.h>

#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

#include "contract/order_certificate.hpp"
#include "contract/two_gpus.hpp"

namespace wf = warpfold;

namespace {

using test::check_cuda;
using test::two_gpus;

// False if one GPU runs the kernels of two streams one after another, as compute-sanitizer makes it
// do: then the ranks of one GPU cannot exchange.
bool can_exchange();

/// A range of the host in two parts, one on each GPU.
template <class T>
struct parted {
  wf::device_buffer<T> part[2];

  parted(const two_gpus& t, const std::vector<T>& v, std::size_t at) {
    for (int i = 0; i < 2; ++i) {
      const wf::runtime::device_guard on(t.id[i]);
      part[i] = i == 0 ? wf::device_buffer<T>(v.data(), at)
                       : wf::device_buffer<T>(v.data() + at, v.size() - at);
    }
  }
  auto span(int i) const { return std::span<const T>(part[i].data(), part[i].size()); }
  auto shards() const { return wf::shards(span(0), span(1)); }
};

std::vector<float> some_floats(std::size_t n, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return v;
}

bool can_exchange() {
  static const bool can = [] {
    const two_gpus t;
    const parted<float> p(t, {1, 2}, 1);
    try {
      return wf::sum(wf::across(t.gpus().waiting_at_most(2)), p.shards()) == 3;
    } catch (const wf::communication_error&) {
      if (t.id[1] != 0) throw;
      MESSAGE("one GPU, whose kernels run one after another: nothing was tested");
      return false;
    }
  }();
  return can;
}

struct weighted {
  WARPFOLD_HD long long lift(const float& x, std::size_t i) const {
    return static_cast<long long>(i) * static_cast<long long>(x);
  }
  WARPFOLD_HD long long operator()(long long a, long long b) const { return a + b; }
  WARPFOLD_HD long long identity() const { return 0; }
};
struct above {
  float limit;
  WARPFOLD_HD bool operator()(float x) const { return x > limit; }
};
struct histogram {
  struct state {
    int count[50];
    WARPFOLD_HD friend bool operator==(const state& a, const state& b) {
      for (int i = 0; i < 50; ++i) {
        if (a.count[i] != b.count[i]) return false;
      }
      return true;
    }
  };
  template <class>
  using accumulator = state;
  WARPFOLD_HD state lift(const float& x) const {
    state s{};
    s.count[(static_cast<int>(x) % 50 + 50) % 50] = 1;
    return s;
  }
  WARPFOLD_HD state operator()(state a, const state& b) const {
    for (int i = 0; i < 50; ++i) a.count[i] += b.count[i];
    return a;
  }
};

}  // namespace

TEST_CASE("the bits of wf::seq of the whole, however two GPUs divide it") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto gpus = wf::across(t.gpus());
  for (const std::size_t n : {2ul, 7ul, 1000ul, 500'003ul, 20'000'000ul}) {
    const auto check = [&](const auto& v, const auto& op) {
      using T = typename std::remove_cvref_t<decltype(v)>::value_type;
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}, v.size() / 3, v.size() / 2}) {
        INFO(v.size(), " elements, divided at ", at);
        const parted<T> p(t, v, at);
        CHECK(wf::reduce(gpus, p.shards(), op) == wf::reduce(wf::seq, v, op));
      }
    };
    std::vector<float> floats(n);
    for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(i % 1013) / 3;
    std::vector<test::wide_hash> wide(n % 5000 + 1);
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
    check(test::ordered_elements(n), test::ordered_hash{});
    check(floats, wf::plus{});
    check(wide, test::hash_each{});
    check(test::ordered_elements(n), test::hash_with_index{});
    check(test::ordered_elements(n), test::hash_and_last{});
  }
}

TEST_CASE("two GPUs give the bits of one for exact sums, integers, indices and counts") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto gpus = wf::across(t.gpus());
  for (const std::size_t n : {0ul, 1ul, 2ul, 31ul, 1000ul, 70000ul, 3000001ul}) {
    const auto v = some_floats(n);
    const wf::device_buffer<float> whole(v);
    const std::span<const float> all(whole.data(), n);
    for (const std::size_t at : {std::size_t{0}, n / 3, n}) {
      const parted<float> p(t, v, at);
      CAPTURE(n);
      CAPTURE(at);
      CHECK(wf::sum(gpus, p.shards()) == wf::sum(wf::device, all));  // of integers: exact
      CHECK(wf::reduce(gpus, p.shards(), 5.0f, wf::plus{}) ==
            wf::reduce(wf::device, all, 5.0f, wf::plus{}));
      CHECK(wf::count_if(gpus, p.shards(), above{3}) == wf::count_if(wf::device, all, above{3}));
      CHECK(wf::reduce(gpus, p.shards(), weighted{}) == wf::reduce(wf::device, all, weighted{}));
      CHECK(wf::dot(gpus, p.shards(), p.shards()) == wf::dot(wf::device, all, all));
      if (n == 0) {
        CHECK_THROWS_AS((void)wf::min(gpus, p.shards()), wf::empty_range);
        continue;
      }
      CHECK(wf::reduce(gpus, p.shards(), wf::plus{}.exact()) ==
            wf::reduce(wf::device, all, wf::plus{}.exact()));
      const auto greatest = wf::argmax(gpus, p.shards());
      const auto expected = wf::argmax(wf::device, all);
      CHECK(greatest.index == expected.index);
      CHECK(greatest.value == expected.value);
      CHECK(wf::min(gpus, p.shards()) == wf::min(wf::device, all));
      CHECK(wf::mean(gpus, p.shards()) == wf::mean(wf::device, all));
      CHECK(wf::reduce(gpus, p.shards(), histogram{}) == wf::reduce(wf::device, all, histogram{}));
      const auto several = wf::all(wf::arg(wf::minimum{}), wf::maximum{}, wf::plus{});
      CHECK(wf::reduce(gpus, p.shards(), several) == wf::reduce(wf::device, all, several));
    }
  }
}

TEST_CASE("masked and counted shards") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto gpus = wf::across(t.gpus());
  const auto v = some_floats(100000);
  const parted<float> p(t, v, 51200);
  std::mt19937 random(3);
  std::vector<unsigned> bits(3200);
  for (auto& b : bits) b = static_cast<unsigned>(random());
  const parted<unsigned> m(t, bits, 1600);
  const wf::device_buffer<float> values(v);
  const wf::device_buffer<unsigned> mask(bits);
  const auto masked = wf::shards(wf::where(p.span(0), m.span(0)), wf::where(p.span(1), m.span(1)));
  const auto whole = wf::where(std::span<const float>(values.data(), values.size()),
                               std::span<const unsigned>(mask.data(), mask.size()));
  CHECK(wf::sum(gpus, masked) == wf::sum(wf::device, whole));
  CHECK(wf::argmin(gpus, masked).index == wf::argmin(wf::device, whole).index);

  const parted<int> counts(t, {300, 20000}, 1);
  const auto counted = wf::shards(wf::counted(p.span(0), counts.span(0).data()),
                                  wf::counted(p.span(1), counts.span(1).data()));
  std::vector<float> there(v.begin(), v.begin() + 300);
  there.insert(there.end(), v.begin() + 51200, v.begin() + 71200);
  CHECK(wf::sum(gpus, counted) == wf::sum(wf::seq, there));
  CHECK(wf::argmin(gpus, counted).index == wf::argmin(wf::seq, there).index);
}

TEST_CASE("calls that do not wait: 100000 in a row, the writer, accumulation [large]") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto v = some_floats(5000);
  const parted<float> p(t, v, 1777);
  const auto gpus = wf::across(t.gpus());
  wf::device_buffer<double> out(1);
  const double zero = 0;
  check_cuda(cudaMemcpy(out.data(), &zero, sizeof zero, cudaMemcpyHostToDevice));
  constexpr int calls = 100000;
  for (int i = 0; i < calls; ++i) wf::sum_async(gpus, p.shards(), wf::accumulate(out.data()));
  t.wait();
  double found = 0;
  check_cuda(cudaMemcpy(&found, out.data(), sizeof found, cudaMemcpyDeviceToHost));
  CHECK(found == calls * static_cast<double>(wf::sum(wf::seq, v)));

  const wf::runtime::device_guard on(t.id[1]);
  wf::device_buffer<float> there(1);
  wf::sum_async(gpus.to(1), p.shards(), there.data());
  t.wait();
  float written = 0;
  check_cuda(cudaMemcpy(&written, there.data(), sizeof written, cudaMemcpyDeviceToHost));
  CHECK(written == wf::sum(wf::seq, v));
  CHECK_THROWS_AS((void)gpus.to(2), wf::invalid_argument);
}

TEST_CASE("two threads on streams of their own, and on the same streams") {
  if (!can_exchange()) return;
  const two_gpus streams[2];
  const auto v = some_floats(30000);
  const parted<float> p(streams[0], v, 10000);
  const float expected = wf::sum(wf::seq, v);
  for (const int other : {0, 1}) {
    int wrong[2] = {};
    const auto work = [&](int k) {
      const auto gpus = wf::across(streams[k == 0 ? 0 : other].gpus());
      for (int i = 0; i < 2000; ++i) wrong[k] += wf::sum(gpus, p.shards()) != expected;
    };
    std::thread one(work, 0), two_(work, 1);
    one.join();
    two_.join();
    CHECK(wrong[0] == 0);
    CHECK(wrong[1] == 0);
  }
}

TEST_CASE("graphs: captured once, launched often") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto v = some_floats(40000);
  const parted<float> p(t, v, 12345);
  const auto gpus = wf::across(t.gpus());
  wf::device_buffer<float> out(1);
  cudaEvent_t fork, join;
  check_cuda(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  {
    const wf::runtime::device_guard on(t.id[1]);
    check_cuda(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  }
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check_cuda(cudaStreamBeginCapture(t.stream[0], cudaStreamCaptureModeGlobal));
  // One stream of two is an error, and the capture stays valid.
  CHECK_THROWS_AS(wf::sum_async(gpus, p.shards(), out.data()), wf::cuda_error);
  check_cuda(cudaEventRecord(fork, t.stream[0]));
  check_cuda(cudaStreamWaitEvent(t.stream[1], fork));
  for (int i = 0; i < 3; ++i) wf::sum_async(gpus, p.shards(), out.data());
  CHECK_THROWS_AS((void)wf::sum(gpus, p.shards()), wf::cuda_error);
  check_cuda(cudaEventRecord(join, t.stream[1]));
  check_cuda(cudaStreamWaitEvent(t.stream[0], join));
  check_cuda(cudaStreamEndCapture(t.stream[0], &graph));
  check_cuda(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 500; ++i) {
    if (i % 100 == 0) check_cuda(cudaMemsetAsync(out.data(), 0xff, sizeof(float), t.stream[0]));
    check_cuda(cudaGraphLaunch(exec, t.stream[0]));
    if (i % 100 != 0) continue;
    t.wait();
    float found = 0;
    check_cuda(cudaMemcpy(&found, out.data(), sizeof found, cudaMemcpyDeviceToHost));
    CHECK(found == wf::sum(wf::seq, v));
  }
  t.wait();
  check_cuda(cudaGraphExecDestroy(exec));
  check_cuda(cudaGraphDestroy(graph));
  check_cuda(cudaEventDestroy(fork));
  check_cuda(cudaEventDestroy(join));
  CHECK(wf::sum(gpus, p.shards()) == wf::sum(wf::seq, v));
}

namespace {
__global__ void spin(unsigned long long ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - begin < ns);
}
}  // namespace

TEST_CASE("a GPU that does not start in time is named, and everything works afterwards") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto v = some_floats(1000);
  const parted<float> p(t, v, 500);
  const auto gpus = wf::across(t.gpus().waiting_at_most(0.05));
  const auto patient = wf::across(t.gpus());  // a sanitizer may delay a launch for longer
  const float expected = wf::sum(wf::seq, v);
  CHECK(wf::sum(patient, p.shards()) == expected);
  {
    const wf::runtime::device_guard on(t.id[1]);
    spin<<<1, 1, 0, t.stream[1]>>>(300'000'000);
  }
  try {
    (void)wf::sum(gpus, p.shards());
    FAIL("nothing was thrown");
  } catch (const wf::communication_error& e) {
    CHECK(std::string(e.what()).find("GPU 1 of 2 did not send its state to GPU 0 within 50 ms") !=
          std::string::npos);
  }
  CHECK(wf::sum(patient, p.shards()) == expected);
  {
    const wf::runtime::device_guard on(t.id[1]);
    spin<<<1, 1, 0, t.stream[1]>>>(300'000'000);
  }
  wf::device_buffer<float> out(1);
  check_cuda(cudaMemset(out.data(), 0, sizeof(float)));
  wf::sum_async(gpus, p.shards(), out.data());
  t.wait();
  float found = 1;
  check_cuda(cudaMemcpy(&found, out.data(), sizeof found, cudaMemcpyDeviceToHost));
  CHECK(found == 0);  // not written
  CHECK_THROWS_AS(wf::sum_async(gpus, p.shards(), out.data()), wf::communication_error);
  wf::sum_async(gpus, p.shards(), out.data());
  t.wait();
  check_cuda(cudaMemcpy(&found, out.data(), sizeof found, cudaMemcpyDeviceToHost));
  CHECK(found == expected);
}

TEST_CASE("bad arguments are named before anything starts") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto v = some_floats(1000);
  const parted<float> p(t, v, 500);
  const auto gpus = wf::across(t.gpus());
  const float* null = nullptr;
  CHECK_THROWS_AS((void)wf::sum(gpus, wf::shards(p.span(0), std::span<const float>(null, 5))),
                  wf::invalid_range);
  CHECK_THROWS_AS((void)wf::sum(gpus, wf::shards(p.span(0))), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::sum(wf::across(wf::devices{0, 0}), p.shards()), wf::invalid_argument);
  CHECK_THROWS_AS((void)wf::sum(wf::across(wf::devices{0, 63}), p.shards()), wf::error);
  CHECK_THROWS_AS((void)wf::devices::of({}), wf::invalid_argument);
  CHECK_THROWS_AS((void)t.gpus().on(t.stream[0]), wf::invalid_argument);
  CHECK_THROWS_AS((void)t.gpus().waiting_at_most(-1), wf::invalid_argument);
  std::vector<float> pageable(10);
  float* const nowhere = nullptr;
  CHECK_THROWS_AS(wf::sum_async(gpus, p.shards(), nowhere), wf::invalid_range);
  int current = -1;
  check_cuda(cudaGetDevice(&current));
  CHECK(current == 0);
  CHECK(wf::sum(gpus, p.shards()) == wf::sum(wf::seq, v));
}

TEST_CASE("explain names the ranks and what they send") {
  if (!can_exchange()) return;
  const two_gpus t;
  const auto v = some_floats(100000);
  const parted<float> p(t, v, 40000);
  const auto plan = wf::explain(wf::across(t.gpus()), p.shards());
  CHECK(plan.ranks == 2);
  CHECK(plan.elements == 100000);
  CHECK(plan.launches == 1);
  CHECK(plan.bytes_sent == 2 * 96);  // nodes
  CHECK(plan.exchange == "mailboxes");
  CHECK(plan.local == "device");
  CHECK(plan.bytes == 400000);
  CHECK(plan.shard_bytes == 240000);

  const parted<float> whole_nodes(t, v, 65536);
  CHECK(wf::explain(wf::across(t.gpus()), whole_nodes.shards()).bytes_sent == 24);  // a state
}
