// wf::wide: elements in chunks of 32 bytes, on host threads and in the emulation, where a chunk is
// two loads.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/view/wide.hpp>

#include <complex>

#include <warpfold/policy/emulated.hpp>

#include "contract/view_contract.hpp"

namespace {

/// Four ints, aligned to 4: at an odd multiple of 4 none of them is at a load's start.
struct four {
  int part[4];

  friend bool operator==(const four&, const four&) = default;
};

struct hash {
  long long operator()(const four& x) const {
    long long h = 0;
    for (const int part : x.part) h = h * 3 + part % 1000;
    return h;
  }
  template <class T>
  long long operator()(const T& x) const {
    return static_cast<long long>(x) % 1000;
  }
};

template <class T>
void check_wide() {
  constexpr std::size_t most = 16385;
  const auto values = test::any_values<T>(most);
  for (std::size_t offset = 0; offset < 32; offset += alignof(T)) {
    const test::host_memory::array<T> placed(values, offset);
    const auto first = [&](std::size_t n) { return std::span<const T>(placed.data(), n); };
    for (const std::size_t n : test::chunk_lengths) {
      INFO(n, " elements of ", sizeof(T), " bytes at offset ", offset);
      const auto view = wf::wide(first(n));
      test::check_chunks(view);
      CHECK(wf::bytes_of(view) == n * sizeof(T));
    }
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, most}) {
      INFO(n, " elements of ", sizeof(T), " bytes at offset ", offset);
      long long sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += hash{}(values[i]);
      const auto view = wf::project(wf::wide(first(n)), hash{});
      CHECK(wf::reduce(wf::seq, view) == sum);
      test::check_kernels(wf::emulated, view, wf::plus{}, sum);
    }
  }
}

}  // namespace

TEST_CASE("elements of 4, 8 and 16 bytes at every offset") {
  check_wide<int>();
  check_wide<float>();
  check_wide<double>();
  check_wide<four>();
}

TEST_CASE("a chunk is two words, also in projections and zips of the view") {
  static_assert(
      wf::view_of_t<decltype(wf::wide(std::declval<std::span<const float>>()))>::chunk_size == 8);
  const std::vector<double> values(1000, 0.5);
  const auto view = wf::wide(values);
  CHECK(view.chunk_size == 4);
  CHECK(wf::project(view, hash{}).chunk_size == 4);
  CHECK(wf::widest_load<decltype(wf::zip(view, values))>(100) == 32);
  CHECK(wf::widest_load<decltype(wf::zip(view, values))>(90) == 16);
  CHECK(wf::widest_load<decltype(wf::zip(values, values))>(100) == 16);
  CHECK(wf::reduce(wf::emulated, view) == 500.0);
  CHECK(wf::begin_of(view) == values.data());
  CHECK(wf::reduce(wf::emulated, wf::wide(std::span<const double>())) == 0.0);
}

namespace {

/// Counts words, each of which must be where words are aligned.
struct counting_words {
  int* count;
  wf::word load_word(const void* from) const {
    ++*count;
    CHECK(reinterpret_cast<std::uintptr_t>(from) % sizeof(wf::word) == 0);
    wf::word w;
    __builtin_memcpy(&w, from, sizeof w);
    return w;
  }
  template <class T>
  T load(const T* from) const {
    return *from;
  }
};

}  // namespace

TEST_CASE("chunks that begin anywhere are words where those are aligned") {
  const auto values = test::any_values<float>(100);
  for (const std::size_t offset : {0, 1, 4, 5}) {
    alignas(32) float placed[40];
    for (std::size_t i = 0; i < 40; ++i) placed[i] = values[i];
    const auto view = wf::wide(std::span<const float>(placed + offset, 32));
    CHECK(view.head() == (8 - offset) % 8);
    for (std::size_t i = 0; i < 16; ++i) {
      INFO("element ", i, " at offset ", offset);
      int words = 0;
      std::remove_const_t<decltype(view)>::chunk_type chunk;
      view.load_anywhere(chunk, i, counting_words{&words});
      CHECK(words == ((offset + i) % 8 == 0 ? 2 : 0));
      for (std::size_t k = 0; k < 8; ++k)
        CHECK(view.get(chunk, static_cast<int>(k)) == values[offset + i + k]);
    }
  }
}
