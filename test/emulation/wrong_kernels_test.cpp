// The emulation reports undefined behavior with its place, and works correctly afterwards. These
// kernels include the deliberately wrong programs of the library's sources.
// needs: boost_context
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using namespace warpfold;
using collective::global_array;
using collective::shared_array;

/// Launches `body`, which may write to `arrays`, and returns the error message.
template <class Body>
std::string complaint_of(const Body& body, launch_shape shape,
                         std::vector<std::pair<void*, std::size_t>> arrays = {}) {
  emulation::launcher on(emulation::default_gpu, nullptr);
  for (const auto& [p, bytes] : arrays) on.allow(p, bytes, true);
  try {
    on.launch("wrong", body, shape);
  } catch (const emulation_error& e) {
    CHECK(std::string(e.file()).find("wrong_kernels_test.cpp") != std::string::npos);
    CHECK(e.line() > 0);
    CHECK(e.thread() < shape.block.count());
    // Afterwards a correct kernel runs: no thread, lock or shared memory keeps its old state.
    const std::vector<int> values(5000, 3);
    CHECK(wf::reduce(wf::emulated, values) == 15000);
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

#define CHECK_COMPLAINT(text, part) \
  {                                 \
    const std::string got = text;   \
    INFO(got);                      \
    CHECK(has(got, part));          \
  }

// --- sum += a[threadIdx.x]
// -------------------------------------------------------------------------

struct sum_into_one_place {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  global_array<int> a, sum;
  void operator()() const { sum.store(0, sum.load(0) + a.load(threadIdx.x)); }
};
struct sum_into_shared {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  global_array<int> a;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 1> sum;
    if (threadIdx.x == 0) sum.store(0, 0);
    __syncthreads();
    sum.store(0, sum.load(0) + a.load(threadIdx.x));
  }
};
struct write_without_read {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 1> last;
    last.store(0, static_cast<int>(threadIdx.x));
  }
};

// --- the last warp
// ---------------------------------------------------------------------------------

template <bool Synchronized>
struct last_warp {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  global_array<int> a, sum;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 64> values;
    const unsigned t = threadIdx.x;
    values.store(t, a.load(t));
    __syncthreads();
    if (t >= 32) return;
    for (unsigned width = 32; width > 0; width /= 2) {
      const int both = values.load(t) + values.load(t + width);
      if constexpr (Synchronized) __syncwarp();
      values.store(t, both);
      if constexpr (Synchronized) __syncwarp();
    }
    if (t == 0) sum.store(0, values.load(0));
  }
};

// --- the barrier inside the branch
// -----------------------------------------------------------------

struct barrier_in_branch {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 64> values;
    values.store(threadIdx.x, 1);
    __syncthreads();
    for (unsigned width = 32; width > 0; width /= 2) {
      if (threadIdx.x < width) {
        values.store(threadIdx.x, values.load(threadIdx.x) + values.load(threadIdx.x + width));
        __syncthreads();
      }
    }
  }
};
struct two_barriers {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  }
};

// --- the mirrored tile
// -----------------------------------------------------------------------------

template <bool Synchronized>
struct mirrored_tile {
  static constexpr int max_block = 256;
  static constexpr bool calls_user_functions = false;
  global_array<float> picture;
  unsigned width;
  void operator()() const {
    WARPFOLD_SHARED shared_array<float, 256> tile;
    const unsigned x = threadIdx.x + blockIdx.x * 16, y = threadIdx.y + blockIdx.y * 16;
    tile.store(threadIdx.y * 16 + threadIdx.x, static_cast<float>(x * y));
    if constexpr (Synchronized) __syncthreads();
    picture.store(y * width + x, tile.load((15 - threadIdx.y) * 16 + 15 - threadIdx.x));
  }
};

// --- the warp
// ---------------------------------------------------------------------------------------

struct shuffle_in_branch {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    if (threadIdx.x % 2 == 0) (void)__shfl_down_sync(0xffffffffu, 1.0f, 1);
  }
};
struct vote_after_return {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    if (threadIdx.x == 7) return;
    (void)__ballot_sync(0xffffffffu, 1);
  }
};
struct shuffle_at_a_barrier {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    if (threadIdx.x < 16) (void)__shfl_xor_sync(0xffffffffu, 1, 1);
    __syncthreads();
  }
};
/// Loads a word at `first`, which must be aligned.
struct word_of_ints {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  const int* a;
  unsigned first;
  void operator()() const { (void)cache_hint(caching::keep).load_word(a + first); }
};
struct not_in_its_mask {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const { __syncwarp(0xfffffffeu); }
};
struct from_a_lane_outside {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    if (threadIdx.x < 16) (void)__shfl_sync(0xffffu, 1, 20);
  }
};
/// Correct: only half of the warp.
struct half_a_warp {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  global_array<int> out;
  void operator()() const {
    if (threadIdx.x >= 16) return;
    int x = static_cast<int>(threadIdx.x);
    for (unsigned delta = 8; delta > 0; delta /= 2) x += __shfl_down_sync(0xffffu, x, delta, 16);
    if (threadIdx.x == 0) out.store(0, x);
  }
};

// --- memory
// -----------------------------------------------------------------------------------------

struct unwritten {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 32> values;
    if (threadIdx.x < 31) values.store(threadIdx.x, 1);
    __syncthreads();
    (void)values.load(threadIdx.x);
  }
};
struct beyond_shared {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 32> values;
    values.store(threadIdx.x + 1, 1);
  }
};
struct beyond_dynamic {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const { (void)collective::dynamic_shared<double>(32); }
};
struct beyond_global {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  global_array<int> a;
  void operator()() const { a.store(threadIdx.x + blockIdx.x * 32, 1); }
};

// --- seen through another type, by another form
// -------------------------------------------------------

struct double_and_float {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    const auto wide = collective::dynamic_shared<double>(16);
    const auto narrow = collective::dynamic_shared<float>(32);
    if (threadIdx.x == 0) wide.store(3, 1.0);
    if (threadIdx.x == 1) (void)narrow.load(7);
  }
};
struct global_halves {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  double* memory;
  void operator()() const {
    if (threadIdx.x == 0) global_array<double>{memory, 1}.store(0, 1.0);
    if (threadIdx.x == 1) {
      (void)global_array<float>{reinterpret_cast<float*>(memory), 2}.load(1);
    }
  }
};
struct short_neighbors {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  global_array<short> a;
  void operator()() const { a.store(threadIdx.x, 1); }
};
struct short_in_an_int {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  int* memory;
  void operator()() const {
    if (threadIdx.x == 0) global_array<int>{memory, 1}.store(0, 1);
    if (threadIdx.x == 1) global_array<short>{reinterpret_cast<short*>(memory), 2}.store(1, 1);
  }
};
struct two_shuffles {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    if (threadIdx.x < 16) {
      (void)__shfl_down_sync(0xffffffffu, 1, 1);
    } else {
      (void)__shfl_up_sync(0xffffffffu, 1, 1);
    }
  }
};
struct beyond_its_size {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  global_array<int> a;
  void operator()() const { (void)a.load(40); }
};
struct nothing_at_all {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  void operator()() const {}
};

// --- kernels that break their contract
// ---------------------------------------------------------------

struct delivers_nothing {
  static constexpr const char* name() { return "delivers_nothing"; }
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction&, const collective::result_sink<Out>&, Launcher&) const {}
};
struct scratch_twice {
  static constexpr const char* name() { return "scratch_twice"; }
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction&, const collective::result_sink<Out>&, Launcher& on) const {
    (void)on.template scratch<int>(1);
    (void)on.template scratch<int>(1);
  }
};

}  // namespace

TEST_CASE("sum += a[threadIdx.x] into one place is a race") {
  std::vector<int> a(64, 1), sum(1);
  const std::vector<std::pair<void*, std::size_t>> arrays = {{a.data(), 256}, {sum.data(), 4}};
  CHECK_COMPLAINT(
      complaint_of(sum_into_one_place{{a.data(), 64}, {sum.data(), 1}}, {1, 64}, arrays),
      "without a barrier between");
  CHECK_COMPLAINT(complaint_of(sum_into_shared{{a.data(), 64}}, {1, 64}, arrays),
                  "reads what another thread writes, without a barrier between");
  CHECK_COMPLAINT(complaint_of(write_without_read{}, {1, 32}),
                  "writes what another thread writes, without a barrier between");
}

TEST_CASE("the last warp needs __syncwarp") {
  std::vector<int> a(64, 1), sum(1);
  const std::vector<std::pair<void*, std::size_t>> arrays = {{a.data(), 256}, {sum.data(), 4}};
  const global_array<int> in{a.data(), 64}, out{sum.data(), 1};
  CHECK(complaint_of(last_warp<true>{in, out}, {1, 64}, arrays) == "");
  CHECK(sum[0] == 64);
  CHECK_COMPLAINT(complaint_of(last_warp<false>{in, out}, {1, 64}, arrays),
                  "without a barrier between");
}

TEST_CASE("a barrier must be reached by all threads of the block, and be the same one") {
  CHECK_COMPLAINT(complaint_of(barrier_in_branch{}, {1, 64}),
                  "a barrier that not all threads reach");
  CHECK_COMPLAINT(complaint_of(two_barriers{}, {1, 64}), "a barrier that not all threads reach");
}

TEST_CASE("the mirrored tile needs its barrier") {
  std::vector<float> picture(64 * 64);
  const std::vector<std::pair<void*, std::size_t>> arrays = {
      {picture.data(), picture.size() * sizeof(float)}};
  const launch_shape shape{{4, 4}, {16, 16}};
  const global_array<float> out{picture.data(), picture.size()};
  CHECK(complaint_of(mirrored_tile<true>{out, 64}, shape, arrays) == "");
  CHECK(picture[0] == 15 * 15);
  CHECK(picture[64 * 17 + 20] == 30 * 27);
  CHECK_COMPLAINT(complaint_of(mirrored_tile<false>{out, 64}, shape, arrays), "of a shared array");
}

TEST_CASE("all lanes in a mask must come") {
  CHECK_COMPLAINT(complaint_of(shuffle_in_branch{}, {1, 64}), "lane 1 has returned");
  CHECK_COMPLAINT(complaint_of(vote_after_return{}, {1, 64}), "lane 7 has returned");
  CHECK_COMPLAINT(complaint_of(shuffle_at_a_barrier{}, {1, 32}), "lane 16 waits at");
  CHECK_COMPLAINT(complaint_of(not_in_its_mask{}, {1, 32}), "is not in the mask, 0xfffffffe");
  CHECK_COMPLAINT(complaint_of(from_a_lane_outside{}, {1, 32}),
                  "lane 20, which is not in the mask");
  std::vector<int> out(1);
  CHECK(complaint_of(half_a_warp{{out.data(), 1}}, {1, 32}, {{out.data(), 4}}) == "");
  CHECK(out[0] == 120);
}

TEST_CASE("accesses must be to what is there") {
  CHECK_COMPLAINT(complaint_of(unwritten{}, {1, 32}), "thread 31 reads shared memory that nobody");
  CHECK_COMPLAINT(complaint_of(beyond_shared{}, {1, 32}),
                  "writes element 32 of a shared array that has 32");
  CHECK_COMPLAINT(complaint_of(beyond_dynamic{}, {1, 32, 255}),
                  "takes 256 bytes of dynamic shared memory, and the launch has 255");
  CHECK(complaint_of(beyond_dynamic{}, {1, 32, 256}) == "");
  std::vector<int> a(100);
  CHECK_COMPLAINT(complaint_of(beyond_global{{a.data(), 128}}, {4, 32}, {{a.data(), 400}}),
                  "block 3, thread 4 writes 4 bytes");
  CHECK(complaint_of(word_of_ints{a.data(), 4}, {1, 32}, {{a.data(), 400}}) == "");
  CHECK_COMPLAINT(complaint_of(word_of_ints{a.data(), 5}, {1, 32}, {{a.data(), 400}}),
                  "which must be a multiple of 16");
}

namespace {

template <class T, bool Stores>
struct misaligned_shared {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  unsigned copy, at;
  void operator()() const {
    const auto memory = collective::dynamic_shared_bytes(256);
    for (unsigned w = threadIdx.x; w < 16; w += blockDim.x) {
      memory.store_word(16 * w, word{}, call_site::here());
    }
    __syncthreads();
    if (threadIdx.x != 5) return;
    if constexpr (Stores) {
      memory.store(copy, at, T{}, call_site::here());
    } else {
      (void)memory.load<T>(copy, at, call_site::here());
    }
  }
};
struct misaligned_word {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    collective::dynamic_shared_bytes(256).store_word(8 * threadIdx.x, word{}, call_site::here());
  }
};
struct three_ints {
  int x[3];
};

template <class T, bool Stores>
std::string misaligned(unsigned copy, unsigned at) {
  return complaint_of(misaligned_shared<T, Stores>{copy, at}, {1, 32, 256});
}

}  // namespace

TEST_CASE("shared memory is accessed at multiples of what is accessed") {
  const char* const four = "thread 5 accesses 4 bytes of shared memory at byte 6";
  CHECK_COMPLAINT((misaligned<int, false>(0, 6)), four);
  CHECK_COMPLAINT((misaligned<int, true>(0, 6)), four);
  CHECK_COMPLAINT((misaligned<double, false>(0, 20)), "8 bytes of shared memory at byte 20");
  CHECK_COMPLAINT((misaligned<double, true>(4, 16)), "8 bytes of shared memory at byte 20");
  CHECK_COMPLAINT((misaligned<word, false>(16, 8)), "16 bytes of shared memory at byte 24");
  CHECK_COMPLAINT((misaligned<three_ints, false>(0, 14)), "12 bytes of shared memory at byte");
  CHECK_COMPLAINT(complaint_of(misaligned_word{}, {1, 32, 256}),
                  "thread 1 accesses 16 bytes of shared memory at byte 8, which is misaligned");
  // Allowed: twelve bytes are loaded as three words of four bytes, and bytes and shorts from within
  // words.
  CHECK((misaligned<int, false>(0, 8)) == "");
  CHECK((misaligned<three_ints, true>(0, 12)) == "");
  CHECK((misaligned<short, false>(0, 6)) == "");
  CHECK((misaligned<char, false>(0, 7)) == "");
}

TEST_CASE("a kernel must not write the range") {
  const std::vector<int> a(64);
  emulation::launcher on(emulation::default_gpu, nullptr);
  on.allow(a.data(), 256, false);
  try {
    on.launch("wrong", beyond_global{{const_cast<int*>(a.data()), 64}}, {2, 32});
    FAIL_CHECK("nothing was thrown");
  } catch (const emulation_error& e) {
    INFO(e.what());
    CHECK(has(e.what(), "which is only read"));
  }
}

TEST_CASE("an exception of the op ends the launch, whatever the other threads wait for") {
  std::vector<int> values(1 << 20);
  std::iota(values.begin(), values.end(), 0);
  for (const int bad : {0, 77777, (1 << 20) - 1}) {
    const auto refuse = [bad](int x) -> long long {
      if (x == bad) throw std::string("refused");
      return x;
    };
    CHECK_THROWS_AS((void)wf::reduce(wf::emulated, wf::project(values, refuse)), std::string);
    CHECK(wf::reduce(wf::emulated, values) == (std::int64_t{1} << 19) * ((1 << 20) - 1));
  }
}

TEST_CASE("memory is one, whatever the types it is seen through") {
  CHECK_COMPLAINT(complaint_of(double_and_float{}, {1, 32, 128}), "without a barrier between");
  double memory = 0;
  CHECK_COMPLAINT(complaint_of(global_halves{&memory}, {1, 32}, {{&memory, 8}}),
                  "without a barrier between");
  std::vector<short> shorts(64);
  CHECK(complaint_of(short_neighbors{{shorts.data(), 64}}, {1, 64}, {{shorts.data(), 128}}) == "");
  int word = 0;
  CHECK_COMPLAINT(complaint_of(short_in_an_int{&word}, {1, 32}, {{&word, 4}}),
                  "without a barrier between");
}

TEST_CASE("lanes meet at one operation, and stay inside their arrays") {
  CHECK_COMPLAINT(complaint_of(two_shuffles{}, {1, 32}),
                  "waits at a shuffle with an inactive lane");
  std::vector<int> a(64);
  CHECK_COMPLAINT(complaint_of(beyond_its_size{{a.data(), 32}}, {1, 32}, {{a.data(), 256}}),
                  "reads element 40 of an array in global memory that has 32");
}

TEST_CASE("ranges may overlap, and the output may lie inside one") {
  std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto product = [](const auto& p) { return wf::get<0>(p) * wf::get<1>(p); };
  const std::span<const float> first(a.data(), 6), second(a.data() + 4, 6);
  CHECK(wf::reduce(wf::emulated, wf::project(wf::zip(first, second), product)) ==
        wf::reduce(wf::seq, wf::project(wf::zip(first, second), product)));
  wf::reduce_async(wf::emulated, std::span<const float>(a), wf::plus{}, a.data() + 3);
  CHECK(a[3] == 55);
}

TEST_CASE("shapes that no GPU takes, and kernels that do not do what they must") {
  emulation::launcher on(emulation::default_gpu, nullptr);
  CHECK_THROWS_AS(on.launch("wrong", nothing_at_all{}, {{65536, 65536}, 32}), unsupported_kernel);
  CHECK_THROWS_AS(on.launch("wrong", nothing_at_all{}, {1, 32, 1 << 20}), unsupported_kernel);
  CHECK_NOTHROW(on.launch("right", nothing_at_all{}, {{100, 2, 2}, {8, 2, 2}}));
  const std::vector<int> values(10, 1);
  CHECK_THROWS_AS((void)wf::reduce(wf::emulated.with_kernel(delivers_nothing{}), values), error);
  CHECK_THROWS_AS((void)wf::reduce(wf::emulated.with_kernel(scratch_twice{}), values), error);
  CHECK(wf::reduce(wf::emulated, values) == 10);
}

namespace {

template <class T>
struct beyond_bytes {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  bool stores;
  void operator()() const {
    const auto memory = collective::dynamic_shared_bytes(64);
    if (threadIdx.x != 3) return;
    if (stores) {
      memory.store(0, 64, T{}, call_site::here());
    } else {
      (void)memory.load<T>(0, 64, call_site::here());
    }
  }
};
struct beyond_run {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  void operator()() const {
    WARPFOLD_SHARED shared_array<int, 32> values;
    values.store(threadIdx.x, 1);
    __syncthreads();
    const collective::shared_span<int> all = values;
    if (threadIdx.x == 7) (void)all.load_run<4>(29, call_site::here());
  }
};
/// The first block fails while the second one waits for it.
struct never_posted {
  static constexpr int max_block = 1024;
  static constexpr bool calls_user_functions = false;
  collective::post* posts;
  std::atomic<bool>* waits;
  void operator()() const {
    if (blockIdx.x == 0) {
      // If one host thread runs all blocks, the second block has not started.
      for (int i = 0; i < 100 && !waits->load(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      (void)collective::dynamic_shared_bytes(1024, call_site::here());
    }
    waits->store(true);
    collective::post read[1];
    collective::await_posts(posts, read, 1, call_site::here());
  }
};

}  // namespace

TEST_CASE("bytes of shared memory are reported in words where they are words") {
  CHECK_COMPLAINT(complaint_of(beyond_bytes<int>{false}, {1, 32, 64}),
                  "reads element 16 of a shared array that has 16");
  CHECK_COMPLAINT(complaint_of(beyond_bytes<double>{true}, {1, 32, 64}),
                  "writes element 17 of a shared array that has 16");
  CHECK_COMPLAINT(complaint_of(beyond_bytes<char>{true}, {1, 32, 64}),
                  "writes element 64 of a shared array that has 64");
  CHECK_COMPLAINT(complaint_of(beyond_run{}, {1, 32}),
                  "reads element 32 of a shared array that has 32");
}

TEST_CASE("a block that waits for another ends when that one fails") {
  alignas(16) collective::post none[1] = {};
  std::atomic<bool> waits = false;
  CHECK_COMPLAINT(complaint_of(never_posted{none, &waits}, {2, 32}, {{none, sizeof none}}),
                  "takes 1024 bytes of dynamic shared memory, and the launch has 0");
}
