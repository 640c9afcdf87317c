// `warpfold demo`: a folder of arrays at a glance.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "report.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

struct selected {
  std::string label;  // of the field, or empty
  npy_selection how;
};

/// The fields of structs that can be reduced; else the whole array, points as points.
std::vector<selected> selections(const npy_header& h) {
  if (!h.type) {
    std::vector<selected> all;
    for (const npy_field& f : h.fields) {
      if (f.type) all.push_back({f.name, {f.name, false}});
    }
    return all;
  }
  const bool points = h.type == element::float32 && h.shape.size() == 2 && h.shape[1] == 3;
  return {{"", {"", points}}};
}

std::string short_name(std::string_view name) {
  const auto colon = name.rfind(':');
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

struct line {
  std::string what;
  array input;
  std::vector<measurement> all;
};

std::string ratio_cell(const measurement& m, const measurement& first) {
  switch (m.result) {
    case measurement::outcome::timed:
      return ratio_text(first.seconds / m.seconds);
    case measurement::outcome::wrong:
      return "WRONG";
    case measurement::outcome::not_built:
      return "-";
    case measurement::outcome::failed:
      return "FAILED";
  }
  return "";
}

/// A column for each policy that was built for any of the lines.
std::string table_of(const std::vector<line>& lines) {
  using enum table::align;
  const std::vector<measurement>& engines = lines.front().all;
  std::vector<table::column> columns{
      {"", left}, {"value", right}, {short_name(engines[0].how->name), right}, {"GB/s", right}};
  std::vector<std::size_t> shown;
  for (std::size_t i = 1; i < engines.size(); ++i) {
    const bool built = std::any_of(lines.begin(), lines.end(), [&](const line& l) {
      return l.all[i].result != measurement::outcome::not_built;
    });
    if (!built) continue;
    shown.push_back(i);
    columns.push_back({short_name(engines[i].how->name), right});
  }
  table t(columns);
  for (const line& l : lines) {
    const measurement& first = l.all.front();
    std::vector<std::string> cells{l.what, to_string(first.total), time_text(first.seconds),
                                   three_digits(first.gigabytes_per_second(l.input))};
    bool wrong = first.result == measurement::outcome::wrong;
    for (const std::size_t i : shown) {
      cells.push_back(ratio_cell(l.all[i], first));
      wrong = wrong || l.all[i].result == measurement::outcome::wrong;
    }
    t.add(cells, wrong ? table::style::red : table::style::plain);
  }
  return t.text();
}

}  // namespace

int run_demo(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  if (error) throw std::runtime_error(folder + ": cannot list it: " + error.message());
  if (files.empty()) throw std::runtime_error(folder + ": there is no .npy file in this folder");
  std::sort(files.begin(), files.end());

  measure_options options;
  options.budget = 0.05;
  int exit_code = 0;
  bool remarked = false;
  for (const fs::path& path : files) {
    const npy_file file(path.string());
    std::vector<line> lines;
    std::string remark;
    array whole;
    double copy_seconds = 0;
    for (const selected& s : selections(file.header())) {
      const array input = file.select(s.how);
      if (input.count == 0) continue;
      whole = input;
      const bench b(file, input, policy_choice::automatic);
      remark = b.remark();
      copy_seconds += b.copy_seconds();
      for (const op o :
           s.label.empty() ? telling_ops(input.type) : std::vector<op>{op::plus, op::maximum}) {
        const std::string what = (s.label.empty() ? "" : s.label + " ") + std::string(name_of(o));
        lines.push_back({what, input, b.run(o, options)});
        if (lines.back().all.front().result == measurement::outcome::wrong) exit_code = 1;
      }
    }
    if (!remarked) {
      const gpu_info gpu = query_gpu();
      const std::string where = gpu.usable ? "running on the GPU: " + gpu.name : remark;
      std::printf(
          "%s\n"
          "The columns after GB/s are speeds, relative to the policy that has the times;\n"
          "- is not built for the type.\n",
          where.c_str());
      remarked = true;
    }
    std::ifstream about(fs::path(path).replace_extension(".txt"));
    std::string words;
    std::getline(about, words);
    std::printf("\n%s%s%s\n", bold(path.filename().string()).c_str(), words.empty() ? "" : ": ",
                words.c_str());
    if (lines.empty()) {
      std::printf("  nothing in it can be reduced\n");
      continue;
    }
    const bool structured = !file.header().type;
    std::printf(
        "  %s %s%s%s\n", with_commas(whole.count).c_str(),
        structured ? "structs" : std::string(name_of(whole.type)).c_str(),
        structured ? "" : (", " + bytes_text(static_cast<double>(whole.bytes()))).c_str(),
        copy_seconds > 0 ? (", copied to the GPU in " + time_text(copy_seconds)).c_str() : "");
    std::fputs(table_of(lines).c_str(), stdout);
    std::fflush(stdout);
  }
  return exit_code;
}

}  // namespace warpfold::program
