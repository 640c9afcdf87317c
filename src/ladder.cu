// The ladder on the GPU: the list of kernels, and their timing.
#include <algorithm>
#include <vector>

#include "gpu_clock.hpp"
#include "ladder_part.hpp"

namespace warpfold::program {
namespace {

// Reads every word, with four loads in flight per thread. The result keeps the loads from being
// optimized away.
__global__ void read_all(const uint4* words, std::size_t n, unsigned* out) {
  unsigned seen = 0;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + 3 * threads < n; i += 4 * threads) {
    uint4 w[4];
    for (int u = 0; u < 4; ++u) w[u] = __ldg(words + i + u * threads);
    for (int u = 0; u < 4; ++u) seen ^= w[u].x ^ w[u].y ^ w[u].z ^ w[u].w;
  }
  for (; i < n; i += threads) seen ^= __ldg(words + i).x;
  if (seen == 0x12345678) *out = seen;
}

/// The bytes to read for the ceiling: half of the free memory, at most 2 GB.
std::size_t bytes_to_read() {
  std::size_t free = 0, all = 0;
  runtime::check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return std::min(std::size_t{2} << 30, free / 2) / sizeof(uint4) * sizeof(uint4);
}

const ladder_part* part_for(element e, op o) {
  for (const ladder_part* part : {&ladder_int32, &ladder_float32, &ladder_float64, &ladder_uint8}) {
    if (part->built_for(e, o)) return part;
  }
  return nullptr;
}

}  // namespace

std::span<const rung> ladder_rungs() {
  static const auto all = std::apply(
      [](const auto&... k) {
        return std::array<rung, kernel_count + 1>{rung{k.name, k.source}..., rung{"CUB", {}}};
      },
      kernels);
  return all;
}

bool ladder_built_for(element e, op o) { return part_for(e, o) != nullptr; }

struct ladder_gpu::state {
  gpu_clock clock;
  device_buffer<double> out{8};  // a result of any type
  std::size_t ceiling_bytes = bytes_to_read();

  template <class Call>
  double cold_seconds(const Call& call) {
    clock.flush();
    return clock.seconds(call);
  }
};

ladder_gpu::ladder_gpu() : state_(new state) {}
ladder_gpu::~ladder_gpu() { delete state_; }

std::size_t ladder_gpu::ceiling_bytes() const { return state_->ceiling_bytes; }

double ladder_gpu::read_ceiling() {
  state& s = *state_;
  device_buffer<uint4> words(s.ceiling_bytes / sizeof(uint4));
  runtime::check(cudaMemsetAsync(words.data(), 1, s.ceiling_bytes, s.clock.stream()),
                 "cudaMemsetAsync");
  const auto multiprocessors =
      static_cast<unsigned>(runtime::current_device_info().multiprocessors);
  double best = 0;
  for (const unsigned block : {256u, 512u, 1024u}) {
    for (const unsigned blocks_each : {2u, 4u, 8u, 32u}) {
      std::vector<double> times;
      for (int i = 0; i < 5; ++i) {
        times.push_back(s.cold_seconds([&] {
          read_all<<<multiprocessors * blocks_each, block, 0, s.clock.stream()>>>(
              words.data(), words.size(), reinterpret_cast<unsigned*>(s.out.data()));
          runtime::check(cudaGetLastError(), "read_all");
        }));
      }
      std::sort(times.begin(), times.end());
      best = std::max(best, static_cast<double>(s.ceiling_bytes) / times[times.size() / 2]);
    }
  }
  return best;
}

rung_call ladder_gpu::reduce(std::size_t rung, const array& on_device, op o) {
  if (rung == kernel_count)
    return call_cub(on_device, o, state_->clock.stream(), state_->out.data());
  const rung_function call = part_for(on_device.type, o)->rungs[rung];
  return call(on_device, o, state_->clock.stream(), state_->out.data());
}

double ladder_gpu::cold_seconds(const rung_call& call) {
  return state_->cold_seconds(call.enqueue);
}

}  // namespace warpfold::program
