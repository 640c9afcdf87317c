// tuning_text.hpp: a table of launches as text and back, from a file, and texts that are none.
#include <warpfold/tuning_text.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/sample_tuning.hpp"

using test::mb;
using test::sample;

namespace {

const std::string head =
    "warpfold tuning 1\ncompute_capability 90\nmultiprocessors 132\nl2_bytes 1000\n";

/// What is said of a text: rows behind `head`, which has four lines.
#define CHECK_ROWS_SAY(part, rows) \
  CHECK_SAYS(part, [&] { return wf::tuning_from_text(head + (rows)); })
#define CHECK_TEXT_SAYS(part, text) CHECK_SAYS(part, [&] { return wf::tuning_from_text(text); })

}  // namespace

TEST_CASE("a table is the same after it was text") {
  CHECK(wf::tuning_from_text(wf::to_text(sample())) == sample());
  for (const auto& gpu : test::some_gpus) {
    const wf::tuning t = wf::tuning::of(gpu);
    CHECK(wf::tuning_from_text(wf::to_text(t)) == t);
  }
  wf::tuning full = sample();
  full.count = wf::tuning::max_rows;
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

TEST_CASE("an invalid table throws, and the message names line and field") {
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
  CHECK_ROWS_SAY("cache is \"" + std::string(40, 'x') + "\"",
                 "0 512 1 " + std::string(40, 'x') + "\n");
  CHECK_ROWS_SAY("cache is \"" + std::string(40, 'x') + "...\"",
                 "0 512 1 " + std::string(5000, 'x'));
}

TEST_CASE("tables from files, and invalid files") {
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

TEST_CASE("enumerators by name, as a text writes them") {
  CHECK(wf::name_of(wf::caching::keep) == "keep");
  CHECK(wf::name_of(wf::caching::stream_seven_eighths) == "stream_seven_eighths");
  CHECK(wf::name_of(wf::caching::stream) == "stream");
  CHECK(wf::name_of(wf::loading::direct) == "direct");
  CHECK(wf::name_of(wf::loading::ahead) == "ahead");
}

TEST_CASE("errors name the text that the caller names") {
  CHECK_SAYS("warpfold: site.txt:1: the first line is not",
             [] { return wf::tuning_from_text("nothing", "site.txt"); });
}
