// access_counter: the counts of accesses whose numbers follow from the rules, each worked out by
// hand. benchmarks/counters.py compares them with a GPU's.
// needs: boost_context
#include <warpfold/emulation/access_counter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

namespace {

using namespace warpfold;
using emulation::traffic;

/// Bytes that start at a multiple of 256, as a GPU's allocations do.
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

/// One warp, each lane loads a `T` at `stride` elements from its neighbour's, from element `first`
/// on.
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
  SUBCASE("neighbours") {
    const auto c = loads(float{}, 0, 1);
    CHECK(c.requests == 1);
    CHECK(c.sectors == 4);
    CHECK(c.ideal_sectors == 4);
    CHECK(c.bytes_used == 128);
    CHECK(c.odd_size + c.out_of_order + c.misaligned + c.partial == 0);
  }
  SUBCASE("neighbours, one element off: one sector more") {
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
  CHECK(loads(float{}, 0).wavefronts == 1);  // one word for all
  CHECK(loads(float{}, 2).wavefronts == 2);
  CHECK(loads(float{}, 2).bank_conflicts == 1);
  CHECK(loads(float{}, 8).wavefronts == 8);
  CHECK(loads(float{}, 32).wavefronts == 32);
  CHECK(loads(float{}, 32).bank_conflicts == 31);
  // Half warps: 16 doubles are the 32 banks.
  CHECK(loads(double{}, 1).wavefronts == 2);
  CHECK(loads(double{}, 1).bank_conflicts == 0);
  CHECK(loads(double{}, 2).wavefronts == 4);
  CHECK(loads(double{}, 2).bank_conflicts == 2);
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

namespace {

using emulation::access_counter;
using emulation::launch_counts;

constexpr site here{"some.cu", 1};
constexpr std::uintptr_t base = 1 << 20;

/// The counts of a launch of one block of `threads` threads, which `f` notes.
template <class F>
launch_counts counted(unsigned threads, const F& f) {
  access_counter counter;
  counter.start_launch();
  counter.start_block(threads);
  f(counter);
  counter.end_block();
  launch_counts total;
  counter.add_to(total);
  return total;
}

}  // namespace

TEST_CASE("the k-th accesses of all lanes since they met are one request") {
  // Each thread runs by itself, and has two accesses.
  const auto c = counted(32, [](access_counter& counter) {
    for (unsigned t = 0; t < 32; ++t) {
      counter.note(t, traffic::global_load, base + 4 * t, 4, 4, here);
      counter.note(t, traffic::global_load, base + 4096 + 32 * t, 4, 4, here);
    }
  });
  const auto all = c.total(traffic::global_load);
  CHECK(all.requests == 2);
  CHECK(all.sectors == 4 + 32);
  CHECK(all.ideal_sectors == 8);
  CHECK(all.out_of_order == 1);
}

TEST_CASE("lanes that meet between their accesses make two requests") {
  const auto c = counted(32, [](access_counter& counter) {
    for (unsigned t = 0; t < 32; ++t) {
      if (t == 16) counter.meet(0);
      counter.note(t, traffic::global_store, base + 4 * t, 4, 4, here);
    }
  });
  const auto all = c.total(traffic::global_store);
  CHECK(all.requests == 2);
  CHECK(all.partial == 2);
  CHECK(all.sectors == 4);
  CHECK(all.lanes == 32);
}

TEST_CASE("the last warp of a block is whole with the lanes it has") {
  const auto c = counted(40, [](access_counter& counter) {
    for (unsigned t = 0; t < 40; ++t) {
      counter.note(t, traffic::global_load, base + 4 * t, 4, 4, here);
    }
  });
  CHECK(c.total(traffic::global_load).requests == 2);
  CHECK(c.total(traffic::global_load).partial == 0);
  CHECK(c.total(traffic::global_load).sectors == 5);
}

TEST_CASE("an access wider than its alignment, or than 16 bytes, takes several instructions") {
  const auto requests = [](std::size_t bytes, std::size_t alignment) {
    return counted(32,
                   [=](access_counter& counter) {
                     for (unsigned t = 0; t < 32; ++t) {
                       counter.note(t, traffic::global_load, base + bytes * t, bytes, alignment,
                                    here);
                     }
                   })
        .total(traffic::global_load)
        .requests;
  };
  CHECK(requests(8, 8) == 1);
  CHECK(requests(8, 4) == 2);
  CHECK(requests(16, 16) == 1);
  CHECK(requests(48, 16) == 3);
  CHECK(requests(20, 16) == 5);  // five times four bytes
  CHECK(requests(6, 2) == 3);
}

TEST_CASE("lines, kinds and sizes are counted apart, and blocks and workers together") {
  launch_counts total;
  for (int worker = 0; worker < 2; ++worker) {
    access_counter counter;
    counter.start_launch();
    for (int block = 0; block < 3; ++block) {
      counter.start_block(32);
      counter.note(0, traffic::global_load, base, 4, 4, here);
      counter.note(0, traffic::global_store, base, 4, 4, here);
      counter.note(0, traffic::global_load, base, 8, 8, here);
      counter.note(0, traffic::global_load, base, 4, 4, {"some.cu", 2});
      counter.end_block();
    }
    counter.add_to(total);
  }
  REQUIRE(total.sites.size() == 4);
  for (const auto& s : total.sites) {
    CHECK(s.requests == 6);
    CHECK(s.lanes == 6);
    CHECK(s.partial == 6);
    CHECK(s.sectors == 6);
    CHECK(s.ideal_sectors == 6);
    CHECK(s.bytes_used == 6 * s.access_bytes);
  }
  CHECK(total.sites[2].access_bytes == 8);
  CHECK(total.sites[3].at.line == 2);
}

TEST_CASE("a bulk copy is one request of whole sectors") {
  const auto copy = [](std::uintptr_t from, std::size_t bytes) {
    return counted(32, [=](access_counter& counter) { counter.note_copy(from, bytes, here); })
        .total(traffic::bulk_copy);
  };
  CHECK(copy(base, 1024).requests == 1);
  CHECK(copy(base, 1024).sectors == 32);
  CHECK(copy(base + 16, 1024).sectors == 33);
  CHECK(copy(base + 16, 1024).ideal_sectors == 32);
  CHECK(copy(base + 16, 16).sectors == 1);
  CHECK(copy(base + 16, 16).bytes_used == 16);
}

TEST_CASE("groups of lanes whose words are in different banks are served together") {
  // Two lanes read each double: both halves of the warp have their own banks.
  const auto halves = counted(32, [](access_counter& counter) {
    for (unsigned t = 0; t < 32; ++t) {
      counter.note(t, traffic::shared_load, 8 * (t / 2), 8, 8, here);
    }
  });
  CHECK(halves.total(traffic::shared_load).wavefronts == 1);
  CHECK(halves.total(traffic::shared_load).bank_conflicts == 0);
  const auto words = [](unsigned stride) {
    return counted(32,
                   [=](access_counter& counter) {
                     for (unsigned t = 0; t < 32; ++t) {
                       counter.note(t, traffic::shared_load, 16 * stride * t, 16, 16, here);
                     }
                   })
        .total(traffic::shared_load);
  };
  CHECK(words(1).wavefronts == 4);  // quarters of the warp
  CHECK(words(1).bank_conflicts == 0);
  CHECK(words(2).wavefronts == 8);
  CHECK(words(2).bank_conflicts == 4);
  CHECK(words(3).bank_conflicts == 0);
}
