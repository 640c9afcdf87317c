// `warpfold demo`: reduces the arrays of a folder.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "printable.hpp"
#include "regular_file.hpp"
#include "report.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

namespace fs = std::filesystem;

struct selected {
  std::string label;  // the name of the field, or empty
  npy_selection how;
};

/// For structs, each field that can be reduced. Otherwise the array; rows of 3 floats are points.
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

/// A table with a column for each policy that supports at least one of the lines.
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

/// The reductions of one file.
struct reduced_file {
  std::vector<line> lines;
  std::string remark;  // why the host threads run them, or empty
  array whole;
  double copy_seconds = 0;

  bool is_wrong() const {
    return std::any_of(lines.begin(), lines.end(), [](const line& l) {
      return l.all.front().result == measurement::outcome::wrong;
    });
  }
};

reduced_file reduce_all(const npy_file& file) {
  measure_options options;
  options.budget = 0.05;
  reduced_file done;
  for (const selected& s : selections(file.header())) {
    const array input = file.select(s.how);
    if (input.count == 0) continue;
    done.whole = input;
    const bench b(file, input, policy_choice::automatic);
    done.remark = b.remark();
    done.copy_seconds += b.copy_seconds();
    for (const op o :
         s.label.empty() ? telling_ops(input.type) : std::vector<op>{op::plus, op::maximum}) {
      const std::string what =
          (s.label.empty() ? "" : printable(s.label) + " ") + std::string(name_of(o));
      done.lines.push_back({what, input, b.run(o, options)});
    }
  }
  return done;
}

/// The first line of the file NAME.txt in the folder of NAME.npy, or an empty string.
std::string description_of(const fs::path& npy) {
  constexpr std::size_t most = 1000;
  try {
    const std::string text = regular_file(fs::path(npy).replace_extension(".txt")).read(most);
    return printable(text.substr(0, text.find_first_of("\r\n")));
  } catch (const file_error&) {
    return {};  // most files have no description
  }
}

void print_where_it_runs(const std::string& remark) {
  const gpu_info gpu = query_gpu();
  const std::string where = gpu.usable ? "running on the GPU: " + gpu.name : remark;
  std::printf(
      "%s\n"
      "The first columns show the time and GB/s of one policy. The other columns show the speeds "
      "of\n"
      "other policies relative to it; - means that a policy is not built for the type.\n",
      where.c_str());
}

void print(const fs::path& path, const npy_header& header, const reduced_file& done) {
  const std::string words = description_of(path);
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
      const reduced_file done = reduce_all(file);
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
  return any_wrong || skipped != 0 ? 1 : 0;
}

}  // namespace warpfold::program
