// Sums on two GPUs: wf::devices in one process and wf::nccl, by NCCL and by mailboxes, beside one
// GPU, and beside a sum followed by ncclAllReduce, of this library and of CUB. All in graphs, one
// call after another. Prints one JSON object. Arguments: the commit, and anything for two sizes
// only.
// needs: cuda nccl
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <nccl.h>

#include <warpfold/extrema.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/devices.hpp>
#include <warpfold/policy/nccl.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

namespace {

void check(cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
  std::exit(1);
}
#define CHECK_CUDA(call) check(call, #call)

constexpr int gpus = 2;
constexpr std::size_t most = std::size_t{1} << 30;

struct gpu {
  int id = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr, joined = nullptr;
  float* data = nullptr;
  void* out = nullptr;
  void* cub = nullptr;
  std::size_t cub_bytes = 0;
  ncclComm_t comm = nullptr;

  std::span<const float> range(std::size_t n) const { return {data, n}; }
};
gpu gpu_of[gpus];

__global__ void fill(float* p, std::size_t n) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    p[i] = static_cast<float>(i * 2654435761u % 1000) / 1000;
  }
}

void set_up() {
  ncclComm_t comms[gpus];
  if (ncclCommInitAll(comms, gpus, nullptr) != ncclSuccess) std::exit(1);
  for (int i = 0; i < gpus; ++i) {
    gpu& g = gpu_of[i];
    g.id = i;
    g.comm = comms[i];
    CHECK_CUDA(cudaSetDevice(i));
    CHECK_CUDA(cudaStreamCreateWithFlags(&g.stream, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreate(&g.begin));
    CHECK_CUDA(cudaEventCreate(&g.end));
    CHECK_CUDA(cudaEventCreateWithFlags(&g.joined, cudaEventDisableTiming));
    CHECK_CUDA(cudaMalloc(&g.data, most * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&g.out, 4096));
    fill<<<1024, 256, 0, g.stream>>>(g.data, most);
    CHECK_CUDA(cudaStreamSynchronize(g.stream));
    CHECK_CUDA(cub::DeviceReduce::Sum(nullptr, g.cub_bytes, g.data, static_cast<float*>(g.out),
                                      static_cast<long long>(most)));
    CHECK_CUDA(cudaMalloc(&g.cub, g.cub_bytes));
  }
}

int calls_for(std::size_t n) { return n >= (std::size_t{1} << 26) ? 4 : 40; }
int launches_for(std::size_t n) { return n >= (std::size_t{1} << 26) ? 5 : 30; }

// The median of the microseconds per call.
// Of the graph that is being captured.
int calls_left = 0;

double median(std::vector<double> t) {
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}

constexpr int repetitions = 9;

// Times a graph of one GPU.
double on_one(std::size_t n, const std::function<void(gpu&)>& call, gpu& g = gpu_of[0]) {
  CHECK_CUDA(cudaSetDevice(g.id));
  const int calls = calls_for(n), launches = launches_for(n);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < calls; ++i) call(g);
  CHECK_CUDA(cudaStreamEndCapture(g.stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<double> t;
  for (int r = 0; r < repetitions; ++r) {
    CHECK_CUDA(cudaGraphLaunch(exec, g.stream));
    CHECK_CUDA(cudaEventRecord(g.begin, g.stream));
    for (int i = 0; i < launches; ++i) CHECK_CUDA(cudaGraphLaunch(exec, g.stream));
    CHECK_CUDA(cudaEventRecord(g.end, g.stream));
    CHECK_CUDA(cudaEventSynchronize(g.end));
    float ms = 0;
    CHECK_CUDA(cudaEventElapsedTime(&ms, g.begin, g.end));
    t.push_back(ms * 1000.0 / (calls * launches));
  }
  CHECK_CUDA(cudaGraphExecDestroy(exec));
  CHECK_CUDA(cudaGraphDestroy(graph));
  return median(t);
}

// Times graphs of both GPUs, each launched by a thread of its own; the slower one counts.
double on_each(std::size_t n, const std::function<void(gpu&)>& call) {
  std::atomic<int> ready = 0;
  std::vector<double> t[gpus];
  std::vector<std::thread> threads;
  for (int k = 0; k < gpus; ++k) {
    threads.emplace_back([&, k] {
      gpu& g = gpu_of[k];
      CHECK_CUDA(cudaSetDevice(g.id));
      const int calls = calls_for(n), launches = launches_for(n);
      call(g);  // NCCL connects the ranks in the first call, which cannot be captured
      CHECK_CUDA(cudaStreamSynchronize(g.stream));
      cudaGraph_t graph;
      cudaGraphExec_t exec;
      CHECK_CUDA(cudaStreamBeginCapture(g.stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < calls; ++i) call(g);
      CHECK_CUDA(cudaStreamEndCapture(g.stream, &graph));
      CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
      for (int r = 0; r < repetitions; ++r) {
        CHECK_CUDA(cudaGraphLaunch(exec, g.stream));
        CHECK_CUDA(cudaStreamSynchronize(g.stream));
        ++ready;
        while (ready < gpus * (r + 1)) {
        }
        CHECK_CUDA(cudaGraphLaunch(exec, g.stream));
        CHECK_CUDA(cudaEventRecord(g.begin, g.stream));
        for (int i = 0; i < launches; ++i) CHECK_CUDA(cudaGraphLaunch(exec, g.stream));
        CHECK_CUDA(cudaEventRecord(g.end, g.stream));
        CHECK_CUDA(cudaEventSynchronize(g.end));
        float ms = 0;
        CHECK_CUDA(cudaEventElapsedTime(&ms, g.begin, g.end));
        t[k].push_back(ms * 1000.0 / (calls * launches));
      }
      CHECK_CUDA(cudaGraphExecDestroy(exec));
      CHECK_CUDA(cudaGraphDestroy(graph));
    });
  }
  for (auto& thread : threads) thread.join();
  return std::max(median(t[0]), median(t[1]));
}

// Times one graph with both GPUs.
double on_both(std::size_t n, const std::function<void()>& call) {
  CHECK_CUDA(cudaSetDevice(0));
  return on_one(n, [&, first = true](gpu& g) mutable {
    if (first) {
      CHECK_CUDA(cudaEventRecord(g.joined, g.stream));
      CHECK_CUDA(cudaStreamWaitEvent(gpu_of[1].stream, g.joined));
      first = false;
      calls_left = calls_for(n);
    }
    call();
    if (--calls_left == 0) {
      CHECK_CUDA(cudaSetDevice(1));
      CHECK_CUDA(cudaEventRecord(gpu_of[1].joined, gpu_of[1].stream));
      CHECK_CUDA(cudaSetDevice(0));
      CHECK_CUDA(cudaStreamWaitEvent(g.stream, gpu_of[1].joined));
    }
  });
}

}  // namespace

namespace {

void run(const char* commit, bool few) {
  set_up();
  CHECK_CUDA(cudaSetDevice(0));
  cudaDeviceProp properties{};
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  int version = 0;
  (void)ncclGetVersion(&version);
  const auto both = wf::across(wf::devices{0, 1}.on(gpu_of[0].stream, gpu_of[1].stream));
  const wf::nccl_ranks ranks[gpus] = {wf::nccl(gpu_of[0].comm), wf::nccl(gpu_of[1].comm)};
  wf::nccl_ranks with_mailboxes[gpus] = {ranks[0], ranks[1]};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < gpus; ++i) {
      threads.emplace_back([&, i] {
        CHECK_CUDA(cudaSetDevice(i));
        with_mailboxes[i] = ranks[i].with_mailboxes();
      });
    }
  }
  const auto shards = [](std::size_t n) {
    return wf::shards(gpu_of[0].range(n), gpu_of[1].range(n));
  };
  const auto local = [](const gpu& g) { return wf::device.on(g.stream); };
  const auto nccl_sum = [](gpu& g) {
    ncclAllReduce(g.out, g.out, 1, ncclFloat32, ncclSum, g.comm, g.stream);
  };

  std::printf("{\"gpu\": \"%s\", \"gpus\": %d, \"nccl\": %d, \"commit\": \"%s\",\n \"sums\": [",
              properties.name, gpus, version, commit);
  bool first = true;
  for (const int log2 : {8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30}) {
    if (few && log2 != 8 && log2 != 16) continue;
    const std::size_t n = std::size_t{1} << log2;
    const double one =
        on_one(n, [&](gpu& g) { wf::sum_async(local(g), g.range(n), static_cast<float*>(g.out)); });
    const double other = on_one(
        n, [&](gpu& g) { wf::sum_async(local(g), g.range(n), static_cast<float*>(g.out)); },
        gpu_of[1]);
    const double devices =
        on_both(n, [&] { wf::sum_async(both, shards(n), static_cast<float*>(gpu_of[0].out)); });
    const double nccl = on_each(n, [&](gpu& g) {
      wf::sum_async(wf::across(ranks[g.id], local(g)), g.range(n), static_cast<float*>(g.out));
    });
    const double mailboxes = on_each(n, [&](gpu& g) {
      wf::sum_async(wf::across(with_mailboxes[g.id], local(g)), g.range(n),
                    static_cast<float*>(g.out));
    });
    const double sum_then_nccl = on_each(n, [&](gpu& g) {
      wf::sum_async(local(g), g.range(n), static_cast<float*>(g.out));
      nccl_sum(g);
    });
    const double cub_then_nccl = on_each(n, [&](gpu& g) {
      std::size_t bytes = g.cub_bytes;
      CHECK_CUDA(cub::DeviceReduce::Sum(g.cub, bytes, g.data, static_cast<float*>(g.out),
                                        static_cast<long long>(n), g.stream));
      nccl_sum(g);
    });
    const double nccl_alone = on_each(n, nccl_sum);
    std::printf(
        "%s\n  {\"floats\": %zu, \"one_gpu_us\": %.3f, \"other_gpu_us\": %.3f, \"devices_us\": "
        "%.3f, \"nccl_us\": %.3f, \"nccl_mailboxes_us\": %.3f, "
        "\"sum_then_nccl_us\": %.3f, \"cub_then_nccl_us\": %.3f, \"nccl_alone_us\": %.3f}",
        first ? "" : ",", n, one, other, devices, nccl, mailboxes, sum_then_nccl, cub_then_nccl,
        nccl_alone);
    std::fflush(stdout);
    first = false;
  }
  std::printf("],\n \"states\": [");
  first = true;
  const std::size_t n = std::size_t{1} << 16;
  const auto state = [&](const char* name, std::size_t bytes, const auto& op) {
    const double one = on_one(n, [&](gpu& g) {
      wf::reduce_async(local(g), g.range(n), op,
                       static_cast<decltype(wf::reduce(wf::device, g.range(n), op))*>(g.out));
    });
    const double devices = on_both(n, [&] {
      wf::reduce_async(
          both, shards(n), op,
          static_cast<decltype(wf::reduce(wf::device, gpu_of[0].range(n), op))*>(gpu_of[0].out));
    });
    std::printf(
        "%s\n  {\"op\": \"%s\", \"state_bytes\": %zu, \"one_gpu_us\": %.3f, \"devices_us\": %.3f}",
        first ? "" : ",", name, bytes, one, devices);
    first = false;
  };
  state("sum", 4, wf::plus{});
  state("arg max", 16, wf::arg(wf::maximum{}));
  state("compensated", 8, wf::plus{}.compensated());
  state("five ops", 40,
        wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::minimum{}),
                wf::arg(wf::maximum{})));
  state("exact", 128, wf::plus{}.exact());
  // NCCL alone: what an exchange of a few bytes costs, in memory with symmetric windows or without.
  std::printf("],\n \"nccl_alone\": [");
  first = true;
  void* windows[gpus][2] = {};
  for (const bool has_windows : {false, true}) {
#if NCCL_VERSION_CODE >= 22700
    constexpr std::size_t window_bytes = 1 << 20;
    std::vector<std::jthread> threads;
    for (int i = 0; i < gpus; ++i) {
      threads.emplace_back([&, i] {
        CHECK_CUDA(cudaSetDevice(i));
        for (void*& w : windows[i]) {
          ncclWindow_t registered;
          if (ncclMemAlloc(&w, window_bytes) != ncclSuccess) std::exit(1);
          if (has_windows && ncclCommWindowRegister(gpu_of[i].comm, w, window_bytes, &registered,
                                                    NCCL_WIN_COLL_SYMMETRIC) != ncclSuccess) {
            std::exit(1);
          }
        }
      });
    }
    threads.clear();
#endif
    for (const std::size_t bytes : {8ul, 64ul, 160ul, 1024ul}) {
      if (windows[0][0] == nullptr) break;
      const double all_gather = on_each(1, [&](gpu& g) {
        ncclAllGather(windows[g.id][0], windows[g.id][1], bytes, ncclUint8, g.comm, g.stream);
      });
      const double all_reduce = on_each(1, [&](gpu& g) {
        ncclAllReduce(windows[g.id][0], windows[g.id][1], bytes / 8, ncclUint64, ncclSum, g.comm,
                      g.stream);
      });
      std::printf(
          "%s\n  {\"windows\": %s, \"bytes\": %zu, \"all_gather_us\": %.3f, "
          "\"all_reduce_of_integers_us\": %.3f}",
          first ? "" : ",", has_windows ? "true" : "false", bytes, all_gather, all_reduce);
      first = false;
    }
  }
  std::printf("],\n \"waiting\": [");
  first = true;
  for (const int log2 : {10, 16, 20}) {
    const std::size_t m = std::size_t{1} << log2;
    const auto time = [&](const auto& call) {
      std::vector<double> t;
      for (int r = 0; r < 2000; ++r) {
        timespec a{}, b{};
        clock_gettime(CLOCK_MONOTONIC, &a);
        call();
        clock_gettime(CLOCK_MONOTONIC, &b);
        t.push_back(static_cast<double>(b.tv_sec - a.tv_sec) * 1e6 +
                    static_cast<double>(b.tv_nsec - a.tv_nsec) * 1e-3);
      }
      return median(t);
    };
    const double one = time([&] { (void)wf::sum(local(gpu_of[0]), gpu_of[0].range(m)); });
    const double devices = time([&] { (void)wf::sum(both, shards(m)); });
    std::printf("%s\n  {\"floats\": %zu, \"one_gpu_us\": %.3f, \"devices_us\": %.3f}",
                first ? "" : ",", m, one, devices);
    first = false;
  }
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate([] {
    try {
      std::rethrow_exception(std::current_exception());
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    std::_Exit(1);
  });
  run(argc > 1 ? argv[1] : "", argc > 2);
}
