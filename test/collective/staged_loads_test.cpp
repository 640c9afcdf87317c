// Loads from a copy in shared memory: the permutation of its words and the bank conflicts that it
// avoids, elements of every size at every place, and which addresses are read from the copy.
// needs: boost_context
#include <warpfold/collective/staged_loads.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

template <std::size_t N>
struct bytes {
  unsigned char x[N];
  bool operator==(const bytes&) const = default;

  static bytes of(unsigned number) {
    bytes b{};
    for (std::size_t i = 0; i < N; ++i) b.x[i] = static_cast<unsigned char>(number * 11 + i);
    return b;
  }
};

template <std::size_t ElementBytes>
void check_permutation() {
  INFO(ElementBytes, " bytes");
  constexpr unsigned size = 64 * ElementBytes;
  std::vector<int> times(size);
  unsigned moved = 0;
  for (unsigned i = 0; i < size; ++i) {
    const unsigned place = place_in_copy<ElementBytes>(i);
    REQUIRE(place < size);
    ++times[place];
    moved += place != i;
    // Words move as a whole, inside their element's group.
    CHECK(place % 16 == i % 16);
    CHECK(place / 128 == i / 128);
  }
  CHECK(times == std::vector<int>(size, 1));
  CHECK((moved != 0) == is_exchanged<ElementBytes>);
}

/// Stores 64 elements in a copy and loads them; returns the counts of 32 lanes that each load one.
template <std::size_t N, std::size_t ElementBytes = N>
emulation::site_counts check_round_trip() {
  INFO(N, " bytes");
  using T = bytes<N>;
  constexpr unsigned size = (64 * N + 15) / 16 * 16;
  std::vector<T> results(64);
  test::emulated_launch on;
  const auto out = on.array(results);
  const auto& counts = on.run({1, 32, 32 + size}, [=] {
    const auto memory = dynamic_shared_bytes(32 + size);
    // Every byte is written, because narrow elements are loaded as the words that contain them.
    for (unsigned w = threadIdx.x; w < 2 + size / 16; w += 32) {
      memory.store_word(16 * w, word{}, call_site::here());
    }
    __syncthreads();
    for (unsigned e = threadIdx.x; e < 64; e += 32) {
      memory.store<T, ElementBytes>(32, e * static_cast<unsigned>(N), T::of(e), call_site::here());
    }
    __syncthreads();
    for (unsigned e = threadIdx.x; e < 64; e += 32) {
      out.store(e,
                memory.load<T, ElementBytes>(32, e * static_cast<unsigned>(N), call_site::here()));
    }
  });
  for (unsigned e = 0; e < 64; ++e) CHECK(results[e] == T::of(e));
  return counts.total(traffic::shared_load);
}

}  // namespace

TEST_CASE("words of elements of 32, 64, ... bytes are permuted in groups, others are not") {
  static_assert(!is_exchanged<0>);
  static_assert(!is_exchanged<16>);
  static_assert(is_exchanged<32>);
  static_assert(!is_exchanged<48>);
  static_assert(is_exchanged<96>);
  check_permutation<4>();
  check_permutation<16>();
  check_permutation<48>();
  check_permutation<32>();
  check_permutation<64>();
  check_permutation<96>();
  check_permutation<128>();
  check_permutation<160>();
  check_permutation<256>();
}

TEST_CASE("elements of any size are loaded as they were stored") {
  (void)check_round_trip<1>();
  (void)check_round_trip<2>();
  (void)check_round_trip<3>();
  (void)check_round_trip<4>();
  (void)check_round_trip<5>();
  (void)check_round_trip<6>();
  (void)check_round_trip<7>();
  (void)check_round_trip<8>();
  (void)check_round_trip<12>();
  (void)check_round_trip<16>();
  (void)check_round_trip<17>();
  (void)check_round_trip<24>();
  (void)check_round_trip<50>();
}

TEST_CASE("lanes that load permuted elements have no bank conflicts; unpermuted ones do") {
  CHECK(check_round_trip<32>().bank_conflicts == 0);
  CHECK(check_round_trip<64>().bank_conflicts == 0);
  CHECK(check_round_trip<96>().bank_conflicts == 0);
  CHECK(check_round_trip<128>().bank_conflicts == 0);
  CHECK(check_round_trip<48>().bank_conflicts == 0);  // an odd number of words
  CHECK(check_round_trip<32, 0>().bank_conflicts != 0);
  CHECK(check_round_trip<128, 0>().bank_conflicts != 0);
}

TEST_CASE("50 bytes are thirteen loads of words, at most one more than they have") {
  // Two elements a lane.
  CHECK(check_round_trip<50>().requests == 2 * 13);
  CHECK(check_round_trip<1>().requests == 2);
  CHECK(check_round_trip<6>().requests == 2 * 2);
}

namespace {

/// The error of one thread's access to a `T` at byte `at` of the copy at `copy`, in 64 bytes.
template <class T>
std::string error_of(bool stores, unsigned copy, unsigned at) {
  test::emulated_launch on;
  return on.error_of({1, 32, 64}, [=] {
    const auto memory = dynamic_shared_bytes(64);
    if (threadIdx.x < 4) memory.store_word(16 * threadIdx.x, word{}, call_site::here());
    __syncthreads();
    if (threadIdx.x != 5) return;
    if (stores) {
      memory.store(copy, at, T{}, call_site::here());
    } else {
      (void)memory.load<T>(copy, at, call_site::here());
    }
  });
}

}  // namespace

TEST_CASE("misaligned accesses are errors, those of bytes and shorts are not") {
  for (const bool stores : {false, true}) {
    CHECK_ERROR(error_of<int>(stores, 0, 6),
                "thread 5 accesses 4 bytes of shared memory at byte 6, which is misaligned");
    CHECK_ERROR(error_of<double>(stores, 0, 20), "8 bytes of shared memory at byte 20");
    CHECK_ERROR(error_of<double>(stores, 4, 16), "8 bytes of shared memory at byte 20");
    CHECK_ERROR(error_of<word>(stores, 16, 8), "16 bytes of shared memory at byte 24");
    CHECK_ERROR(error_of<bytes<12>>(stores, 0, 14), "12 bytes of shared memory at byte 14");
    CHECK(error_of<bytes<12>>(stores, 0, 12) == "");  // three words of four bytes
    CHECK(error_of<int>(stores, 16, 8) == "");
    CHECK(error_of<short>(stores, 0, 6) == "");
    CHECK(error_of<char>(stores, 0, 7) == "");
  }
  test::emulated_launch on;
  CHECK_ERROR(on.error_of({1, 32, 256},
                          [] {
                            const auto memory = dynamic_shared_bytes(256);
                            memory.store_word(8 * threadIdx.x, word{}, call_site::here());
                          }),
              "thread 1 accesses 16 bytes of shared memory at byte 8, which is misaligned");
}

TEST_CASE("accesses beyond the end are reported in words where they are words") {
  CHECK_ERROR(error_of<int>(false, 0, 64), "reads element 16 of a shared array that has 16");
  CHECK_ERROR(error_of<double>(true, 0, 64), "writes element 17 of a shared array that has 16");
  CHECK_ERROR(error_of<char>(true, 0, 64), "writes element 64 of a shared array that has 64");
  CHECK_ERROR(error_of<word>(true, 48, 16), "writes element 19 of a shared array that has 16");
}

namespace {

/// Two copies, of `a` (from byte 64 on) and of `b` (from byte 0 on), that differ from both.
struct two_arrays {
  alignas(16) int a[8];
  alignas(16) int b[8];
};

/// What a staged load of `T` at byte `at` behind `a` gives.
template <class T, bool AllInFirst>
std::vector<T> loaded_at(const two_arrays& arrays, std::size_t at) {
  std::vector<T> result(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  on.launcher().allow(&arrays, sizeof arrays, false);
  const auto* const a = reinterpret_cast<const unsigned char*>(arrays.a);
  const auto* const b = reinterpret_cast<const unsigned char*>(arrays.b);
  on.run({1, 32, 128}, [=] {
    const auto memory = dynamic_shared_bytes(128);
    memory.store(0, 4 * threadIdx.x, static_cast<int>(1000 + threadIdx.x), call_site::here());
    __syncthreads();
    staged_loads<AllInFirst ? 1 : 2, AllInFirst> loads(memory, global_loads(caching::keep));
    loads.pieces[0] = {a, 32, 64};
    if constexpr (!AllInFirst) loads.pieces[1] = {b, 24, 0};  // the last two are not copied
    if (threadIdx.x == 0) out.store(0, loads.load(reinterpret_cast<const T*>(a + at)));
  });
  return result;
}

}  // namespace

TEST_CASE("an address in a copied part is read from the copy, others from global memory") {
  two_arrays arrays{};
  for (int i = 0; i < 8; ++i) {
    arrays.a[i] = i;
    arrays.b[i] = 10 + i;
  }
  static_assert(offsetof(two_arrays, b) == 32);
  CHECK((loaded_at<int, true>(arrays, 0)[0] == 1016));
  CHECK((loaded_at<int, true>(arrays, 28)[0] == 1023));
  CHECK((loaded_at<int, false>(arrays, 0)[0] == 1016));
  CHECK((loaded_at<int, false>(arrays, 28)[0] == 1023));
  CHECK((loaded_at<int, false>(arrays, 32)[0] == 1000));
  CHECK((loaded_at<int, false>(arrays, 32 + 20)[0] == 1005));
  CHECK((loaded_at<int, false>(arrays, 32 + 24)[0] == 16));
  CHECK((loaded_at<int, false>(arrays, 32 + 28)[0] == 17));
  // Half of it is in the copy: all of it is read from global memory.
  struct two_ints {
    int x, y;
  };
  const auto both = loaded_at<two_ints, false>(arrays, 32 + 16)[0];
  CHECK(both.x == 1004);
  CHECK(both.y == 1005);
  struct four_ints {
    int x, y, z, w;
  };
  const auto four = loaded_at<four_ints, false>(arrays, 32 + 16)[0];
  CHECK(four.x == 14);
  CHECK(four.z == 16);
}

TEST_CASE("an element that is misaligned in the copy is read from global memory") {
  // The copied part starts in the middle of an int, as that of an overlapping array may.
  alignas(16) int numbers[16];
  for (int i = 0; i < 16; ++i) numbers[i] = i;
  struct two_ints {
    int x, y;
  };
  std::vector<int> results(2);
  std::vector<two_ints> pairs(2);
  test::emulated_launch on;
  const auto out = on.array(results);
  const auto of_pairs = on.array(pairs);
  on.launcher().allow(numbers, sizeof numbers, false);
  const auto* const from = reinterpret_cast<const unsigned char*>(numbers);
  on.run({1, 32, 64}, [=] {
    const auto memory = dynamic_shared_bytes(64);
    if (threadIdx.x != 0) return;
    for (unsigned i = 0; i < 16; ++i) memory.store(0, 4 * i, -1, call_site::here());
    staged_loads<1, false> loads(memory, global_loads(caching::keep));
    loads.pieces[0] = {from + 2, 32, 0};
    out.store(0, loads.load(reinterpret_cast<const int*>(from + 4)));
    loads.pieces[0] = {from, 32, 0};
    out.store(1, loads.load(reinterpret_cast<const int*>(from + 4)));
    // Part of an element of 12 bytes: aligned as an int, and not as its size suggests.
    staged_loads<1, true, global_loads, 12> parts(memory, global_loads(caching::keep));
    parts.pieces[0] = {from, 48, 0};
    of_pairs.store(0, parts.load(reinterpret_cast<const two_ints*>(from + 12)));
    of_pairs.store(1, parts.load(reinterpret_cast<const two_ints*>(from + 24)));
  });
  CHECK(results[0] == 1);
  CHECK(results[1] == -1);
  CHECK(pairs[0].x == 3);
  CHECK(pairs[1].x == -1);
}
