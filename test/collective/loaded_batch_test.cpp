// loaded_batch: the elements of a thread's chunks as a batch, of which the last chunks may lie
// beyond the end; the places of its elements in the range; and kernels that fold several runs a
// thread.
// needs: boost_context
#include <warpfold/collective/loaded_batch.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using wf::collective::chunk_positions;
using wf::collective::loaded_batch;

constexpr int unroll = 4, size = 2;

/// A run of chunks of two floats; chunk u has the elements 10 u and 10 u + 1, and those beyond the
/// end are far less than all others.
auto run_of(const chunk_positions& at) {
  const auto get = [at](int u, int k) {
    return at.has(u) ? static_cast<float>(10 * u + k) : -1000.0f;
  };
  return loaded_batch<unroll, size, decltype(get)>(get, at, {});
}

/// Says where it has seen each element.
struct sum_of_places {
  template <class T>
  std::size_t lift(const T&, std::size_t i) const {
    return i;
  }
  std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
};
struct sum_of_squares {
  template <class T>
  double lift(const T& x) const {
    return static_cast<double>(x) * x;
  }
  double operator()(double a, double b) const { return a + b; }
};

}  // namespace

TEST_CASE("chunks are the thread's as long as they start before the end") {
  const chunk_positions at{100, 10, 3, 4};  // chunks 3 and 7 of ten, but not 11
  CHECK(at.has(0));
  CHECK(at.has(1));
  CHECK(!at.has(2));
  CHECK(!at.has(3));
  const chunk_positions last{0, 10, 9, 1};
  CHECK(last.has(0));
  CHECK(!last.has(1));
}

TEST_CASE("a run has the elements of its own chunks only") {
  static_assert(decltype(run_of({}))::most == 8);
  for (unsigned chunks = 1; chunks <= 4; ++chunks) {
    INFO(chunks, " chunks");
    const auto run = run_of({0, 5 * chunks, 2, 5});
    CHECK(run.size() == 2 * chunks);
    CHECK(run.first() == 0);
    float sum = 0;
    double squares = 0;
    for (unsigned u = 0; u < chunks; ++u) {
      for (unsigned k = 0; k < 2; ++k) {
        const auto x = static_cast<float>(10 * u + k);
        sum += x;
        squares += static_cast<double>(x) * x;
      }
    }
    CHECK(run.fold(wf::plus{}) == sum);
    CHECK(run.fold(wf::minimum{}) == 0);
    CHECK(run.fold(sum_of_squares{}) == squares);
    const auto less = run.projected([](float x) { return x - 1; });
    CHECK(less.first() == -1);
    CHECK(less.size() == run.size());
    CHECK(less.fold(wf::plus{}) == sum - static_cast<float>(2 * chunks));
  }
}

TEST_CASE("places are those of the range") {
  // Chunks 3, 7, 11 and 15, from element 100 on.
  const chunk_positions at{100, 16, 3, 4};
  const auto run = run_of(at);
  CHECK(run.fold(sum_of_places{}) == 106 + 107 + 114 + 115 + 122 + 123 + 130 + 131);
  for (int u = 0; u < unroll; ++u) {
    for (int k = 0; k < size; ++k) {
      const float x = static_cast<float>(10 * u + k);
      CHECK(run.index_of([=](float y) { return y == x; }) ==
            100u + 2 * (3 + 4 * static_cast<unsigned>(u)) + static_cast<unsigned>(k));
    }
  }
  CHECK(run.index_of([](float x) { return x >= 10; }) == 114);  // the first of several
  // The last two chunks are beyond the end, and have the least values.
  const auto half = run_of({100, 8, 3, 4});
  CHECK(half.index_of([](float x) { return x < 0 || x == 11; }) == 115);
}

TEST_CASE("places have 64 bits") {
  const std::size_t from = std::size_t{1} << 40;
  CHECK(run_of({from, 0xffffffffu, 0xfffffff0u, 1}).index_of([](float x) { return x == 1; }) ==
        from + 2 * std::size_t{0xfffffff0u} + 1);
}

TEST_CASE("a thread's loads as several runs: all are counted, and places are the first ones") {
  // Eight loads a thread, four of them a run.
  std::vector<float> values(4 * 32 * 8 * 2 + 4 * 40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 64);
  const auto policy = wf::emulated.with_kernel(wf::kernel::single_pass<>{.block = 32, .grid = 1});
  for (const std::size_t n : {4u * 32u * 8u, 4u * 32u * 5u, 4u * 32u * 16u, 4u * 32u * 17u}) {
    INFO(n, " floats");
    const auto some = std::span<const float>(values).first(n);
    const auto m = wf::reduce(policy, some, wf::moments_op{});
    CHECK(m.count == static_cast<double>(n));
    CHECK(m.mean == 31.5);
    CHECK(m.m2 == doctest::Approx(341.25 * static_cast<double>(n)));
  }
  for (const std::size_t at : {0u, 515u, 1023u, 1024u, 2047u, 2100u}) {
    INFO("at ", at);
    values[at] = 1000;
    CHECK(wf::reduce(policy, values, wf::arg(wf::maximum{})).index == at);
    values[at] = 0;
  }
}
