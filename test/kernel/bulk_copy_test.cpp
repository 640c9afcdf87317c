// Bulk copies of more tiles than a block has stages, so that stages are refilled. On a small
// emulated GPU.
// needs: boost_context
// flags: -O1
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

#include "contract/oracle.hpp"

namespace {

using wf::kernel::bulk_copy;
using wf::kernel::tile_order;

constexpr unsigned stage_bytes = 1024;
constexpr unsigned blocks = 2;

auto policy_of(unsigned stages, tile_order order) {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = blocks;
  return wf::emulated.emulating(gpu).with_kernel(
      bulk_copy{.block = 32, .stages = stages, .stage_bytes = stage_bytes, .order = order});
}

/// `n` elements from a multiple of 16 bytes on, or one after it. None of two tiles are alike, and
/// no order of magnitude is lost in a sum of `float`.
template <class T>
class data {
 public:
  data(std::size_t n, std::size_t offset) : memory_(n + 2 * per_word + offset), size_(n) {
    while (reinterpret_cast<std::uintptr_t>(memory_.data() + first_) % 16 != 0) ++first_;
    first_ += offset;
    test::random_bits random(n + offset);
    for (std::size_t i = 0; i < n; ++i) {
      memory_[first_ + i] = static_cast<T>(random() % 100);
    }
  }
  std::span<const T> view() const { return std::span<const T>(memory_).subspan(first_, size_); }
  T& operator[](std::size_t i) { return memory_[first_ + i]; }

 private:
  static constexpr std::size_t per_word = 16 / sizeof(T);
  std::vector<T> memory_;
  std::size_t size_;
  std::size_t first_ = 0;
};

struct product_of_pair {
  template <class Pair>
  WARPFOLD_HD long long operator()(const Pair& p) const {
    return static_cast<long long>(wf::get<0>(p)) * static_cast<long long>(wf::get<1>(p));
  }
};

template <class T>
void check_refills() {
  constexpr std::size_t tile = stage_bytes / sizeof(T);  // elements
  for (const tile_order order : {tile_order::rounds, tile_order::pieces}) {
    for (const unsigned stages : {1u, 2u, 3u, 8u}) {
      const auto policy = policy_of(stages, order);
      // Tiles a block: fewer than stages, as many, and up to three times as many and one; with
      // whole tiles and with a rest.
      for (const std::size_t tiles : {stages - 1, stages, stages + 1, 2 * stages, 3 * stages + 1}) {
        for (const std::size_t rest : {std::size_t{0}, std::size_t{1}, tile / 2 + 3, tile + 7}) {
          for (const std::size_t offset : {0u, 1u}) {
            INFO(std::string(order == tile_order::rounds ? "rounds" : "pieces"), ", ", stages,
                 " stages, ", tiles, " tiles a block and ", rest, " elements, offset ", offset);
            data<T> values(blocks * tiles * tile + rest, offset);
            const auto v = values.view();
            if (v.empty()) continue;
            long long sum = 0;
            for (const T x : v) sum += static_cast<long long>(x);
            CHECK(static_cast<long long>(wf::reduce(policy, v, wf::plus{})) == sum);
            // The greatest is in the last tile, and the least anywhere.
            values[v.size() - 1] = static_cast<T>(101);
            const std::size_t least = v.size() * 2 / 3;
            const bool has_least = std::is_signed_v<T> && v.size() > 1;
            if (has_least) values[least] = static_cast<T>(-1);
            const auto greatest = wf::reduce(policy, v, wf::arg(wf::maximum{}));
            CHECK(greatest.index == v.size() - 1);
            CHECK(greatest.value == static_cast<T>(101));
            if (has_least) CHECK(wf::reduce(policy, v, wf::arg(wf::minimum{})).index == least);
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("stages that are filled again: chars") { check_refills<signed char>(); }
TEST_CASE("stages that are filled again: shorts") { check_refills<unsigned short>(); }
TEST_CASE("stages that are filled again: floats") { check_refills<float>(); }
TEST_CASE("stages that are filled again: doubles") { check_refills<double>(); }

TEST_CASE("several results at once, and two arrays, of stages that are filled again") {
  for (const unsigned stages : {1u, 2u, 3u}) {
    CAPTURE(stages);
    const auto policy = policy_of(stages, tile_order::rounds);
    const data<int> a(9001, 0), b(9001, 0);
    const auto op = wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}), wf::moments_op{});
    const auto [sum, least, greatest, spread] = wf::reduce(policy, a.view(), op);
    const auto [seq_sum, seq_least, seq_greatest, seq_spread] = wf::reduce(wf::seq, a.view(), op);
    CHECK(sum == seq_sum);
    CHECK(least == seq_least);
    CHECK(greatest.index == seq_greatest.index);
    CHECK(spread.count == 9001);
    CHECK(spread.variance() == doctest::Approx(seq_spread.variance()).epsilon(1e-12));

    const auto products = wf::project(wf::zip(a.view(), b.view()), product_of_pair{});
    long long dot = 0;
    for (std::size_t i = 0; i < 9001; ++i) dot += static_cast<long long>(a.view()[i]) * b.view()[i];
    CHECK(wf::reduce(policy, products, wf::plus{}) == dot);
  }
}

namespace {

/// What the launch of a sum of `n` floats by one block of a warp did, in stages of 256 floats.
wf::emulation::launch_counts counted(unsigned stages, std::size_t n) {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  const data<float> values(n, 0);
  const auto policy = wf::emulated.emulating(gpu).counting().with_kernel(
      bulk_copy{.block = 32, .stages = stages, .stage_bytes = 1024});
  (void)wf::reduce(policy, values.view());
  return policy.report().launches.at(0);
}

}  // namespace

TEST_CASE("every byte is copied once, and barriers are those of the tiles") {
  for (const unsigned stages : {1u, 2u, 8u}) {
    for (const std::size_t tiles : {1u, 2u, 3u, 5u, 9u}) {
      for (const std::size_t rest : {0u, 64u}) {
        INFO(stages, " stages, ", tiles, " tiles and ", rest, " floats");
        const auto c = counted(stages, tiles * 256 + rest);
        const std::size_t all = tiles + (rest != 0 ? 1 : 0);
        const auto copies = c.total(wf::emulation::traffic::bulk_copy);
        CHECK(copies.requests == all);
        CHECK(copies.bytes_used == (tiles * 256 + rest) * 4);
        // Once before the first tile; for each tile, whose wait is one; and before a stage is
        // filled again.
        CHECK(c.barriers == 1 + all + (all > stages ? all - stages : 0));
      }
    }
  }
}

TEST_CASE("which tiles a block takes") {
  // Four tiles of 128 doubles for two blocks. Beside the first one's number a one is lost.
  std::vector<double> memory(512 + 2);
  std::size_t first = 0;
  while (reinterpret_cast<std::uintptr_t>(memory.data() + first) % 16 != 0) ++first;
  const double large = 9007199254740992.0;  // 2^53
  memory[first] = large;
  memory[first + 128] = -large;
  memory[first + 256] = 1;
  const auto v = std::span<const double>(memory).subspan(first, 512);
  CHECK(wf::reduce(policy_of(2, tile_order::rounds), v) == 0);
  CHECK(wf::reduce(policy_of(2, tile_order::pieces), v) == 1);
}

TEST_CASE("tiles of more chunks than a block loads at once") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = blocks;
  const auto policy = wf::emulated.emulating(gpu).with_kernel(
      bulk_copy{.block = 32, .stages = 2, .stage_bytes = 8 * 1024});
  for (const std::size_t n : {5 * 8192u / 4, 40001u}) {
    const data<float> values(n, 1);
    double sum = 0;
    for (const float x : values.view()) sum += static_cast<double>(x);
    CHECK(static_cast<double>(wf::reduce(policy, values.view())) == sum);
    CHECK(wf::reduce(policy, values.view(), wf::arg(wf::maximum{})).index ==
          wf::reduce(wf::seq, values.view(), wf::arg(wf::maximum{})).index);
  }
}
