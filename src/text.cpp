#include "text.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "printable.hpp"

namespace warpfold::program {
namespace {

std::string colored(const char* code, const std::string& text) {
  return has_colors() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

/// The number of terminal columns: one for each UTF-8 character.
std::size_t width_of(const std::string& text) {
  const auto continues = [](char c) { return (c & 0xc0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

}  // namespace

std::string with_commas(std::uint64_t n) {
  std::string text = std::to_string(n);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string three_digits(double x) {
  // A number that rounds up to 100 or 10 gets one decimal less, so that it has three digits.
  const int decimals = x < 9.995 ? 2 : x < 99.95 ? 1 : 0;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, x);
  return text;
}

namespace {

std::string with_unit(double x, const char* const* units, int count) {
  int i = 0;
  while (i + 1 < count && x >= 999.5) {
    x /= 1000;
    ++i;
  }
  return three_digits(x) + " " + units[i];
}

}  // namespace

std::string bytes_text(double bytes) {
  if (bytes < 999.5)
    return std::to_string(static_cast<int>(bytes)) + (bytes == 1 ? " byte" : " bytes");
  static constexpr const char* units[] = {"kB", "MB", "GB", "TB"};
  return with_unit(bytes / 1e3, units, 4);
}

std::string time_text(double seconds) {
  static constexpr const char* units[] = {"ns", "us", "ms", "s"};
  return with_unit(seconds * 1e9, units, 4);
}

std::string ratio_text(double ratio) {
  if (ratio >= 0.0995) return three_digits(ratio) + "x";
  char text[32];
  std::snprintf(text, sizeof text, "%.3fx", ratio);
  return text;
}

bool has_colors() {
  static const bool has = [] {
    const char* const no = std::getenv("NO_COLOR");
    const char* const term = std::getenv("TERM");
    const bool dumb = term != nullptr && std::string(term) == "dumb";
    // mpirun gives each process a terminal, even if it writes to a file itself.
    const bool is_own = std::getenv("OMPI_COMM_WORLD_RANK") == nullptr;
    return is_own && isatty(STDOUT_FILENO) == 1 && (no == nullptr || *no == '\0') && !dumb;
  }();
  return has;
}
std::string bold(const std::string& text) { return colored("1", text); }
std::string red(const std::string& text) { return colored("31", text); }
std::string faint(const std::string& text) { return colored("2", text); }

void print_error(const std::string& message) {
  const bool named = message.starts_with("warpfold: ");
  std::fprintf(stderr, "%s%s\n", named ? "" : "warpfold: ", printable_lines(message).c_str());
}

void table::add(std::vector<std::string> cells, style s) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), s});
}

std::string table::text(int indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = width_of(columns_[c].title);
    for (const row& r : rows_) width = std::max(width, width_of(r.cells[c]));
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string blanks(widths[c] - width_of(cells[c]), ' ');
      if (c != 0) text += "  ";
      text += columns_[c].side == align::left ? cells[c] + blanks : blanks + cells[c];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::vector<std::string> titles;
  for (const column& c : columns_) titles.push_back(c.title);
  std::string text = faint(line(titles)) + "\n";
  for (const row& r : rows_) {
    std::string l = line(r.cells);
    if (r.look == style::bold) l = bold(l);
    if (r.look == style::red) l = red(l);
    if (r.look == style::faint) l = faint(l);
    text += l + "\n";
  }
  return text;
}

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

status_line::status_line() : started_(now()), wanted_(isatty(STDERR_FILENO) == 1) {}

status_line::~status_line() { clear(); }

void status_line::clear() {
  if (shown_ != 0) std::fputs("\r\x1b[K", stderr);
  shown_ = 0;
}

bool status_line::is_due() const {
  const double t = now();
  return wanted_ && t - started_ >= 0.3 && t - shown_ >= 0.1;
}

void status_line::show(const std::string& text) {
  if (!is_due()) return;
  shown_ = now();
  std::fprintf(stderr, "\r\x1b[K  %s", text.c_str());
  std::fflush(stderr);
}

progress_line::progress_line(std::string what, std::uint64_t total_bytes)
    : what_(std::move(what)), total_(total_bytes), started_(now()) {}

void progress_line::add(std::uint64_t bytes) {
  done_ += bytes;
  if (!line_.is_due()) return;
  const double rate = static_cast<double>(done_) / (now() - started_) / 1e9;
  char text[96];
  std::snprintf(text, sizeof text, "  %.2f of %.2f GB  %s GB/s", static_cast<double>(done_) / 1e9,
                static_cast<double>(total_) / 1e9, three_digits(rate).c_str());
  line_.show(what_ + text);
}

}  // namespace warpfold::program
