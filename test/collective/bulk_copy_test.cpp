// bulk_copies in the emulation: the thread that starts a copy does it at once, waiting is a barrier
// of the block, and the counts see one request of whole sectors.
// needs: boost_context
#include <warpfold/collective/bulk_copy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "contract/emulated_launch.hpp"
#include "contract/staged_words.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

struct alignas(32) sector {
  std::uint32_t x[8];
};

/// `n` sectors, numbered word by word.
std::vector<sector> sectors(std::size_t n) {
  std::vector<sector> v(n);
  for (std::size_t i = 0; i < 8 * n; ++i) v[i / 8].x[i % 8] = static_cast<std::uint32_t>(i);
  return v;
}

constexpr launch_shape shape{1, 64, 1024};

}  // namespace

TEST_CASE("two copies of one phase arrive for every thread of the block") {
  static_assert(bulk_copy_bytes == 16);
  const std::vector<sector> from = sectors(40);
  std::vector<std::uint32_t> to(256);
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto out = on.array(to);
  const auto& counts = on.run(shape, [=] {
    const auto memory = dynamic_shared_bytes(1024);
    WARPFOLD_SHARED bulk_copies copies;
    const global_loads how(caching::stream);
    if (threadIdx.x == 0) {
      bulk_copies::make_ready(&copies, 1);
      copies.expect(1024);
      copies.start(memory, 0, source, 768, how);
      copies.start(memory, 768, source + 24, 256, how);
    }
    copies.wait(0);
    for (unsigned i = threadIdx.x; i < 256; i += 64) {
      out.store(i, memory.load<std::uint32_t>(0, 4 * i, call_site::here()));
    }
  });
  for (unsigned i = 0; i < 256; ++i) CHECK(to[i] == i);
  const auto copied = counts.total(traffic::bulk_copy);
  CHECK(copied.requests == 2);
  CHECK(copied.bytes_used == 1024);
  CHECK(copied.sectors == 32);
  CHECK(counts.total(traffic::global_load).requests == 0);
  CHECK(counts.barriers == 2);  // one for each of the two warps
}

TEST_CASE("a thread that does not wait races with the copy") {
  const std::vector<sector> from = sectors(32);
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto error = on.error_of(shape, [=] {
    const auto memory = dynamic_shared_bytes(1024);
    if (threadIdx.x == 0) {
      bulk_copies copies;
      copies.start(memory, 0, source, 1024, global_loads(caching::keep));
    }
    (void)memory.load<std::uint32_t>(0, 4, call_site::here());
  });
  CHECK_ERROR(error, "thread 1 reads what another thread writes, without a barrier between");
}

TEST_CASE("a barrier must separate two phases") {
  const std::vector<sector> from = sectors(32);
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto two_phases = [=](bool with_barrier) {
    return [=] {
      const auto memory = dynamic_shared_bytes(1024);
      bulk_copies copies;
      for (unsigned phase = 0; phase < 2; ++phase) {
        if (threadIdx.x == 63) {
          copies.start(memory, 0, source, 1024, global_loads(caching::keep));
        }
        copies.wait(phase);
        (void)memory.load<std::uint32_t>(0, 4 * threadIdx.x, call_site::here());
        if (with_barrier) __syncthreads();
      }
    };
  };
  CHECK(on.error_of(shape, two_phases(true)) == "");
  CHECK_ERROR(on.error_of(shape, two_phases(false)), "writes what another thread reads");
}

TEST_CASE("a copy stays inside the array and inside shared memory") {
  const std::vector<sector> from = sectors(4);
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto copying = [=](unsigned first, unsigned at, unsigned bytes) {
    return [=] {
      bulk_copies copies;
      if (threadIdx.x == 0) {
        copies.start(dynamic_shared_bytes(128), at, source + first, bytes,
                     global_loads(caching::keep));
      }
    };
  };
  const launch_shape small{1, 32, 128};
  CHECK(on.error_of(small, copying(0, 0, 128)) == "");
  CHECK(on.error_of(small, copying(3, 96, 32)) == "");
  CHECK_ERROR(on.error_of(small, copying(1, 0, 128)), "outside every array of the launch");
  CHECK_ERROR(on.error_of(small, copying(0, 32, 128)), "writes element 159 of a shared array");
  CHECK_ERROR(on.error_of(small, copying(1, 0, 128)), "bulk_copy_test.cpp");
}

TEST_CASE("two tiles are on their way, in phases") {
  const std::vector<unsigned> from = test::staged_words::numbers();
  std::vector<unsigned> to(from.size());
  emulation::launcher on(emulation::default_gpu, nullptr);
  on.allow(from.data(), from.size() * sizeof(unsigned), false);
  on.allow(to.data(), to.size() * sizeof(unsigned), true);
  on.launch("bulk_copy", test::bulk_copy_body{from.data(), {to.data(), to.size()}},
            test::staged_words::shape());
  CHECK(to == from);
}
