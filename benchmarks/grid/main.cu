// Runs the grid (grid.hpp) and writes benchmarks/results/<gpu>/grid.json in the current directory,
// or under WARPFOLD_RESULTS. benchmarks/report.py writes a report with pictures.
//
//     grid [ELEMENT...] [--op OP] [--most BYTES]
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "grid/grid.hpp"

namespace {

/// The elements in the order of the report.
std::vector<const grid::element*> elements() {
  const char* const order[] = {"i8",  "u8",  "i16", "i32",   "i64",   "f16",  "bf16",
                               "f32", "f64", "c32", "f32x3", "f32x5", "f32x7"};
  std::vector<const grid::element*> all;
  for (const grid::element* e = grid::element::first(); e != nullptr; e = e->next) all.push_back(e);
  const auto place = [&](const grid::element* e) {
    return std::find(std::begin(order), std::end(order), std::string(e->name)) - std::begin(order);
  };
  std::sort(all.begin(), all.end(),
            [&](const auto* a, const auto* b) { return place(a) < place(b); });
  return all;
}

/// `count` significant digits; the GPU's clock has no more.
std::string digits(double x, int count) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", count, x);
  return text;
}

/// Writes a line for each element, op, way and contender, with all sizes.
void write(const grid::table& t, double ceiling, double launch, double replayed) {
  const std::filesystem::path where = measure::results_folder() / "grid.json";
  std::ofstream json(where);
  json << "{\n  \"gpu\": \"" << measure::gpu_name() << "\",\n  \"commit\": \"" << measure::commit()
       << "\",\n  \"cub\": " << CUB_VERSION;
#if defined(GRID_NEWEST_CUB)
  json << ",\n  \"newest_cub\": " << grid_newest_cub_version();
#endif
  json << ",\n  \"read_ceiling_gb_s\": " << measure::fixed(ceiling * 1e-9, 1)
       << ",\n  \"empty_launch_us\": {\"cold\": " << measure::fixed(launch * 1e6, 3)
       << ", \"graph\": " << measure::fixed(replayed * 1e6, 3) << "},\n  \"element_bytes\": {";
  for (const char* comma = ""; const auto& [name, bytes] : t.element_bytes) {
    json << comma << '"' << name << "\": " << bytes;
    comma = ", ";
  }
  json << "},\n  \"rows\": [";
  for (const char* comma = "\n"; const grid::row& r : t.rows) {
    std::string n, us, iqr_us;
    for (const grid::row::figure& f : r.figures) {
      const char* const between = n.empty() ? "" : ",";
      n += between + std::to_string(f.n);
      us += between + digits(f.seconds * 1e6, 5);
      iqr_us += between + digits(f.spread * 1e6, 3);
    }
    json << comma << "    {\"element\":\"" << r.element << "\",\"op\":\"" << r.op << "\",\"way\":\""
         << r.way << "\",\"who\":\"" << r.who << "\",\"n\":[" << n << "],\"us\":[" << us
         << "],\"iqr_us\":[" << iqr_us << "]}";
    comma = ",\n";
  }
  json << "\n  ],\n  \"wrong\": [";
  for (const char* comma = "\n"; const grid::mistake& m : t.wrong) {
    json << comma << "    {\"element\":\"" << m.element << "\",\"op\":\"" << m.op << "\",\"who\":\""
         << m.who << "\",\"n\":" << m.n << "}";
    comma = ",\n";
  }
  json << (t.wrong.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace

int main(int argc, char** argv) {
  grid::table t;
#if defined(GRID_NEWEST_CUB)
  t.newest_cub_find = &grid_newest_cub_find;
#endif
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--op" && i + 1 < argc) {
      t.only_op = argv[++i];
    } else if (word == "--most" && i + 1 < argc) {
      t.max_bytes = std::strtoull(argv[++i], nullptr, 10);
    } else if (word[0] != '-') {
      wanted.push_back(word);
    } else {
      std::cerr << "usage: grid [ELEMENT...] [--op OP] [--most BYTES]\n";
      return 2;
    }
  }
  const bool takes_all = wanted.empty();
  std::vector<const grid::element*> chosen;
  for (const grid::element* e : elements()) {
    const auto named = std::find(wanted.begin(), wanted.end(), e->name);
    if (named != wanted.end() || takes_all) chosen.push_back(e);
    if (named != wanted.end()) wanted.erase(named);
  }
  if (!wanted.empty() || t.max_bytes < grid::block_bytes) {
    std::cerr << (wanted.empty() ? "--most is too small; pass at least " +
                                       std::to_string(grid::block_bytes) + " bytes"
                                 : "no element " + wanted.front())
              << "; elements:";
    for (const grid::element* e : elements()) std::cerr << ' ' << e->name;
    std::cerr << "; ops: sum min max product lambda\n";
    return 2;
  }
  if (!measure::has_gpu()) return 0;

  measure::gpu& g = measure::machine();
  const double ceiling = measure::read_ceiling(grid::memory(t.max_bytes), t.max_bytes);
  const auto empty = [&] { measure::nothing<<<1, 32, 0, g.stream>>>(); };
  std::vector<double> cold, replayed;
  const cudaGraphExec_t graph = g.graph_of(empty);
  for (int i = 0; i < 51; ++i) {
    cold.push_back(g.cold(empty));
    replayed.push_back(g.between([&] { measure::check(cudaGraphLaunch(graph, g.stream)); }) / 20);
  }
  std::cout << measure::gpu_name() << ", read ceiling " << measure::fixed(ceiling * 1e-9, 0)
            << " GB/s, empty launch " << measure::fixed(measure::median(cold) * 1e6, 2) << " us\n";
  for (const grid::element* e : chosen) {
    e->run(t);
    // Each time, so that a run that is interrupted keeps what it has measured.
    write(t, ceiling, measure::median(cold), measure::median(replayed));
  }
  std::cout << "wrote " << (measure::results_folder() / "grid.json").string() << "\n";
  return t.wrong.empty() ? 0 : 1;
}
