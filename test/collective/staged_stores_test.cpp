// Stores to a copy in shared memory: which addresses are in it, where each byte is, and what goes
// to global memory.
// needs: boost_context
#include <warpfold/collective/staged_stores.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

struct alignas(16) ints {
  int at[16];
};

}  // namespace

TEST_CASE("a part of an array is stored in its copy, the rest in global memory") {
  std::vector<ints> memory(1);
  std::vector<int> copy(16);
  test::emulated_launch on;
  const auto array = on.array(memory);
  const auto out = on.array(copy);
  on.run({1, 32, 64}, [=] {
    const auto shared = dynamic_shared_bytes(64);
    if (threadIdx.x < 16) shared.store(0, 4 * threadIdx.x, -1, call_site::here());
    __syncthreads();
    staged_stores<2> stores(shared, global_access());
    auto* const to = reinterpret_cast<unsigned char*>(array.data);
    stores.pieces[0] = {to + 16, 16, 32};  // elements 4 to 7 at int 8
    stores.pieces[1] = {to + 40, 8, 0};    // elements 10 and 11 at int 0
    if (threadIdx.x < 16) {
      stores.store(array.data->at + threadIdx.x, static_cast<int>(100 + threadIdx.x));
    }
    __syncthreads();
    if (threadIdx.x < 16) {
      out.store(threadIdx.x, shared.load<int>(0, 4 * threadIdx.x, call_site::here()));
    }
  });
  for (int i = 0; i < 16; ++i) {
    INFO("element ", i);
    const bool is_copied = (i >= 4 && i < 8) || i == 10 || i == 11;
    CHECK(memory[0].at[i] == (is_copied ? 0 : 100 + i));
  }
  CHECK(copy ==
        std::vector<int>{110, 111, -1, -1, -1, -1, -1, -1, 104, 105, 106, 107, -1, -1, -1, -1});
}

TEST_CASE("words go to the copy as well, unless part of one lies outside") {
  std::vector<ints> memory(1);
  std::vector<int> copy(8);
  test::emulated_launch on;
  const auto array = on.array(memory);
  const auto out = on.array(copy);
  on.run({1, 32, 32}, [=] {
    const auto shared = dynamic_shared_bytes(32);
    if (threadIdx.x != 0) return;
    for (unsigned w = 0; w < 2; ++w) shared.store_word(16 * w, word{}, call_site::here());
    staged_stores<1> stores(shared, global_access());
    stores.pieces[0] = {reinterpret_cast<unsigned char*>(array.data), 24, 0};
    stores.store_word(array.data->at, word{{1, 2, 3, 4}});
    stores.store_word(array.data->at + 4, word{{5, 6, 7, 8}});  // its end is not in the part
    stores.store_word(array.data->at + 8, word{{9, 10, 11, 12}});
    for (unsigned i = 0; i < 8; ++i) {
      out.store(i, shared.load<int>(0, 4 * i, call_site::here()));
    }
  });
  CHECK(copy == std::vector<int>{1, 2, 3, 4, 0, 0, 0, 0});
  for (int i = 0; i < 16; ++i) CHECK(memory[0].at[i] == (i >= 4 && i < 12 ? i + 1 : 0));
}

TEST_CASE("a permuted copy has each byte where staged_loads finds it, without bank conflicts") {
  struct alignas(32) element {
    unsigned x[8];
  };
  std::vector<element> memory(32), read(32);
  test::emulated_launch on;
  const auto array = on.array(memory), out = on.array(read);
  const auto& counts = on.run({1, 32, 1024}, [=] {
    const auto shared = dynamic_shared_bytes(1024);
    const unsigned t = threadIdx.x;
    staged_stores<1, 32> stores(shared, global_access());
    stores.pieces[0] = {reinterpret_cast<unsigned char*>(array.data), 1024, 0};
    element e{};
    for (unsigned i = 0; i < 8; ++i) e.x[i] = 8 * t + i;
    stores.store(array.data + t, e);
    __syncthreads();
    staged_loads<1, true, global_loads, 32> loads(shared, global_loads(caching::keep));
    loads.pieces[0] = {reinterpret_cast<const unsigned char*>(array.data), 1024, 0};
    out.store(t, loads.load(static_cast<const element*>(array.data) + (31 - t)));
  });
  for (unsigned t = 0; t < 32; ++t) {
    for (unsigned i = 0; i < 8; ++i) {
      CHECK(read[t].x[i] == 8 * (31 - t) + i);
      CHECK(memory[t].x[i] == 0);
    }
  }
  CHECK(counts.total(traffic::shared_store).bank_conflicts == 0);
}

TEST_CASE("a copy is empty before its part is set") {
  std::vector<int> memory(1);
  test::emulated_launch on;
  const auto array = on.array(memory);
  const auto& counts = on.run({1, 32, 64}, [=] {
    const staged_stores<3> stores(dynamic_shared_bytes(64), global_access());
    if (threadIdx.x == 0) stores.store(array.data, 5);
  });
  CHECK(memory[0] == 5);
  CHECK(counts.total(traffic::shared_store).requests == 0);
}

TEST_CASE("an element that would be misaligned in the copy goes to global memory") {
  std::vector<ints> memory(1);
  std::vector<int> copy(4);
  test::emulated_launch on;
  const auto array = on.array(memory);
  const auto out = on.array(copy);
  on.run({1, 32, 16}, [=] {
    const auto shared = dynamic_shared_bytes(16);
    if (threadIdx.x != 0) return;
    shared.store_word(0, word{}, call_site::here());
    staged_stores<1> stores(shared, global_access());
    stores.pieces[0] = {reinterpret_cast<unsigned char*>(array.data) + 2, 16, 0};
    stores.store(array.data->at + 1, 5);
    for (unsigned i = 0; i < 4; ++i) out.store(i, shared.load<int>(0, 4 * i, call_site::here()));
  });
  CHECK(memory[0].at[1] == 5);
  CHECK(copy == std::vector<int>(4));
}
