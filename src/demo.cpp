// `warpfold demo`: reduces the arrays of a folder.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "coalescing.hpp"
#include "printable.hpp"
#include "regular_file.hpp"
#include "report.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

namespace fs = std::filesystem;

struct selected {
  std::string label;  // the name of the field or color, or empty
  array input;
};

/// For structs, each field that can be reduced; for pictures, each color. Otherwise the array; rows
/// of 3 floats are points.
std::vector<selected> selections(const npy_file& file) {
  const npy_header& h = file.header();
  std::vector<selected> all;
  for (const npy_field& f : h.fields) {
    if (f.type) all.push_back({f.name, file.select({f.name, false})});
  }
  if (!h.type) return all;
  const bool triples = !h.shape.empty() && h.shape.back() == 3;
  if (triples && h.shape.size() == 3 && h.type == element::uint8) {
    const array bytes = file.select();
    for (const char* const color : {"red", "green", "blue"}) {
      all.push_back({color, {element::uint8, bytes.data + all.size(), bytes.count / 3, 3}});
    }
    return all;
  }
  const bool points = triples && h.shape.size() == 2 && h.type == element::float32;
  return {{"", file.select({"", points})}};
}

/// The ops that say something about such elements.
std::vector<op> telling_ops(const selected& s, bool is_picture, bool has_labels) {
  const element e = s.input.type;
  if (is_picture || e == element::boolean) return {op::mean};
  if (e == element::float3) return {op::minimum, op::maximum};
  if (is_complex(e)) return {op::plus, op::norm};
  if (has_labels) return {op::mean, op::argmin, op::argmax};
  if (!s.label.empty()) return {op::mean, op::maximum};
  return {op::mean, op::norm, op::minimum, op::maximum};
}

std::string short_name(std::string_view name) {
  const auto colon = name.rfind(':');
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 1));
}

struct line {
  std::string label;
  op what;
  array input;
  std::vector<measurement> all;
};

std::string ratio_cell(const measurement& m, const measurement& first) {
  switch (m.result) {
    case measurement::outcome::timed:
      return ratio_text(m.seconds / first.seconds);
    case measurement::outcome::wrong:
      return "WRONG";
    case measurement::outcome::not_built:
      break;
    case measurement::outcome::failed:
      return "FAILED";
  }
  return "";
}

/// The measurement of a policy, unless it is the first, which ran, or has no such op.
const measurement* other(const line& l, const engine* how) {
  const auto found = std::find_if(l.all.begin() + 1, l.all.end(),
                                  [&](const measurement& m) { return m.how == how; });
  const bool built = found != l.all.end() && found->result != measurement::outcome::not_built;
  return built ? &*found : nullptr;
}

/// A table with a column for each policy that another one is compared with.
std::string table_of(const std::vector<line>& lines) {
  using enum table::align;
  std::vector<table::column> columns{
      {"", left}, {"value", right}, {"policy", left}, {"time", right}, {"GB/s", right}};
  std::vector<const engine*> shown;
  for (const measurement& m : lines.front().all) {
    if (std::none_of(lines.begin(), lines.end(), [&](const line& l) { return other(l, m.how); })) {
      continue;
    }
    shown.push_back(m.how);
    columns.push_back({"vs " + short_name(m.how->name), right});
  }
  table t(columns);
  for (const line& l : lines) {
    const measurement& first = l.all.front();
    const std::string label = printable(l.label) + (l.label.empty() ? "" : " ");
    std::vector<std::string> cells{label + std::string(name_of(l.what)), to_string(first.total),
                                   short_name(first.how->name), time_text(first.seconds),
                                   three_digits(first.gigabytes_per_second(l.input))};
    bool wrong = first.result == measurement::outcome::wrong;
    if (wrong) cells[1] += " WRONG";
    for (const engine* const how : shown) {
      const measurement* const m = other(l, how);
      cells.push_back(m != nullptr ? ratio_cell(*m, first) : "-");
      wrong = wrong || (m != nullptr && m->result == measurement::outcome::wrong);
    }
    t.add(cells, wrong ? table::style::red : table::style::plain);
  }
  return t.text();
}

/// The lines of the file NAME.txt in the folder of NAME.npy: a description, and then a label for
/// each element or none. Empty if there is no such file.
std::vector<std::string> words_of(const fs::path& npy) {
  constexpr std::size_t most = std::size_t{1} << 20;
  std::vector<std::string> lines;
  try {
    std::istringstream text(regular_file(fs::path(npy).replace_extension(".txt")).read(most));
    for (std::string line; std::getline(text, line);) {
      lines.push_back(printable(line.substr(0, line.find('\r'))));
    }
  } catch (const file_error&) {
    return {};  // most files have no description
  }
  return lines;
}

/// The reductions of one file.
struct reduced_file {
  std::vector<line> lines;
  std::string remark;  // why the host threads run them, or empty
  array whole;
  double copy_seconds = 0;
  std::vector<std::string> words;

  const value* find(std::string_view label, op o) const {
    for (const line& l : lines) {
      if (l.label == label && l.what == o) return &l.all.front().total;
    }
    return nullptr;
  }
  bool is_wrong() const {
    return std::any_of(lines.begin(), lines.end(), [](const line& l) {
      return l.all.front().result == measurement::outcome::wrong;
    });
  }
};

/// What the reductions say about the data, or an empty string.
std::string finding(const reduced_file& done) {
  char text[100];
  const value *const red = done.find("red", op::mean), *const green = done.find("green", op::mean),
                     *const blue = done.find("blue", op::mean);
  if (red != nullptr && green != nullptr && blue != nullptr) {
    std::snprintf(text, sizeof text, "mean color: red %.0f, green %.0f, blue %.0f of 255",
                  std::get<double>(*red), std::get<double>(*green), std::get<double>(*blue));
    return text;
  }
  const value *const low = done.find("", op::minimum), *const high = done.find("", op::maximum);
  if (low != nullptr && high != nullptr && std::holds_alternative<vec3>(*low)) {
    const vec3 a = std::get<vec3>(*low), b = std::get<vec3>(*high);
    std::snprintf(text, sizeof text, "extent: %.4g x %.4g x %.4g", double{b.x} - a.x,
                  double{b.y} - a.y, double{b.z} - a.z);
    return text;
  }
  // The place of the greatest element, in the first field with labels.
  for (const line& l : done.lines) {
    const auto* const at = std::get_if<place>(&l.all.front().total);
    if (at == nullptr || l.what != op::argmax || at->index + 1 >= done.words.size()) continue;
    const std::string found = to_string(l.all.front().total);
    return "greatest " + printable(l.label) + ": " + found.substr(0, found.find(' ')) + " (" +
           done.words[at->index + 1] + ")";
  }
  return {};
}

reduced_file reduce_all(const npy_file& file, std::vector<std::string> words) {
  measure_options options;
  options.budget = 0.05;
  reduced_file done;
  done.words = std::move(words);
  const std::vector<selected> all = selections(file);
  const bool is_picture = all.size() == 3 && all.front().label == "red";
  for (const selected& s : all) {
    const array& input = s.input;
    if (input.count == 0) continue;
    done.whole = input;
    const bench b(file, input, policy_choice::automatic);
    done.remark = b.remark();
    done.copy_seconds += b.copy_seconds();
    for (const op o : telling_ops(s, is_picture, done.words.size() > input.count)) {
      done.lines.push_back({s.label, o, input, b.run(o, options)});
    }
  }
  return done;
}

void print_where_it_runs(const std::string& remark) {
  const gpu_info gpu = query_gpu();
  const std::string where = gpu.usable ? "running on the GPU: " + gpu.name : remark;
  std::printf(
      "%s\n"
      "Each row has the time and GB/s of a policy. The last columns show how many times as fast "
      "as\n"
      "other policies it is; - means that a policy is not built for the type and op.\n",
      where.c_str());
}

void print(const fs::path& path, const npy_header& header, const reduced_file& done) {
  const std::string words = done.words.empty() ? "" : done.words.front();
  std::printf("\n%s%s%s\n", bold(printable(path.filename().string())).c_str(),
              words.empty() ? "" : ": ", words.c_str());
  if (done.lines.empty()) {
    std::printf("  no field can be reduced\n");
    return;
  }
  const bool structured = !header.type;
  std::printf(
      "  %s %s%s%s\n", with_commas(done.whole.count).c_str(),
      structured ? "structs" : std::string(name_of(done.whole.type)).c_str(),
      structured ? "" : (", " + bytes_text(static_cast<double>(done.whole.bytes()))).c_str(),
      done.copy_seconds > 0 ? (", copied to the GPU in " + time_text(done.copy_seconds)).c_str()
                            : "");
  if (const std::string text = finding(done); !text.empty()) {
    std::printf("  %s\n", bold(text).c_str());
  }
  std::fputs(table_of(done.lines).c_str(), stdout);
}

}  // namespace

int run_demo(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  const std::string name = printable(folder);
  if (error) throw std::runtime_error(name + ": cannot list the folder: " + error.message());
  if (files.empty()) throw std::runtime_error(name + ": the folder has no .npy file");
  std::sort(files.begin(), files.end());

  std::size_t skipped = 0;
  bool any_wrong = false, remarked = false;
  for (const fs::path& path : files) {
    try {
      const npy_file file(path.string());
      const reduced_file done = reduce_all(file, words_of(path));
      if (!std::exchange(remarked, true)) print_where_it_runs(done.remark);
      print(path, file.header(), done);
      any_wrong = any_wrong || done.is_wrong();
    } catch (const std::exception& e) {
      ++skipped;
      print_error(e.what());
    }
    std::fflush(stdout);
  }
  if (skipped != 0) {
    print_error(std::to_string(skipped) + " of " + std::to_string(files.size()) +
                " files were skipped");
  }
  if (!query_gpu().usable) show_emulation((fs::path(folder) / "ladder.svg").string());
  return any_wrong || skipped != 0 ? 1 : 0;
}

}  // namespace warpfold::program
