/// @file
/// Contenders on host threads: they take turns in random order, their results are compared before
/// anything is timed, and the medians are written as a record.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

template <class T>
void keep(const T& x) {
  asm volatile("" : : "r"(&x) : "memory");
}

struct contender {
  std::string name;
  std::function<double()> value;
  std::function<void(int)> repeat;
  bool is_other_work = false;  // to compare with, and no peer
  bool is_exact = false;       // its result equals that of the first contender
  double time = 0;
};

template <class F>
contender by(const char* name, F f) {
  return {name, [f] { return static_cast<double>(f()); },
          [f](int n) {
            for (int i = 0; i < n; ++i) keep(f());
          }};
}
template <class F>
contender exactly_by(const char* name, F f) {
  contender c = by(name, f);
  c.is_exact = true;
  return c;
}
template <class F>
contender other_work(const char* name, F f) {
  contender c = by(name, f);
  c.is_other_work = true;
  return c;
}

struct figure {
  std::string op, type;
  std::size_t bytes;
  int threads;
  std::vector<contender> contenders;
};
std::vector<figure> figures;
std::vector<std::string> words;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// The fastest peer's time over that of the first contender, wf::par.
struct comparison {
  double ratio;
  std::string peer;
};
comparison compared(const figure& f) {
  comparison c{0, ""};
  for (const contender& x : f.contenders) {
    if (x.name == "par" || x.name == "seq" || x.is_other_work) continue;
    const double ratio = x.time / f.contenders[0].time;
    if (c.peer.empty() || ratio < c.ratio) c = {ratio, x.name};
  }
  return c;
}

std::string name_of(const char* op, const char* type, std::size_t bytes) {
  return std::string(op) + " " + type + " " + std::to_string(bytes);
}
// True if the name of a case contains all words of the command line.
bool is_asked_for(const char* op, const char* type, std::size_t bytes) {
  const std::string name = name_of(op, type, bytes);
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& w) { return name.find(w) != std::string::npos; });
}

void measure(const char* op, const char* type, std::size_t bytes, int threads,
             std::vector<contender> contenders) {
  if (!is_asked_for(op, type, bytes)) return;
  const std::string name = name_of(op, type, bytes);
  const double want = contenders[0].value();
  for (const contender& c : contenders) {
    if (c.is_other_work) continue;
    const double got = c.value();
    if (c.is_exact ? got == want
                   : std::fabs(got - want) <=
                         1e-3 * (std::fabs(want) + std::sqrt(static_cast<double>(bytes)))) {
      continue;
    }
    std::cout << name << ": " << c.name << " gives " << got << " instead of " << want << "\n";
    std::exit(1);
  }
  const int repeats = static_cast<int>(2e6 / (static_cast<double>(bytes) / 20 + 30)) + 1;
  std::vector<std::vector<double>> times(contenders.size());
  // In random order: after a slow contender, others may have taken the shared cache.
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (int turn = 0; turn < 9; ++turn) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t k : order) {
      contenders[k].repeat(1);
      const auto start = clock_type::now();
      contenders[k].repeat(repeats);
      times[k].push_back(std::chrono::duration<double>(clock_type::now() - start).count() /
                         repeats);
      if (threads > 1 && contenders[k].name == "omp") {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }
  for (std::size_t k = 0; k < contenders.size(); ++k) contenders[k].time = median(times[k]);
  figures.push_back({op, type, bytes, threads, std::move(contenders)});
  const figure& f = figures.back();
  const comparison c = compared(f);
  std::printf("%-13s %-4s %10zu %3d %6.2f %-5s", op, type, bytes, threads, c.ratio, c.peer.c_str());
  for (const contender& x : f.contenders) {
    std::printf("  %s %.1f", x.name.c_str(), static_cast<double>(bytes) / x.time * 1e-9);
  }
  std::printf("\n");
  std::fflush(stdout);
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

const char* environment(const char* name, const char* otherwise) {
  const char* const given = std::getenv(name);
  return given != nullptr ? given : otherwise;
}

// Writes no record of some cases only, which would replace one of all.
void write_results() {
  if (!words.empty()) return;
  const std::filesystem::path folder =
      std::filesystem::path(environment("WARPFOLD_RESULTS", "benchmarks/results")) / "host";
  std::filesystem::create_directories(folder);
  const std::string variant = environment("WARPFOLD_VARIANT", "sizes");
  std::ofstream json(folder / (variant + ".json"));
  json << "{\n  \"cpu\": \"" << cpu_model()
       << "\",\n  \"cores\": " << std::thread::hardware_concurrency() << ",\n  \"compiler\": \""
       << __VERSION__ << "\",\n  \"flags\": \"" << environment("WARPFOLD_FLAGS", "")
       << "\",\n  \"commit\": \"" << environment("WARPFOLD_COMMIT", "unknown")
       << "\",\n  \"figures\": [\n";
  for (const figure& f : figures) {
    json << "    {\"op\": \"" << f.op << "\", \"type\": \"" << f.type
         << "\", \"bytes\": " << f.bytes << ", \"threads\": " << f.threads << ", \"gb_s\": {";
    for (const contender& c : f.contenders) {
      char figures_of[40];
      std::snprintf(figures_of, sizeof figures_of, "\"%s\": %.4g", c.name.c_str(),
                    static_cast<double>(f.bytes) / c.time * 1e-9);
      json << (&c == f.contenders.data() ? "" : ", ") << figures_of;
    }
    json << "}}" << (&f == &figures.back() ? "" : ",") << "\n";
  }
  json << "  ]\n}\n";
  std::cout << "wrote " << (folder / (variant + ".json")).string() << "\n";
}

}  // namespace
