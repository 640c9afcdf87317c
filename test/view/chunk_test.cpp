// Chunks: how many elements fill whole words, and the loads of a global_loads, which the emulation
// reports where the hint was made.
// needs: boost_context
#include <warpfold/view/chunk.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

namespace wf = warpfold;

namespace {

struct not_constructible {
  explicit not_constructible(int v) : value(v) {}
  int value;
};

}  // namespace

TEST_CASE(
    "a chunk is the fewest elements that fill words, or one if those are more than 64 bytes") {
  using wf::detail::elements_per_chunk;
  CHECK(elements_per_chunk(1) == 16);
  CHECK(elements_per_chunk(2) == 8);
  CHECK(elements_per_chunk(4) == 4);
  CHECK(elements_per_chunk(8) == 2);
  CHECK(elements_per_chunk(16) == 1);
  CHECK(elements_per_chunk(12) == 4);  // float3: three words
  CHECK(elements_per_chunk(6) == 8);
  CHECK(elements_per_chunk(3) == 16);
  CHECK(elements_per_chunk(24) == 2);
  CHECK(elements_per_chunk(32) == 1);
  CHECK(elements_per_chunk(20) == 1);  // four of them would be 80 bytes
  CHECK(elements_per_chunk(5) == 1);   // sixteen, too
  CHECK(elements_per_chunk(100) == 1);
}

TEST_CASE("words and elements of a chunk are the same bytes") {
  static_assert(wf::chunk<float, 4>::words == 1 && wf::chunk<float, 4>::fills_words);
  static_assert(wf::chunk<double, 4>::words == 2);
  static_assert(!wf::chunk<int, 5>::fills_words);
  static_assert(alignof(wf::chunk<char, 16>) == wf::word_bytes);
  static_assert(std::is_default_constructible_v<wf::chunk<not_constructible, 4>>);
  alignas(16) const int values[4] = {5, 6, 7, 8};
  wf::chunk<int, 4> chunk;
  chunk.as_words[0] = wf::global_loads(wf::caching::stream).load_word(values);
  for (int k = 0; k < 4; ++k) CHECK(chunk.elements[k] == 5 + k);
}

namespace {

int made_at = 0;

/// Each thread loads one element and one word.
struct loads {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  const int* from;
  wf::collective::global_array<int> to;

  void operator()() const {
    made_at = __LINE__ + 1;
    const wf::global_loads hint(wf::caching::keep);
    const std::size_t i = wf::threadIdx.x;
    const wf::word w = hint.load_word(from + 4 * i);
    to.store(i, hint.load(from + i) + static_cast<int>(w.part[3]));
  }
};

}  // namespace

TEST_CASE("the emulation counts each load, at the line that made the hint") {
  std::vector<int> in(128), out(32);
  for (int i = 0; i < 128; ++i) in[static_cast<std::size_t>(i)] = i;
  wf::emulation::report counts;
  wf::emulation::launcher launcher(wf::emulation::default_gpu, &counts);
  launcher.allow(in.data(), in.size() * sizeof(int), false);
  launcher.allow(out.data(), out.size() * sizeof(int), true);
  launcher.launch("loads", loads{in.data(), {out.data(), out.size()}}, {.grid = 1, .block = 32});
  for (int i = 0; i < 32; ++i) CHECK(out[static_cast<std::size_t>(i)] == i + 4 * i + 3);

  int words = 0, elements = 0;
  for (const auto& site : counts.launches.front().sites) {
    if (site.what != wf::emulation::traffic::global_load) continue;
    CHECK(site.at.line == made_at);
    CHECK(site.lanes == 32);
    words += site.access_bytes == 16;
    elements += site.access_bytes == 4;
  }
  CHECK(words == 1);
  CHECK(elements == 1);
}
