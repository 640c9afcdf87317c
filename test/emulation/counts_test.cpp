// Compares the emulation's counts with counts computed by hand from the rules.
// benchmarks/counters.py compares them with a GPU's.
// needs: boost_context
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include <warpfold/kernel/ladder/interleaved_contiguous.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using namespace warpfold;
using emulation::traffic;

/// Memory that starts at a multiple of 256 bytes, as allocations on a GPU do.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::size_t bytes)
      : size_((bytes + 255) / 256 * 256), data_(std::aligned_alloc(256, size_), std::free) {
    std::fill_n(static_cast<unsigned char*>(data_.get()), size_, static_cast<unsigned char>(0));
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::unique_ptr<void, decltype(&std::free)> data_;
};

/// One warp in which each lane loads a `T`, `stride` elements after that of the previous lane,
/// starting at element `first`.
template <class T>
struct strided_loads {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  collective::global_array<T> a;
  std::size_t first, stride;
  void operator()() const { (void)a.load(first + threadIdx.x * stride); }
};
/// Each lane loads element `lane * stride % size` of a shared array.
template <class T>
struct shared_loads {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  unsigned stride;
  void operator()() const {
    WARPFOLD_SHARED collective::shared_array<T, 2048> values;
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) values.store(i, T{});
    __syncthreads();
    (void)values.load(threadIdx.x * stride % 2048);
  }
};
struct collectives {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    __syncthreads();
    __syncwarp();
    (void)__shfl_down_sync(0xffffffffu, 1, 1);
    (void)__any_sync(0xffffffffu, 1);
    if (threadIdx.x < 32) (void)__reduce_add_sync(0xffffffffu, 1u);
  }
};
struct half_of_the_lanes {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  collective::global_array<float> a;
  void operator()() const {
    if (threadIdx.x % 2 == 0) a.store(threadIdx.x, 1.0f);
  }
};

template <class Body>
emulation::launch_counts counts_of(const Body& body, launch_shape shape,
                                   const aligned_bytes& memory) {
  emulation::report counted;
  emulation::launcher on(emulation::default_gpu, &counted);
  on.allow(memory.as<unsigned char>(), memory.size(), true);
  on.launch("counted", body, shape);
  return counted.launches.front();
}

struct point {
  float x, y, z;
};

}  // namespace

TEST_CASE("sectors of a warp's loads") {
  const aligned_bytes memory(1 << 16);
  const auto loads = [&]<class T>(T, std::size_t first, std::size_t stride) {
    const collective::global_array<T> a{memory.as<T>(), memory.size() / sizeof(T)};
    return counts_of(strided_loads<T>{a, first, stride}, {1, 32}, memory)
        .total(traffic::global_load);
  };
  SUBCASE("neighbors") {
    const auto c = loads(float{}, 0, 1);
    CHECK(c.requests == 1);
    CHECK(c.sectors == 4);
    CHECK(c.ideal_sectors == 4);
    CHECK(c.bytes_used == 128);
    CHECK(c.odd_size + c.out_of_order + c.misaligned + c.partial == 0);
  }
  SUBCASE("neighbors, one element off: one sector more") {
    const auto c = loads(float{}, 1, 1);
    CHECK(c.sectors == 5);
    CHECK(c.ideal_sectors == 4);
    CHECK(c.misaligned == 1);
  }
  SUBCASE("every second: half of each sector") {
    const auto c = loads(float{}, 0, 2);
    CHECK(c.sectors == 8);
    CHECK(c.bytes_used == 128);
    CHECK(c.out_of_order == 1);
  }
  SUBCASE("one sector a lane") {
    CHECK(loads(float{}, 0, 8).sectors == 32);
    CHECK(loads(float{}, 0, 100).sectors == 32);
  }
  SUBCASE("all the same") {
    const auto c = loads(float{}, 5, 0);
    CHECK(c.sectors == 1);
    CHECK(c.bytes_used == 4);
  }
  SUBCASE("of 8 bytes, and of 1") {
    CHECK(loads(double{}, 0, 1).sectors == 8);
    const auto c = loads(char{}, 0, 1);
    CHECK(c.sectors == 1);
    CHECK(c.odd_size == 1);
  }
  SUBCASE("float3: three instructions of 12 sectors, each with a third of their bytes") {
    const auto c = loads(point{}, 0, 1);
    CHECK(c.requests == 3);
    CHECK(c.sectors == 36);
    CHECK(c.bytes_used == 384);
    CHECK(c.odd_size == 3);
  }
}

TEST_CASE("bank conflicts") {
  const aligned_bytes memory(256);
  const auto loads = [&]<class T>(T, unsigned stride) {
    return counts_of(shared_loads<T>{stride}, {1, 32}, memory).total(traffic::shared_load);
  };
  for (const unsigned stride : {1u, 3u, 5u, 31u, 33u}) {
    INFO("stride ", stride);
    CHECK(loads(float{}, stride).wavefronts == 1);
  }
  CHECK(loads(float{}, 0).wavefronts == 1);  // one word for all lanes
  CHECK(loads(float{}, 2).wavefronts == 2);
  CHECK(loads(float{}, 2).bank_conflicts == 1);
  CHECK(loads(float{}, 8).wavefronts == 8);
  CHECK(loads(float{}, 32).wavefronts == 32);
  CHECK(loads(float{}, 32).bank_conflicts == 31);
  // Half warps: 16 doubles occupy the 32 banks.
  CHECK(loads(double{}, 1).wavefronts == 2);
  CHECK(loads(double{}, 1).bank_conflicts == 0);
  CHECK(loads(double{}, 2).wavefronts == 4);
  CHECK(loads(double{}, 2).bank_conflicts == 2);
}

TEST_CASE("barriers, shuffles, votes and sums, by warps") {
  const aligned_bytes memory(256);
  const auto c = counts_of(collectives{}, {3, 96}, memory);
  CHECK(c.barriers == 9);
  CHECK(c.warp_syncs == 9);
  CHECK(c.shuffles == 9);
  CHECK(c.votes == 9);
  CHECK(c.reductions == 3);
}

TEST_CASE("requests of part of a warp") {
  const aligned_bytes memory(4096);
  const auto c = counts_of(half_of_the_lanes{{memory.as<float>(), 1024}}, {1, 64}, memory)
                     .total(traffic::global_store);
  CHECK(c.requests == 2);
  CHECK(c.partial == 2);
  CHECK(c.lanes == 32);
  CHECK(c.sectors == 8);
}

TEST_CASE("a kernel's launches, one after the other") {
  const aligned_bytes memory(4096 * sizeof(float));
  const std::span<const float> range(memory.as<float>(), 4096);
  const auto counted = [&](const auto& kernel) {
    const auto policy = wf::emulated.counting().with_kernel(kernel);
    (void)wf::reduce(policy, range);
    return policy.report();
  };
  const auto sequential = counted(wf::kernel::sequential_addressing<128>{});
  REQUIRE(sequential.launches.size() == 2);
  CHECK(sequential.launches[0].launch.shape.grid.x == 32);
  CHECK(sequential.launches[1].launch.shape.grid.x == 1);
  const emulation::launch_counts& first = sequential.launches[0];
  CHECK(first.total(traffic::global_load).requests == 128);
  CHECK(first.total(traffic::global_load).sectors == 512);
  CHECK(first.total(traffic::global_store).requests == 32);
  CHECK(first.total(traffic::shared_load).bank_conflicts == 0);
  // 4 warps store; then 2, 1, 1, 1, 1, 1 and 1 load two and store one.
  CHECK(first.total(traffic::shared_store).requests == 32 * (4 + 8));
  CHECK(first.total(traffic::shared_load).requests == 32 * 2 * 8);
  CHECK(first.barriers == 32 * 4 * 8);

  // A stride of 2, 4, ... elements between lanes: conflicts twofold, fourfold, eightfold, ...
  const auto interleaved = counted(wf::kernel::interleaved_contiguous<128>{});
  CHECK(interleaved.launches[0].total(traffic::shared_load).bank_conflicts > 0);
  CHECK(interleaved.launches[0].total(traffic::global_load).sectors == 512);

  // A policy without counting() counts nothing.
  (void)wf::reduce(wf::emulated.with_kernel(wf::kernel::sequential_addressing<32>{}), range);
  CHECK(wf::emulated.report().launches[0].launch.shape.grid.x == 32);
}

TEST_CASE("states that blocks post") {
  // Sums of float: three blocks write one post each, and the fourth reads them and clears them.
  const aligned_bytes memory(4 * 1024 * sizeof(float));
  const std::span<const float> range(memory.as<float>(), 4 * 1024);
  const auto policy = wf::emulated.counting().with_kernel(wf::kernel::single_pass<>{256, 4});
  (void)wf::reduce(policy, range);
  std::size_t stores = 0, loads = 0;
  const auto& launch = policy.report().launches.at(0);
  for (const auto& s : launch.sites) {
    if (s.access_bytes != 16 || std::strstr(s.at.file, "collective/") == nullptr) continue;
    if (s.what == traffic::global_store) stores += s.lanes;
    if (s.what == traffic::global_load) loads += s.lanes;
  }
  CHECK(stores == 2 * 3);
  CHECK(loads == 3);
}
