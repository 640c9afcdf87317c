// Tables of launches: the library's own for several GPUs, and tables that no launch could use.
#include <warpfold/tuning_text.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>

#include "kernel/sample_tuning.hpp"

using test::gpu_of;
using test::h100;
using test::mb;
using test::sample;
using test::some_gpus;

namespace {

/// What `check()`, `to_text` and `wf::device.with` say to the sample, changed.
template <class Change>
void check_refused(const char* part, const Change& change) {
  wf::tuning t = sample();
  change(t);
  CHECK_SAYS(part, [&] {
    t.check();
    return 0;
  });
  CHECK_SAYS(part, [&] { return wf::to_text(t); });
  CHECK_SAYS(part, [&] { return wf::device.with(t); });
  CHECK_SAYS(part, [&] {
    t.check_for(h100);
    return 0;
  });
}

}  // namespace

TEST_CASE("the library's own table says of every size what row_for says") {
  for (const auto& gpu : some_gpus) {
    INFO("l2_bytes ", gpu.l2_bytes, ", multiprocessors ", gpu.multiprocessors);
    const wf::tuning t = wf::tuning::of(gpu);
    t.check();
    t.check_for(gpu);
    CHECK(t.rows[0].from_bytes == 0);
    std::vector<std::size_t> sizes{0, 1, ~std::size_t{0}};
    for (int i = 0; i < t.count; ++i) {
      const std::size_t from = t.rows[i].from_bytes;
      if (i > 0) {
        CHECK(from > t.rows[i - 1].from_bytes);
        sizes.push_back(from - 1);
      }
      sizes.push_back(from);
      sizes.push_back(from + 1);
    }
    for (int bit = 0; bit < 64; ++bit) {
      const std::size_t power = std::size_t{1} << bit;
      for (const std::size_t n : {power - 1, power, power + 1, power + power / 2})
        sizes.push_back(n);
    }
    for (const std::size_t n : sizes) {
      INFO(n, " bytes");
      const wf::tuning::row& row = t.row_of(n);
      const wf::tuning::row direct = wf::tuning::row_for(n, gpu);
      CHECK(row.from_bytes <= n);
      CHECK(row.block == direct.block);
      CHECK(row.blocks == direct.blocks);
      CHECK(row.cache == direct.cache);
      CHECK(row.loads == direct.loads);
    }
  }
}

TEST_CASE("one block a multiprocessor for what they load at once, however small the cache") {
  for (const auto& gpu : some_gpus) {
    const std::size_t at_once = static_cast<std::size_t>(gpu.multiprocessors) * 256 * 128;
    CHECK(wf::tuning::row_for(at_once - 1, gpu).blocks == 1);
    CHECK(wf::tuning::row_for(at_once, gpu).blocks > 1);
  }
}

TEST_CASE("bulk copies from five times the L2 cache on, if the GPU has them") {
  for (const auto& gpu : some_gpus) {
    INFO("compute capability ", gpu.compute_capability);
    const wf::loading loads =
        gpu.compute_capability >= 90 ? wf::loading::ahead : wf::loading::direct;
    CHECK(wf::tuning::row_for(5 * gpu.l2_bytes, gpu).loads == loads);
    CHECK(wf::tuning::row_for(~std::size_t{0}, gpu).loads == loads);
    if (gpu.l2_bytes > 0) {
      CHECK(wf::tuning::row_for(5 * gpu.l2_bytes - 1, gpu).loads == wf::loading::direct);
    }
  }
}

TEST_CASE("the table is measured for the H100 and the H200, and computed for every other GPU") {
  using enum wf::tuning_source;
  const auto source = [](int capability, int multiprocessors, std::size_t l2_bytes) {
    return wf::tuning::source_of(gpu_of(capability, multiprocessors, l2_bytes));
  };
  CHECK(wf::tuning::source_of(h100) == measured);
  CHECK(source(90, 132, 60 * mb) == measured);  // H200
  CHECK(source(90, 114, 50 * mb) == computed);  // H100 PCIe
  CHECK(source(90, 132, 40 * mb) == computed);
  CHECK(source(100, 132, 50 * mb) == computed);
  CHECK(source(80, 108, 40 * mb) == computed);  // A100
  CHECK(source(75, 40, 4 * mb) == computed);    // T4
}

TEST_CASE("a computed table follows the multiprocessors, the L2 cache and the compute capability") {
  // RTX 5090 and RTX 4090: bulk copies on the first only, and rows that start at other sizes.
  const wf::tuning blackwell = wf::tuning::of(gpu_of(120, 170, 96 * mb));
  const wf::tuning ada = wf::tuning::of(gpu_of(89, 128, 72 * mb));
  CHECK(blackwell.row_of(480 * mb).loads == wf::loading::ahead);
  CHECK(ada.row_of(480 * mb).loads == wf::loading::direct);
  CHECK(blackwell.row_of(479 * mb).loads == wf::loading::direct);
  CHECK(ada.row_of(64 * mb).cache == wf::caching::stream_three_quarters);
  CHECK(blackwell.row_of(64 * mb).cache == wf::caching::stream_half);
  // Half the multiprocessors hold half the data at once.
  const auto first_of_two = [](int multiprocessors) {
    return wf::tuning::row_for(2 * mb, gpu_of(86, multiprocessors, 6 * mb)).blocks;
  };
  CHECK(first_of_two(82) == 1);
  CHECK(first_of_two(41) == 2);
}

TEST_CASE("tables are equal if the GPU and the rows are") {
  CHECK(sample() == sample());
  const auto differs = [](auto change) {
    wf::tuning t = sample();
    change(t);
    return !(t == sample()) && !(sample() == t);
  };
  CHECK(differs([](auto& t) { t.compute_capability = 80; }));
  CHECK(differs([](auto& t) { ++t.multiprocessors; }));
  CHECK(differs([](auto& t) { ++t.l2_bytes; }));
  CHECK(differs([](auto& t) { --t.count; }));
  CHECK(differs([](auto& t) { ++t.rows[2].blocks; }));
  CHECK(differs([](auto& t) { t.rows[1].cache = wf::caching::keep; }));
  CHECK(differs([](auto& t) { t.rows[1].loads = wf::loading::ahead; }));
  wf::tuning behind = sample();
  behind.rows[3].block = 64;  // not one of its rows
  CHECK(behind == sample());
}

TEST_CASE("a table that could not be launched is refused, and the field named") {
  sample().check();
  check_refused("compute_capability is negative", [](auto& t) { t.compute_capability = -90; });
  check_refused("multiprocessors is negative", [](auto& t) { t.multiprocessors = -1; });
  check_refused("count of rows is 0", [](auto& t) { t.count = 0; });
  check_refused("count of rows is -1", [](auto& t) { t.count = -1; });
  check_refused("count of rows is 17", [](auto& t) { t.count = 17; });
  check_refused("row 0 of this tuning has from_bytes 8", [](auto& t) { t.rows[0].from_bytes = 8; });
  check_refused("row 1 of this tuning has from_bytes 0", [](auto& t) { t.rows[1].from_bytes = 0; });
  check_refused("row 2 of this tuning has from_bytes 3145728",
                [](auto& t) { t.rows[2].from_bytes = 3 * mb; });
  for (const unsigned block : {0u, 1u, 48u, 1056u, 2048u, ~0u}) {
    const std::string part = "row 1 of this tuning has block " + std::to_string(block) + ";";
    check_refused(part.c_str(), [&](auto& t) { t.rows[1].block = block; });
  }
  for (const unsigned blocks : {0u, 65u, ~0u}) {
    const std::string part = "row 2 of this tuning has blocks " + std::to_string(blocks) + " ";
    check_refused(part.c_str(), [&](auto& t) { t.rows[2].blocks = blocks; });
  }
  check_refused("row 0 of this tuning has cache 6",
                [](auto& t) { t.rows[0].cache = static_cast<wf::caching>(6); });
  check_refused("row 0 of this tuning has loads 2",
                [](auto& t) { t.rows[0].loads = static_cast<wf::loading>(2); });
  check_refused("row 2 of this tuning has loads ahead, which needs compute capability 9.0",
                [](auto& t) { t.compute_capability = 89; });
}

TEST_CASE("the table of another GPU is refused, and what differs named") {
  const wf::tuning t = sample();
  t.check_for(h100);
  const auto on = [&](int capability, int multiprocessors, std::size_t l2_bytes) {
    return [&t, gpu = gpu_of(capability, multiprocessors, l2_bytes)] {
      t.check_for(gpu);
      return 0;
    };
  };
  CHECK_SAYS("its compute_capability is 90, but the GPU's is 80", on(80, 132, 50 * mb));
  CHECK_SAYS("its multiprocessors is 132, but the GPU's is 114", on(90, 114, 50 * mb));
  CHECK_SAYS("its l2_bytes is 52428800, but the GPU's is 62914560", on(90, 132, 60 * mb));
}

TEST_CASE("the library's own tables as they were measured") {
  CHECK(wf::to_text(wf::tuning::of(h100)) ==
        "warpfold tuning 1\n"
        "compute_capability 90\n"
        "multiprocessors 132\n"
        "l2_bytes 52428800\n"
        "# from_bytes  block  blocks  cache                  loads\n"
        "           0    256       2  keep                   direct\n"
        "      131073    512       2  keep                   direct\n"
        "      811008    256       2  keep                   direct\n"
        "     1081344    256       1  keep                   direct\n"
        "     4325376    256       2  keep                   direct\n"
        "    15728640    256       2  stream_quarter         direct\n"
        "    24117248    256       2  stream_half            direct\n"
        "    40894464    256       2  stream_three_quarters  direct\n"
        "    47185920    256       4  stream_three_quarters  direct\n"
        "    62914560    256       4  stream_seven_eighths   direct\n"
        "    94371840    256       4  stream                 direct\n"
        "   131072000    512       8  stream                 direct\n"
        "   262144000    512       8  keep                   ahead\n"
        "  2147483648    512       4  keep                   ahead\n");
  CHECK(wf::to_text(wf::tuning::of(gpu_of(75, 40, 4 * mb))) ==
        "warpfold tuning 1\n"
        "compute_capability 75\n"
        "multiprocessors 40\n"
        "l2_bytes 4194304\n"
        "# from_bytes  block  blocks  cache                  loads\n"
        "           0    256       2  keep                   direct\n"
        "      131073    512       2  keep                   direct\n"
        "      245760    256       2  keep                   direct\n"
        "      327680    256       1  keep                   direct\n"
        "     1258290    256       1  stream_quarter         direct\n"
        "     1310720    256       2  stream_quarter         direct\n"
        "     1929378    256       2  stream_half            direct\n"
        "     3271554    256       2  stream_three_quarters  direct\n"
        "     3774870    256       4  stream_three_quarters  direct\n"
        "     5033160    256       4  stream_seven_eighths   direct\n"
        "     7549740    256       4  stream                 direct\n"
        "    10485760    512       8  stream                 direct\n"
        "    20971520    512       8  keep                   direct\n"
        "  2147483648    512       4  keep                   direct\n");
}

TEST_CASE("tables whose first rows differ are not equal") {
  wf::tuning t = sample();
  t.rows[0].blocks = 3;
  CHECK_FALSE(t == sample());
}

TEST_CASE("the defaults of a row, and a table for a GPU without properties") {
  wf::tuning t;
  CHECK(t.compute_capability == 0);
  CHECK(t.multiprocessors == 0);
  CHECK(t.l2_bytes == 0);
  CHECK(t.count == 0);
  CHECK(t.rows[0].from_bytes == 0);
  CHECK(t.rows[0].block == 256);
  CHECK(t.rows[0].blocks == 2);
  t.count = 1;
  t.check();
  check_refused("row 1 of this tuning has cache -1",
                [](auto& changed) { changed.rows[1].cache = static_cast<wf::caching>(-1); });
}
