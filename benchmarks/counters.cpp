// Prints the counts of the emulation for each launch of the kernels of counters.hpp, as JSON. See
// counters.py.
// needs: boost_context
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>

#include <warpfold/policy/emulated.hpp>

#include "counters.hpp"

int main() {
  constexpr std::size_t most = std::size_t{1} << 20;
  const std::unique_ptr<float[], decltype(&std::free)> memory(
      static_cast<float*>(std::aligned_alloc(256, (most + 64) * sizeof(float))), std::free);
  for (std::size_t i = 0; i < most + 64; ++i) memory[i] = 1.0f;
  float* const out = memory.get() + most;  // at an aligned address of its own

  const char* comma = "";
  std::printf("[");
  counters::for_each_case([&](const auto& kernel, std::size_t n) {
    const auto policy = warpfold::emulated.counting().with_kernel(kernel);
    warpfold::reduce_async(policy, std::span<const float>(memory.get(), n), warpfold::plus{}, out);
    int launch = 0;
    for (const warpfold::emulation::launch_counts& l : policy.report().launches) {
      using warpfold::emulation::traffic;
      const auto loads = l.total(traffic::global_load), stores = l.total(traffic::global_store);
      const auto shared_loads = l.total(traffic::shared_load),
                 shared_stores = l.total(traffic::shared_store);
      const auto count = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
      std::printf(
          "%s\n {\"kernel\": \"%s\", \"elements\": %zu, \"launch\": %d, "
          "\"global_load_requests\": %llu, \"global_load_sectors\": %llu, "
          "\"global_store_requests\": %llu, \"global_store_sectors\": %llu, "
          "\"shared_loads\": %llu, \"shared_stores\": %llu, "
          "\"shared_load_wavefronts\": %llu, \"shared_store_wavefronts\": %llu, "
          "\"shared_load_conflicts\": %llu, \"shared_store_conflicts\": %llu, "
          "\"atomics\": %llu, \"barriers\": %llu}",
          comma, kernel.name(), n, launch++, count(loads.requests), count(loads.sectors),
          count(stores.requests), count(stores.sectors), count(shared_loads.requests),
          count(shared_stores.requests), count(shared_loads.wavefronts),
          count(shared_stores.wavefronts), count(shared_loads.bank_conflicts),
          count(shared_stores.bank_conflicts), count(l.total(traffic::global_atomic).requests),
          count(l.barriers));
      comma = ",";
    }
  });
  std::printf("\n]\n");
}
