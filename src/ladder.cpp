#include "ladder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <warpfold/core/error.hpp>

#include "host_engines.hpp"
#include "printable.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

/// The speeds are relative to this kernel, the first of the Harris ladder.
constexpr std::string_view first_rung = "interleaved_addressing";

constexpr int samples = 21;
/// Slow kernels are timed for this long, but at least `least_samples` times.
constexpr double seconds_a_rung = 2;
constexpr int least_samples = 5;

// --- the data, and the expected result -----------------------------------------------------------

/// Pseudorandom bits that depend only on `i` (splitmix64).
std::uint64_t scattered(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// For sums, integers from -100 to 100: their sum is exact in every type and order, so a kernel
/// must give the same value as `wf::seq`. For extrema, integers of the whole range.
template <class T>
T number(std::uint64_t bits, op o) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return static_cast<T>(bits);
  } else if (o == op::plus) {
    return static_cast<T>(static_cast<int>(bits % 201) - 100);
  } else {
    return static_cast<T>(static_cast<std::int32_t>(bits));
  }
}

/// Elements on the host.
class host_numbers {
 public:
  host_numbers(element e, op o, std::size_t count)
      : memory_(count * bytes_of(e)), array_{e, memory_.data(), count, bytes_of(e)} {
    if (e == element::int32) fill<std::int32_t>(o);
    if (e == element::float32) fill<float>(o);
    if (e == element::float64) fill<double>(o);
    if (e == element::uint8) fill<std::uint8_t>(o);
  }
  const array& elements() const { return array_; }

 private:
  template <class T>
  void fill(op o) {
    auto* const to = reinterpret_cast<T*>(memory_.data());
    for (std::size_t i = 0; i < array_.count; ++i) to[i] = number<T>(scattered(i), o);
  }

  std::vector<std::byte> memory_;
  array array_;
};

value expected_of(const array& host, op o) {
  std::optional<value> total;
  seq_folds_engine.fold(host, o, total);
  return *total;
}

// --- measuring -----------------------------------------------------------------------------------

/// The result of one kernel at one size.
struct figure {
  enum class outcome {
    timed,
    wrong,        ///< the value differs from that of `wf::seq`; not timed
    unsupported,  ///< the kernel does not support this GPU or this range
    failed,       ///< it threw another exception
  };
  const rung* what = nullptr;
  outcome result = outcome::timed;
  std::string note;
  rung_call call;
  double seconds = 0;  ///< the median
  double spread = 0;   ///< the interquartile range
  int calls = 0;
};

/// The results of all kernels at one size.
struct run {
  array elements;
  std::vector<figure> figures;

  double first_seconds() const {
    for (const figure& f : figures) {
      if (f.what->name == first_rung) return f.seconds;
    }
    return 0;
  }
  bool all_right() const {
    return std::all_of(figures.begin(), figures.end(), [](const figure& f) {
      return f.result == figure::outcome::timed || f.result == figure::outcome::unsupported;
    });
  }
};

void time(ladder_gpu& gpu, figure& f) {
  std::vector<double> times;
  (void)gpu.cold_seconds(f.call);  // raises the clock and loads the code
  const double started = now();
  while (f.calls < samples && (f.calls < least_samples || now() - started < seconds_a_rung)) {
    times.push_back(gpu.cold_seconds(f.call));
    ++f.calls;
  }
  std::sort(times.begin(), times.end());
  f.seconds = times[times.size() / 2];
  f.spread = times[times.size() * 3 / 4] - times[times.size() / 4];
}

/// Removes the prefix that all messages of the library have.
std::string without_name(std::string_view message) {
  static constexpr std::string_view name = "warpfold: ";
  return std::string(message.starts_with(name) ? message.substr(name.size()) : message);
}

figure measure(ladder_gpu& gpu, std::size_t number, const array& on_device, op o,
               const value& expected) {
  figure f;
  f.what = &ladder_rungs()[number];
  try {
    f.call = gpu.reduce(number, on_device, o);
    if (f.call.result == expected) {
      time(gpu, f);
    } else {
      f.result = figure::outcome::wrong;
      f.note =
          "the value is " + to_string(f.call.result) + ", wf::seq gives " + to_string(expected);
    }
  } catch (const unsupported_kernel& e) {
    f.result = figure::outcome::unsupported;
    f.note = without_name(e.what());
  } catch (const std::exception& e) {
    f.result = figure::outcome::failed;
    f.note = without_name(e.what());
  }
  return f;
}

/// The facts that the tables show beside the figures.
struct circumstances {
  gpu_info gpu;
  op what = op::plus;
  double ceiling = 0;  ///< bytes a second
  std::size_t ceiling_bytes = 0;
};

// --- text ---------------------------------------------------------------------------------------

std::string count_text(std::size_t n) {
  if (n < 1024 || (n & (n - 1)) != 0) return with_commas(n);
  int log2 = 0;
  while ((std::size_t{1} << log2) < n) ++log2;
  return "2^" + std::to_string(log2);
}

std::string extent_text(const launch_extent& e) {
  std::string text = std::to_string(e.x);
  if (e.y != 1 || e.z != 1) text += "x" + std::to_string(e.y);
  if (e.z != 1) text += "x" + std::to_string(e.z);
  return text;
}

/// A figure of a source, with four digits.
std::string theirs(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return x > 0 ? text : "";
}

const std::vector<table::column>& columns() {
  using enum table::align;
  static const std::vector<table::column> all{
      {"kernel", left},    {"source", left}, {"source ms", right},  {"source GB/s", right},
      {"us", right},       {"GB/s", right},  {"of ceiling", right}, {"speed", right},
      {"launches", right}, {"grid", right},  {"block", right},      {"", left}};
  return all;
}

std::vector<std::string> cells_of(const figure& f, const run& r, const circumstances& c) {
  const source_figures& s = f.what->source;
  std::vector<std::string> cells{std::string(f.what->name),
                                 s.from == nullptr ? "" : std::string(s.from->name),
                                 theirs(s.milliseconds), theirs(s.gigabytes_per_second)};
  cells.resize(columns().size());
  if (f.result == figure::outcome::timed) {
    const double rate = static_cast<double>(r.elements.bytes()) / f.seconds;
    cells[4] = three_digits(f.seconds * 1e6);
    cells[5] = three_digits(rate / 1e9);
    cells[6] = three_digits(rate / c.ceiling * 100) + " %";
    if (r.first_seconds() > 0) cells[7] = ratio_text(r.first_seconds() / f.seconds);
  } else {
    cells[4] = f.result == figure::outcome::wrong         ? "WRONG"
               : f.result == figure::outcome::unsupported ? "-"
                                                          : "FAILED";
    cells[11] = f.note;
  }
  if (f.call.launches != 0) {
    cells[8] = std::to_string(f.call.launches);
    cells[9] = extent_text(f.call.grid);
    cells[10] = extent_text(f.call.block);
  }
  return cells;
}

std::string title_of(const run& r, const circumstances& c) {
  return count_text(r.elements.count) + " " + std::string(name_of(r.elements.type)) + ", " +
         std::string(name_of(c.what)) + ", " + bytes_text(static_cast<double>(r.elements.bytes()));
}

/// The meaning of the columns, one line each.
std::vector<std::string> notes(const circumstances& c) {
  std::vector<std::string> all{
      "us: the median of " + std::to_string(samples) +
          " calls (fewer for slow kernels), each with a cold L2 cache (flushed by writing 256 MB).",
      "of ceiling: plain 16-byte loads of " + bytes_text(static_cast<double>(c.ceiling_bytes)) +
          " reach " + three_digits(c.ceiling / 1e9) + " GB/s in this run.",
      "speed: relative to " + std::string(first_rung) +
          ". grid, block: those of the first launch."};
  std::vector<const source*> told;
  for (const rung& r : ladder_rungs()) {
    const source* const s = r.source.from;
    if (s == nullptr || std::find(told.begin(), told.end(), s) != told.end()) continue;
    told.push_back(s);
    std::string text = std::string(s->name) + ": " + std::string(s->title);
    if (!s->gpu.empty())
      text += "; on its " + std::string(s->gpu) + ", " + std::string(s->measured);
    all.push_back(text + ".");
  }
  if (c.what == op::plus) {
    all.push_back(
        "The kernels sum integers in 64 bits. CUB sums int32 in 32 bits, as its users do.");
  }
  return all;
}

std::string text_of(const run& r, const circumstances& c) {
  table t(columns());
  for (const figure& f : r.figures) {
    const bool bad = f.result == figure::outcome::wrong || f.result == figure::outcome::failed;
    t.add(cells_of(f, r, c), bad                                        ? table::style::red
                             : f.result == figure::outcome::unsupported ? table::style::faint
                                                                        : table::style::plain);
  }
  return bold(title_of(r, c)) + "\n" + t.text();
}

std::string markdown_of(const std::vector<run>& runs, const circumstances& c) {
  std::string text = "# The ladder on " + c.gpu.name + "\n\n";
  for (const std::string& note : notes(c)) text += "- " + note + "\n";
  for (const run& r : runs) {
    text += "\n## " + title_of(r, c) + "\n\n";
    std::string under = "|";
    for (const table::column& column : columns()) {
      text += "| " + column.title + " ";
      under += column.side == table::align::left ? "---|" : "---:|";
    }
    text += "|\n" + under + "\n";
    for (const figure& f : r.figures) {
      for (const std::string& cell : cells_of(f, r, c)) text += "| " + cell + " ";
      text += "|\n";
    }
  }
  return text;
}

// --- JSON ----------------------------------------------------------------------------------------

std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char ch : text) {
    if (ch == '"' || ch == '\\') all += '\\';
    all += static_cast<unsigned char>(ch) < 0x20 ? ' ' : ch;
  }
  return all + "\"";
}

std::string plain(double x, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  return text;
}

std::string json_of(const launch_extent& e) {
  return "[" + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + "]";
}

std::string json_of(const figure& f, const run& r) {
  std::string text = "{\"kernel\": " + quoted(f.what->name);
  const source_figures& s = f.what->source;
  if (s.from != nullptr) {
    text += ", \"source\": {\"name\": " + quoted(s.from->name);
    if (s.milliseconds > 0) {
      text += ", \"gpu\": " + quoted(s.from->gpu) + ", \"ms\": " + plain(s.milliseconds, 6) +
              ", \"bytes\": " + plain(s.bytes, 0);
    }
    if (s.gigabytes_per_second > 0) text += ", \"gb_s\": " + plain(s.gigabytes_per_second, 4);
    text += "}";
  }
  switch (f.result) {
    case figure::outcome::timed:
      text += ", \"us\": " + plain(f.seconds * 1e6, 3) +
              ", \"iqr_us\": " + plain(f.spread * 1e6, 3) +
              ", \"calls\": " + std::to_string(f.calls) +
              ", \"gb_s\": " + plain(static_cast<double>(r.elements.bytes()) / f.seconds / 1e9, 2);
      break;
    case figure::outcome::wrong:
      text += ", \"wrong\": " + quoted(f.note);
      break;
    case figure::outcome::unsupported:
      text += ", \"unsupported\": " + quoted(f.note);
      break;
    case figure::outcome::failed:
      text += ", \"failed\": " + quoted(f.note);
      break;
  }
  if (f.call.launches != 0) {
    text += ", \"launches\": " + std::to_string(f.call.launches) +
            ", \"grid\": " + json_of(f.call.grid) + ", \"block\": " + json_of(f.call.block);
  }
  return text + "}";
}

std::string json_of(const std::vector<run>& runs, const circumstances& c) {
  const char* const commit = std::getenv("WARPFOLD_COMMIT");
  std::string text = "{\n  \"gpu\": " + quoted(c.gpu.name) +
                     ",\n  \"commit\": " + quoted(commit != nullptr ? commit : "unknown") +
                     ",\n  \"cuda\": " + quoted(c.gpu.built_with) +
                     ",\n  \"driver_cuda\": " + quoted(c.gpu.driver) +
                     ",\n  \"op\": " + quoted(name_of(c.what)) +
                     ",\n  \"read_ceiling_gb_s\": " + plain(c.ceiling / 1e9, 1) +
                     ",\n  \"read_ceiling_bytes\": " + std::to_string(c.ceiling_bytes) +
                     ",\n  \"first_rung\": " + quoted(first_rung) + ",\n  \"runs\": [";
  for (const run& r : runs) {
    text += &r == &runs.front() ? "\n" : ",\n";
    text += "    {\"type\": " + quoted(name_of(r.elements.type)) +
            ", \"elements\": " + std::to_string(r.elements.count) +
            ", \"bytes\": " + std::to_string(r.elements.bytes()) + ", \"figures\": [";
    for (const figure& f : r.figures) {
      text += &f == &r.figures.front() ? "\n      " : ",\n      ";
      text += json_of(f, r);
    }
    text += "\n    ]}";
  }
  return text + "\n  ]\n}\n";
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(printable(path) + ": cannot write the file");
}

}  // namespace

int run_ladder(const ladder_options& options) {
  circumstances c;
  c.what = options.what;
  c.gpu = query_gpu();
  if (!c.gpu.usable) {
    throw no_device("warpfold: the ladder needs a usable GPU: ", c.gpu.name.c_str());
  }
  std::vector<std::size_t> sizes = options.sizes;
  if (sizes.empty()) sizes.push_back(std::size_t{1} << 22);
  const auto wanted = [&](const rung& r) {
    const auto& names = options.kernels;
    return names.empty() || std::find(names.begin(), names.end(), r.name) != names.end();
  };

  std::printf("%s\n", bold(c.gpu.name).c_str());
  std::fflush(stdout);
  status_line status;
  status.show("the read ceiling");
  ladder_gpu gpu;
  c.ceiling = gpu.read_ceiling();
  c.ceiling_bytes = gpu.ceiling_bytes();

  status.show("the data");
  const std::size_t most = *std::max_element(sizes.begin(), sizes.end());
  const host_numbers host(options.type, options.what, most);
  const device_copy device(host.elements(),
                           [&](std::size_t) { status.show("copying the data to the GPU"); });
  std::vector<run> runs;
  for (const std::size_t n : sizes) {
    run r{device.on_device().piece(0, n), {}};
    const value expected = expected_of(host.elements().piece(0, n), options.what);
    const std::span<const rung> rungs = ladder_rungs();
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      if (!wanted(rungs[i])) continue;
      status.show(count_text(n) + ": " + std::string(rungs[i].name) + ", " + std::to_string(i + 1) +
                  " of " + std::to_string(rungs.size()));
      r.figures.push_back(measure(gpu, i, r.elements, options.what, expected));
    }
    runs.push_back(std::move(r));
  }
  status.clear();
  for (const run& r : runs) std::printf("\n%s", text_of(r, c).c_str());
  std::printf("\n");
  for (const std::string& note : notes(c)) std::printf("%s\n", faint(note).c_str());
  if (!options.json.empty()) write(options.json, json_of(runs, c));
  if (!options.markdown.empty()) write(options.markdown, markdown_of(runs, c));
  return std::all_of(runs.begin(), runs.end(), [](const run& r) { return r.all_right(); }) ? 0 : 1;
}

}  // namespace warpfold::program
