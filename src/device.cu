// The GPU: its description, arrays copied to it, and the list of its engines.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include <warpfold/runtime/buffer.hpp>

#include "device_engines.hpp"

namespace warpfold::program {
namespace {

/// Arrays are copied, and fields of structs are packed, in pieces of this size.
constexpr std::size_t copy_bytes = std::size_t{64} << 20;

std::string version_text(int v) {
  return v == 0 ? std::string() : std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

/// A kernel that does nothing.
struct nothing {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  WARPFOLD_DEVICE void operator()() const {}
};

}  // namespace

struct device_copy::memory {
  device_buffer<std::byte> bytes;
};

device_copy::device_copy(const array& host, const on_progress& progress)
    : memory_(new memory{device_buffer<std::byte>(host.bytes())}) {
  array_ = {host.type, memory_->bytes.data(), host.count, bytes_of(host.type)};
  const std::size_t item = bytes_of(host.type);
  const std::size_t most = copy_bytes / item;
  std::vector<std::byte> packed;
  try {
    for (std::size_t first = 0; first < host.count; first += most) {
      const std::size_t n = std::min(most, host.count - first);
      const std::byte* from = host.data + first * host.stride;
      if (host.stride != item) {
        packed.resize(n * item);
        for (std::size_t i = 0; i < n; ++i) {
          std::memcpy(packed.data() + i * item, from + i * host.stride, item);
        }
        from = packed.data();
      }
      runtime::check(
          cudaMemcpy(memory_->bytes.data() + first * item, from, n * item, cudaMemcpyHostToDevice),
          "cudaMemcpy");
      progress(n * item);
    }
  } catch (...) {
    delete memory_;  // the destructor does not run if the constructor throws
    throw;
  }
}

device_copy::~device_copy() { delete memory_; }

device_copy::device_copy(device_copy&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), array_(other.array_) {}

namespace {

const engine& part_for(const array& a, op o) {
  if (takes_whole_arrays(o)) return device_whole_arrays_engine;
  return device_integers_engine.built_for(a, o) ? device_integers_engine : device_floats_engine;
}

}  // namespace

std::span<const engine> device_engines() {
  static const std::array all{
      engine{"wf::device", false,
             [](const array& a, op o) { return part_for(a, o).built_for(a, o); },
             [](const array& whole, op o, std::optional<value>& total) {
               part_for(whole, o).fold(whole, o, total);
             },
             [](const array& whole, op o) { return part_for(whole, o).kernel(whole, o); },
             [](const array& whole, op o) { return part_for(whole, o).explain(whole, o); }},
      cub_engine, thrust_engine};
  return all;
}

gpu_info query_gpu() {
  gpu_info g;
  int driver = 0;
  (void)cudaDriverGetVersion(&driver);  // leaves 0 if there is no driver
  g.built_with = version_text(CUDART_VERSION);
  g.driver = version_text(driver);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    (void)cudaGetLastError();  // otherwise the next call reports the error again
    g.name = driver == 0 ? "there is no NVIDIA driver" : cudaGetErrorString(status);
    return g;
  }
  try {
    const device_info& info = runtime::current_device_info();
    cudaDeviceProp properties{};
    runtime::check(cudaGetDeviceProperties(&properties, info.id), "cudaGetDeviceProperties");
    runtime::check(cudaMemGetInfo(&g.free_bytes, &g.memory_bytes), "cudaMemGetInfo");
    (void)runtime::kernel_of<nothing>()
        .attributes();  // throws if this program has no code for the GPU
    g.name = properties.name;
    g.capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
    g.multiprocessors = properties.multiProcessorCount;
    g.usable = true;
  } catch (const std::exception& e) {
    g.name = e.what();
  }
  return g;
}

}  // namespace warpfold::program
