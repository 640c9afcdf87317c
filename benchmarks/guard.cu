// Measures the cost of the guard of computed integers (op/in_register.hpp): extrema of negated
// elements, with a cold cache and in a graph. An nvcc before 13.4 compiles the guard; later
// versions do not need it. The program writes guard_<version>.json beside the other results;
// docs/compiler_bugs.md compares two versions.
#include <fstream>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/transform.hpp>

#include "measure.hpp"

namespace wf = warpfold;

namespace {

template <class Result>
struct negated {
  template <class T>
  __host__ __device__ Result operator()(T x) const {
    return static_cast<Result>(-x);
  }
};

const char* comma = "";  // before the next row
constexpr std::size_t sizes[] = {1 << 14, 1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 30};

template <class T, class Result, class Op>
void measure_row(std::ofstream& json, const char* name, const Op& op) {
  auto& gpu = measure::machine();
  const std::size_t most = sizes[std::size(sizes) - 1] / sizeof(T);
  wf::device_buffer<T> values(most);
  measure::check(cudaMemset(values.data(), 3, most * sizeof(T)));
  for (const std::size_t bytes : sizes) {
    const auto view =
        wf::project(std::span<const T>(values.data(), bytes / sizeof(T)), negated<Result>{});
    using result = decltype(wf::reduce(wf::device, view, op));
    const auto call = [&] {
      wf::reduce_async(wf::device.on(gpu.stream), view, op, gpu.template result<result>());
    };
    std::vector<double> cold, replayed;
    for (int i = 0; i < 61; ++i) cold.push_back(gpu.cold(call));
    if (bytes <= 1 << 26) {
      const cudaGraphExec_t graph = gpu.graph_of(call);
      const auto replay = [&] { measure::check(cudaGraphLaunch(graph, gpu.stream)); };
      for (int i = 0; i < 20; ++i) gpu.between(replay);
      for (int i = 0; i < 101; ++i) replayed.push_back(gpu.between(replay) / 20);
      measure::check(cudaGraphExecDestroy(graph));
    }
    json << comma << "\n    {\"row\": \"" << name << "\", \"bytes\": " << bytes
         << ", \"cold_us\": " << measure::fixed(measure::median(cold) * 1e6, 3);
    if (!replayed.empty()) {
      json << ", \"graph_us\": " << measure::fixed(measure::median(replayed) * 1e6, 3);
    }
    json << "}";
    comma = ",";
    std::cout << name << ", " << measure::size_text(bytes) << '\n';
  }
}

}  // namespace

int main() {
  if (!measure::has_gpu()) return 0;
  const std::string compiler =
      std::to_string(__CUDACC_VER_MAJOR__) + "." + std::to_string(__CUDACC_VER_MINOR__);
  const auto where = measure::results_folder() / ("guard_" + compiler + ".json");
  std::ofstream json(where);
  json << "{\n  \"gpu\": \"" << measure::gpu_name() << "\",\n  \"commit\": \"" << measure::commit()
       << "\",\n  \"nvcc\": \"" << compiler << "\",\n  \"rows\": [";
  measure_row<int, int>(json, "max of -int", wf::maximum{});
  measure_row<signed char, int>(json, "max of -char as int", wf::maximum{});
  measure_row<short, short>(json, "max of -short", wf::maximum{});
  measure_row<int, int>(json, "argmin of -int", wf::arg(wf::minimum{}));
  measure_row<signed char, int>(json, "argmin of -char as int", wf::arg(wf::minimum{}));
  json << "\n  ]\n}\n";
}
