// Tables of launches: the library's own for several GPUs, what is refused, and their text.
#include <warpfold/tuning_text.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>

namespace wf = warpfold;

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

wf::device_info gpu_of(int capability, int multiprocessors, std::size_t l2_bytes) {
  wf::device_info info;
  info.compute_capability = capability;
  info.multiprocessors = multiprocessors;
  info.l2_bytes = l2_bytes;
  return info;
}

const wf::device_info h100 = gpu_of(90, 132, 50 * mb);
const wf::device_info some_gpus[] = {h100,
                                     gpu_of(90, 132, 60 * mb),  // H200
                                     gpu_of(75, 40, 4 * mb),    // T4
                                     gpu_of(70, 80, 0),
                                     gpu_of(100, 148, 126 * mb),
                                     gpu_of(86, 1, 1)};

/// A table of three rows, each field of which differs from what it is by default.
wf::tuning sample() {
  wf::tuning t;
  t.compute_capability = 90;
  t.multiprocessors = 132;
  t.l2_bytes = 50 * mb;
  t.rows[t.count++] = {0, 256, 1, wf::caching::keep};
  t.rows[t.count++] = {3 * mb, 32, 64, wf::caching::stream_three_quarters};
  t.rows[t.count++] = {~std::size_t{0}, 1024, 7, wf::caching::stream, wf::loading::ahead};
  return t;
}

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    (void)call();
    return "";
  } catch (const wf::invalid_tuning& e) {
    return e.what();
  }
}

#define CHECK_SAYS(part, ...)                               \
  {                                                         \
    const std::string said = refusal_of(__VA_ARGS__);       \
    INFO("it says: ", said);                                \
    CHECK(said.rfind("warpfold: ", 0) == 0);                \
    CHECK(said.find("warpfold: ", 1) == std::string::npos); \
    CHECK(said.find(part) != std::string::npos);            \
  }

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

const std::string head =
    "warpfold tuning 1\ncompute_capability 90\nmultiprocessors 132\nl2_bytes 1000\n";

/// What is said of a text: rows behind `head`, which has four lines.
#define CHECK_ROWS_SAY(part, rows) \
  CHECK_SAYS(part, [&] { return wf::tuning_from_text(head + (rows)); })
#define CHECK_TEXT_SAYS(part, text) CHECK_SAYS(part, [&] { return wf::tuning_from_text(text); })

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

TEST_CASE("copies run ahead from five times the cache on, where the GPU has such copies") {
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

TEST_CASE("a table is the same after it was text") {
  CHECK(wf::tuning_from_text(wf::to_text(sample())) == sample());
  for (const auto& gpu : some_gpus) {
    const wf::tuning t = wf::tuning::of(gpu);
    CHECK(wf::tuning_from_text(wf::to_text(t)) == t);
  }
  wf::tuning full = sample();
  full.count = wf::tuning::most_rows;
  for (int i = 0; i < full.count; ++i) {
    full.rows[i] = {static_cast<std::size_t>(i) * mb, 32u * static_cast<unsigned>(i + 1), 64,
                    static_cast<wf::caching>(i % 6), static_cast<wf::loading>(i % 2)};
  }
  CHECK(wf::tuning_from_text(wf::to_text(full)) == full);
  CHECK(wf::to_text(sample()) ==
        "warpfold tuning 1\n"
        "compute_capability 90\n"
        "multiprocessors 132\n"
        "l2_bytes 52428800\n"
        "# from_bytes  block  blocks  cache                  loads\n"
        "           0    256       1  keep                   direct\n"
        "     3145728     32      64  stream_three_quarters  direct\n"
        "18446744073709551615   1024       7  stream                 ahead\n");
}

TEST_CASE("comments, blank lines and blanks are as one likes") {
  const wf::tuning t = wf::tuning_from_text(
      "\n# measured on Monday\n \t\r\n  warpfold\ttuning 1 # the version\r\n"
      "0 64 3 stream_half# a row before the GPU\n"
      "l2_bytes 7\nmultiprocessors 5\n\ncompute_capability 75\n007 0064 3 keep\tdirect");
  CHECK(t.compute_capability == 75);
  CHECK(t.multiprocessors == 5);
  CHECK(t.l2_bytes == 7);
  REQUIRE(t.count == 2);
  CHECK(t.rows[0] == wf::tuning::row{0, 64, 3, wf::caching::stream_half});
  CHECK(t.rows[1] == wf::tuning::row{7, 64, 3, wf::caching::keep});
}

TEST_CASE("a text that is no table is refused, with the line and the field") {
  CHECK_TEXT_SAYS("the first line is not \"warpfold tuning 1\"", "");
  CHECK_TEXT_SAYS("tuning:2: the first line is not", "# only\n# comments");
  CHECK_TEXT_SAYS("tuning:1: the first line is not", "compute_capability 90\n");
  CHECK_TEXT_SAYS("tuning:2: the version is \"2\"; this library reads version 1",
                  "#\nwarpfold tuning 2\n");
  CHECK_TEXT_SAYS("tuning:1: the version is \"\"", "warpfold tuning\n");
  CHECK_TEXT_SAYS("tuning:1: \"beta\" is one word too many", "warpfold tuning 1 beta\n");

  const std::string row = "0 512 1 keep\n";
  CHECK_TEXT_SAYS("tuning: compute_capability is missing",
                  "warpfold tuning 1\nmultiprocessors 1\nl2_bytes 1\n" + row);
  CHECK_TEXT_SAYS("tuning: multiprocessors is missing",
                  "warpfold tuning 1\ncompute_capability 90\nl2_bytes 1\n" + row);
  CHECK_TEXT_SAYS("tuning: l2_bytes is missing",
                  "warpfold tuning 1\nmultiprocessors 1\ncompute_capability 90\n" + row);
  CHECK_ROWS_SAY("tuning: there are no rows", "");
  CHECK_ROWS_SAY("tuning:5: l2_bytes occurs twice", "l2_bytes 1000\n");
  CHECK_ROWS_SAY("tuning:6: \"colour\" is neither compute_capability", row + "colour 7\n");
  CHECK_TEXT_SAYS("tuning:2: multiprocessors is missing", "warpfold tuning 1\nmultiprocessors\n");
  CHECK_TEXT_SAYS("tuning:2: multiprocessors is \"-132\"; it takes a whole number",
                  "warpfold tuning 1\nmultiprocessors -132\n");
  CHECK_TEXT_SAYS("tuning:2: multiprocessors is 2147483648; it takes at most 2147483647",
                  "warpfold tuning 1\nmultiprocessors 2147483648\n");
  CHECK_TEXT_SAYS("tuning:2: l2_bytes is 18446744073709551616; it takes at most",
                  "warpfold tuning 1\nl2_bytes 18446744073709551616\n");
  CHECK_TEXT_SAYS("tuning:2: l2_bytes is \"50MB\"", "warpfold tuning 1\nl2_bytes 50MB\n");
  CHECK_TEXT_SAYS("tuning:2: \"2\" is one word too many", "warpfold tuning 1\nl2_bytes 1 2\n");

  CHECK_ROWS_SAY("tuning:5: from_bytes is \"-1\"", "-1 512 1 keep\n");
  CHECK_ROWS_SAY("tuning:6: from_bytes is \"4e6\"", row + "4e6 512 1 keep\n");
  CHECK_ROWS_SAY("tuning:6: from_bytes is 99999999999999999999999",
                 row + "99999999999999999999999 512 1 keep\n");
  CHECK_ROWS_SAY("tuning:5: block is missing", "0\n");
  CHECK_ROWS_SAY("tuning:5: block is \"512threads\"", "0 512threads 1 keep\n");
  CHECK_ROWS_SAY("tuning:5: block is 4294967808; it takes at most 4294967295",
                 "0 4294967808 1 keep\n");
  CHECK_ROWS_SAY("tuning:5: blocks is missing", "0 512\n");
  CHECK_ROWS_SAY("tuning:5: blocks is \"+1\"", "0 512 +1 keep\n");
  CHECK_ROWS_SAY("tuning:5: cache is missing", "0 512 1\n");
  CHECK_ROWS_SAY("tuning:5: cache is \"Keep\"; it takes keep, stream_quarter, stream_half",
                 "0 512 1 Keep\n");
  CHECK_ROWS_SAY("tuning:5: cache is \"0\"", "0 512 1 0\n");
  CHECK_ROWS_SAY("tuning:5: loads is \"keep\"; it takes direct or ahead", "0 512 1 keep keep\n");
  CHECK_ROWS_SAY("tuning:5: \"keep\" is one word too many", "0 512 1 keep ahead keep\n");
  const std::string rest = "multiprocessors 132\nl2_bytes 1000\n", ahead = "0 512 1 keep ahead\n";
  CHECK_TEXT_SAYS("tuning:5: row 0 of this tuning has loads ahead",
                  "warpfold tuning 1\ncompute_capability 89\n" + rest + ahead);
  CHECK_TEXT_SAYS("tuning: compute_capability is missing", "warpfold tuning 1\n" + ahead + rest);
  CHECK_TEXT_SAYS("which needs compute capability 9.0, but the tuning is for 8.9",
                  "warpfold tuning 1\n" + ahead + "compute_capability 89\n" + rest);
  CHECK(wf::tuning_from_text("warpfold tuning 1\n" + ahead + "compute_capability 90\n" + rest)
            .rows[0]
            .loads == wf::loading::ahead);

  // What check() refuses, at its line.
  CHECK_ROWS_SAY("tuning:5: row 0 of this tuning has from_bytes 1;", "1 512 1 keep\n");
  CHECK_ROWS_SAY("tuning:7: row 1 of this tuning has from_bytes 0;", row + "\n" + row);
  CHECK_ROWS_SAY("tuning:6: row 1 of this tuning has block 48; it takes a multiple of 32",
                 row + "1 48 1 keep\n7 99 1 keep\n");
  CHECK_ROWS_SAY("tuning:5: row 0 of this tuning has blocks 65", "0 512 65 keep\n");
  std::string rows;
  for (int i = 0; i < 17; ++i) rows += std::to_string(i) + " 512 1 keep\n";
  CHECK_ROWS_SAY("tuning:21: there are more rows than the maximum of 16", rows);

  // Nothing that a terminal would obey, and not all of a word without end.
  CHECK_ROWS_SAY("cache is \"?[31mred\"", "0 512 1 \x1b[31mred\n");
  CHECK_ROWS_SAY("cache is \"" + std::string(40, 'x') + "...\"",
                 "0 512 1 " + std::string(5000, 'x'));
}

TEST_CASE("a table from a file, and files that are none") {
  char folder[] = "/tmp/warpfold_tuning_XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/gpu.tuning";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  write(wf::to_text(sample()));
  CHECK(wf::read_tuning(path) == sample());
  write(head + "0 512 1 keep\n9 2048 1 keep\n");
  CHECK_SAYS(path + ":6: row 1 of this tuning has block 2048",
             [&] { return wf::read_tuning(path); });
  write(std::string(100000, '\n'));
  CHECK_SAYS(path + ": the file is longer than 64 KB", [&] { return wf::read_tuning(path); });
  CHECK_SAYS(path + ".missing: No such file", [&] { return wf::read_tuning(path + ".missing"); });
  CHECK_SAYS(std::string(folder) + ": Is a directory", [&] { return wf::read_tuning(folder); });
  std::filesystem::remove_all(folder);
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

TEST_CASE("a row's defaults, and a table for a GPU that says nothing of itself") {
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
