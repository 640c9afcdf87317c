/// @file
/// Numbers, tables, colors and errors for people to read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpfold::program {

/// "1,234,567".
std::string with_commas(std::uint64_t n);
/// "268 MB": powers of ten, three digits.
std::string bytes_text(double bytes);
/// "12.3 us", "4.56 ms", three digits.
std::string time_text(double seconds);
/// "24.9": three digits, no exponent.
std::string three_digits(double x);
/// "0.45x".
std::string ratio_text(double ratio);

/// Whether to print colors: standard output is a terminal, NO_COLOR is not set, and mpirun has not
/// started this process.
bool has_colors();
std::string bold(const std::string& text);
std::string red(const std::string& text);
std::string faint(const std::string& text);

/// Prints "warpfold: ..." to standard error. Messages of the library already begin with the name.
void print_error(const std::string& message);

/// Columns of text, as wide as their widest cell.
class table {
 public:
  enum class align { left, right };
  struct column {
    std::string title;
    align side = align::left;
  };
  enum class style { plain, bold, red, faint };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells, style s = style::plain);
  /// The number of rows.
  std::size_t size() const { return rows_.size(); }
  /// @param indent  blanks before each line
  std::string text(int indent = 2) const;

 private:
  struct row {
    std::vector<std::string> cells;
    style look;
  };
  std::vector<column> columns_;
  std::vector<row> rows_;
};

/// Seconds of a steady clock.
double now();

/// A line on standard error that shows the progress of a long operation, and is cleared at the end.
/// Prints nothing if standard error is not a terminal, or if the operation is quick.
class status_line {
 public:
  status_line();
  ~status_line();
  status_line(const status_line&) = delete;             // it clears its line once
  status_line& operator=(const status_line&) = delete;  // likewise

  /// Whether to update the line: first after a third of a second, then ten times per second.
  bool is_due() const;
  void show(const std::string& text);
  void clear();

 private:
  double started_;
  double shown_ = 0;
  bool wanted_;
};

/// Shows how many bytes are done, and the bandwidth.
class progress_line {
 public:
  progress_line(std::string what, std::uint64_t total_bytes);
  void add(std::uint64_t bytes);

 private:
  status_line line_;
  std::string what_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  double started_;
};

}  // namespace warpfold::program
