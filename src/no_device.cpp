// Replaces the GPU functions in a build without a CUDA compiler.
#if !WARPFOLD_PROGRAM_CUDA
#include <stdexcept>

#include "devices.hpp"
#include "engine.hpp"
#include "ladder.hpp"
#include "tune.hpp"

namespace warpfold::program {

struct device_copy::memory {};

device_copy::device_copy(const array&, const on_progress&) {
  throw std::logic_error("warpfold: this program was built without CUDA");
}
device_copy::~device_copy() = default;
device_copy::device_copy(device_copy&&) noexcept = default;

std::span<const engine> device_engines() { return {}; }

gpu_info query_gpu() {
  gpu_info g;
  g.name = "this program was built without CUDA";
  return g;
}

struct devices_copy::memory {};

devices_copy::devices_copy(const array&, std::span<const int>, const on_progress&) {
  throw std::runtime_error("this program was built without CUDA; omit --gpus");
}
devices_copy::~devices_copy() = default;

const engine& across_engine() {
  throw std::logic_error("warpfold: this program was built without CUDA");
}
void use_gpu(int) {}

std::span<const rung> ladder_rungs() { return {}; }
bool ladder_built_for(element, op) { return false; }

struct ladder_gpu::state {};

ladder_gpu::ladder_gpu() : state_(nullptr) {
  throw std::logic_error("warpfold: this program was built without CUDA");
}
ladder_gpu::~ladder_gpu() = default;
double ladder_gpu::read_ceiling() { return 0; }
std::size_t ladder_gpu::ceiling_bytes() const { return 0; }
rung_call ladder_gpu::reduce(std::size_t, const array&, op) { return {}; }
double ladder_gpu::cold_seconds(const rung_call&) { return 0; }

struct tune_gpu::state {};

tune_gpu::tune_gpu(std::size_t) : state_(nullptr) {
  throw std::logic_error("warpfold: this program was built without CUDA");
}
tune_gpu::~tune_gpu() = default;
std::size_t tune_gpu::bytes() const { return 0; }
double tune_gpu::seconds(tuned_call, std::size_t, const tuning::row&, bool) { return 0; }
device_info tuned_device() { return {}; }

}  // namespace warpfold::program
#endif
