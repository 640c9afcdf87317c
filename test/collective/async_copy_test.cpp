// async_copies in the emulation: a word arrives when its copy starts, other threads need a barrier,
// and errors have the line where the object was made.
// needs: boost_context
#include <warpfold/collective/async_copy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "contract/emulated_launch.hpp"
#include "contract/staged_words.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

std::vector<std::uint32_t> numbers(std::size_t n) {
  std::vector<std::uint32_t> v(n);
  std::iota(v.begin(), v.end(), 100u);
  return v;
}

}  // namespace

TEST_CASE("each thread copies its word, and reads its neighbor's after a barrier") {
  for (const unsigned threads : {32u, 96u, 1024u}) {
    INFO(threads, " threads");
    std::vector<std::uint32_t> from = numbers(4 * threads), to(4 * threads);
    test::emulated_launch on;
    const auto* const source = on.read_only(from);
    const auto out = on.array(to);
    on.run({1, threads, 16 * threads}, [=] {
      const auto memory = dynamic_shared_bytes(16 * threads);
      const async_copies copies(memory, caching::stream);
      const unsigned t = threadIdx.x;
      copies.start(copies.place(16 * t), source + 4 * t);
      copies.commit();
      copies.template wait<0>();
      __syncthreads();
      const unsigned neighbor = (t + 1) % threads;
      const auto got = memory.load<word>(0, 16 * neighbor, call_site::here());
      for (unsigned i = 0; i < 4; ++i) out.store(4 * neighbor + i, got.part[i]);
    });
    CHECK(to == from);
  }
}

TEST_CASE("words at fixed distances from a place") {
  const std::vector<std::uint32_t> from = numbers(4 * 32 * 3);
  std::vector<std::uint32_t> to(from.size());
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto out = on.array(to);
  on.run({1, 32, 16 * 32 * 3}, [=] {
    const auto memory = dynamic_shared_bytes(16 * 32 * 3);
    const async_copies copies(memory, caching::keep);
    const unsigned t = threadIdx.x, place = copies.place(16 * t);
    for (unsigned k = 0; k < 3; ++k) copies.start(place + k * 512, source + 4 * t + k * 128);
    for (unsigned k = 0; k < 3; ++k) {
      const auto got = memory.load<word>(0, 16 * t + k * 512, call_site::here());
      for (unsigned i = 0; i < 4; ++i) out.store(4 * t + k * 128 + i, got.part[i]);
    }
  });
  CHECK(to == from);
}

TEST_CASE("a thread's words reach the other threads at a barrier only") {
  const std::vector<std::uint32_t> from = numbers(4 * 64);
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto error = on.error_of({1, 64, 1024}, [=] {
    const auto memory = dynamic_shared_bytes(1024);
    const async_copies copies(memory, caching::keep);
    copies.start(copies.place(16 * threadIdx.x), source + 4 * threadIdx.x);
    copies.commit();
    copies.wait<0>();
    (void)memory.load<word>(0, 0, call_site::here());
  });
  CHECK_ERROR(error, "reads what another thread writes, without a barrier between");
}

TEST_CASE("a thread copies what it wrote before: the source need not be read-only") {
  std::vector<std::uint32_t> memory(4 * 32), to(32);
  test::emulated_launch on;
  const auto in = on.array(memory), out = on.array(to);
  on.run({1, 32, 512}, [=] {
    const unsigned t = threadIdx.x;
    for (unsigned i = 0; i < 4; ++i) in.store(4 * t + i, 10 * t + i);
    const auto bytes = dynamic_shared_bytes(512);
    const async_copies copies(bytes, caching::keep);
    copies.start(copies.place(16 * t), in.data + 4 * t);
    copies.wait<0>();
    out.store(t, bytes.load<word>(0, 16 * t, call_site::here()).part[3]);
  });
  for (unsigned t = 0; t < 32; ++t) CHECK(to[t] == 10 * t + 3);
}

TEST_CASE("words outside an array, or not at a multiple of 16 bytes, are errors") {
  const std::vector<std::uint32_t> from = numbers(4 * 32);
  test::emulated_launch on;
  const auto* const source = on.read_only(from);
  const auto copying = [=](unsigned element, unsigned byte) {
    return [=] {
      const async_copies copies(dynamic_shared_bytes(64), caching::keep);
      if (threadIdx.x == 2) copies.start(byte, source + element);
    };
  };
  const launch_shape shape{1, 32, 64};
  CHECK(on.error_of(shape, copying(4 * 31, 48)) == "");
  CHECK_ERROR(on.error_of(shape, copying(4 * 32, 0)), "outside every array of the launch");
  CHECK_ERROR(on.error_of(shape, copying(2, 0)), "which must be a multiple of 16");
  CHECK_ERROR(on.error_of(shape, copying(0, 64)), "writes element 19 of a shared array");
  CHECK_ERROR(on.error_of(shape, copying(0, 8)), "16 bytes of shared memory at byte 8");
  CHECK_ERROR(on.error_of(shape, copying(2, 0)), "async_copy_test.cpp");
}

TEST_CASE("the next tile is on its way while one is read") {
  const std::vector<unsigned> from = test::staged_words::numbers();
  std::vector<unsigned> to(from.size());
  emulation::launcher on(emulation::default_gpu, nullptr);
  on.allow(from.data(), from.size() * sizeof(unsigned), false);
  on.allow(to.data(), to.size() * sizeof(unsigned), true);
  on.launch("async_copy", test::async_copy_body{from.data(), {to.data(), to.size()}},
            test::staged_words::shape());
  CHECK(to == from);
}
