// Clips the gradients of a model to a norm. Each GPU has a part of every parameter tensor, and a
// thread of its own:
//
//     nccl_norm
//
// Each GPU adds up the squares of all its tensors in one launch. warpfold adds up these sums over
// all GPUs through NCCL, on the stream. The clipping reads the norm on the GPU, so the host never
// waits.
//
// With a process for each GPU, only the communicator changes: make it with ncclCommInitRank.
#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <nccl.h>

#include <warpfold/policy/nccl.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

namespace {

constexpr double greatest_norm = 1;
constexpr std::size_t sizes[] = {3000000, 70001, 512, 4096, 1};

// The gradients of the part of a tensor. The parts of the ranks have different sizes.
std::vector<float> gradients(int rank, int tensor) {
  std::vector<float> v(sizes[tensor] + 100 * static_cast<std::size_t>(rank));
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t mixed =
        (i + 1) * 2654435761u + static_cast<std::size_t>(7919 * rank + tensor);
    v[i] = static_cast<float>(mixed % 1009) / 1009 - 0.5f;
  }
  return v;
}

struct sum_of_squares {
  WARPFOLD_HD double lift(float x) const { return static_cast<double>(x) * x; }
  WARPFOLD_HD double operator()(double a, double b) const { return a + b; }
  WARPFOLD_HD double identity() const { return 0; }
};

/// x, scaled like all gradients so that their norm is at most `greatest_norm`.
struct clipped {
  const double* squares;  // their sum

  WARPFOLD_HD float operator()(float x) const {
    const double norm = std::sqrt(*squares);
    return norm > greatest_norm ? static_cast<float>(x * (greatest_norm / norm)) : x;
  }
};

struct norms {
  double before = 0, after = 0;
  std::string error;
};

norms clip(int rank, ncclComm_t comm) {
  cudaSetDevice(rank);
  std::vector<wf::device_buffer<float>> tensors;
  for (int t = 0; t < static_cast<int>(std::size(sizes)); ++t) {
    tensors.emplace_back(gradients(rank, t));
  }
  std::vector<std::span<float>> parts;
  for (auto& t : tensors) parts.emplace_back(t.data(), t.size());
  wf::device_buffer<double> of_tensors(tensors.size()), total(2);
  cudaStream_t stream{};
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

  const auto here = wf::device.on(stream);
  const auto everywhere = wf::across(wf::nccl(comm, 60), here);
  const auto add_squares = [&](double* squares) {
    wf::reduce_many_async(here, parts, sum_of_squares{}, of_tensors);
    wf::sum_async(everywhere, of_tensors, squares);
  };
  add_squares(total.data());
  for (const auto& p : parts) wf::transform_async(here, p, p, clipped{total.data()});
  add_squares(total.data() + 1);
  cudaStreamSynchronize(stream);

  const auto squares = total.to_host();
  cudaStreamDestroy(stream);
  return {std::sqrt(squares[0]), std::sqrt(squares[1]), {}};
}

int run() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    std::fprintf(stderr, "nccl_norm: no GPU; run it on a machine with one or more\n");
    return 77;
  }
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(gpus));
  const ncclResult_t made = ncclCommInitAll(comms.data(), gpus, nullptr);
  if (made != ncclSuccess) {
    std::fprintf(stderr, "nccl_norm: ncclCommInitAll: %s\n", ncclGetErrorString(made));
    return 1;
  }

  std::vector<norms> found(comms.size());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < gpus; ++rank) {
    threads.emplace_back([&found, &comms, rank] {
      const auto r = static_cast<std::size_t>(rank);
      try {
        found[r] = clip(rank, comms[r]);
      } catch (const std::exception& e) {
        found[r].error = e.what();
      }
    });
  }
  for (auto& t : threads) t.join();
  for (const ncclComm_t comm : comms) ncclCommDestroy(comm);

  double expected = 0;
  for (int rank = 0; rank < gpus; ++rank) {
    for (int t = 0; t < static_cast<int>(std::size(sizes)); ++t) {
      for (const float x : gradients(rank, t)) expected += static_cast<double>(x) * x;
    }
  }
  expected = std::sqrt(expected);
  bool right = true;
  for (int rank = 0; rank < gpus; ++rank) {
    const norms& n = found[static_cast<std::size_t>(rank)];
    std::printf("GPU %d: norm %.6f, after clipping %.6f %s\n", rank, n.before, n.after,
                n.error.c_str());
    right = right && n.error.empty() && n.before == found[0].before && n.after == found[0].after &&
            std::fabs(n.before / expected - 1) < 1e-9 && std::fabs(n.after - greatest_norm) < 1e-6;
  }
  return right ? 0 : 1;
}

}  // namespace

int main() { return run(); }
