/// @file
/// A tuning table as text: `warpfold tune` writes it, people read and edit it, and
/// `wf::device.with` takes the table. Host only; no launches.
///
///     warpfold tuning 1
///     compute_capability 90
///     multiprocessors 132
///     l2_bytes 52428800
///     # from_bytes  block  blocks  cache        loads
///                0    512       1  keep         direct
///          4325376    512       2  keep         direct
///         15728640    512       2  stream_half  direct
///        262144000    512       8  keep         ahead
///
/// The first line states the version of the format. Then each field of the GPU follows once, and
/// one line for each row. A # starts a comment, and empty lines are skipped. Any number of blanks
/// separates words. A row without `loads` means `direct`.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <warpfold/core/shown_word.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold {

namespace detail {

// The names of the enumerators of `caching`, in their order.
inline constexpr std::string_view caching_names[] = {
    "keep",  "stream_quarter", "stream_half", "stream_three_quarters", "stream_seven_eighths",
    "stream"};
static_assert(static_cast<int>(caching::stream) + 1 ==
              sizeof caching_names / sizeof caching_names[0]);
static_assert(static_cast<int>(caching::keep) == 0);

// The names of the enumerators of `loading`, in their order.
inline constexpr std::string_view loading_names[] = {"direct", "ahead"};
static_assert(static_cast<int>(loading::direct) == 0 && static_cast<int>(loading::ahead) == 1);

/// Reads one text and keeps track of the line number.
class tuning_reader {
 public:
  /// @param text the text of a table
  /// @param name the name of the text in errors, for example its file
  tuning_reader(std::string_view text, const char* name) : rest_(text), name_(name) {}

  tuning read() {
    if (!next_line() || word() != "warpfold" || word() != "tuning") {
      fail("the first line is not \"warpfold tuning 1\"; a tuning starts with it");
    }
    const std::string_view version = word();
    if (version != "1") {
      fail("the version is \"", shown_word(version).c_str(), "\"; this library reads version 1");
    }
    expect_end();
    while (next_line()) {
      const std::string_view first = word();
      const bool is_name = (first[0] >= 'a' && first[0] <= 'z') ||
                           (first[0] >= 'A' && first[0] <= 'Z') || first[0] == '_';
      if (is_name) {
        read_field(first);
      } else {
        read_row(first);
      }
      expect_end();
    }
    for (int i = 0; i < 3; ++i) {
      if (!seen_[i])
        throw_error<invalid_tuning>("warpfold: ", name_, ": ", field_names[i], " is missing");
    }
    if (table_.count == 0)
      throw_error<invalid_tuning>("warpfold: ", name_, ": there are no rows; add at least one");
    table_.check();
    return table_;
  }

 private:
  static constexpr const char* field_names[] = {"compute_capability", "multiprocessors",
                                                "l2_bytes"};

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  // Advances to the next line that is not empty.
  bool next_line() {
    while (!rest_.empty()) {
      ++number_;
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      line_ = line_.substr(0, line_.find('#'));
      skip_blanks();
      if (!line_.empty()) return true;
    }
    return false;
  }

  void skip_blanks() {
    while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
  }

  // The next word of the line; empty at its end.
  std::string_view word() {
    std::size_t n = 0;
    while (n < line_.size() && !is_blank(line_[n])) ++n;
    const std::string_view w = line_.substr(0, n);
    line_.remove_prefix(n);
    skip_blanks();
    return w;
  }

  void expect_end() {
    const std::string_view more = word();
    if (!more.empty()) fail("\"", shown_word(more).c_str(), "\" is one word too many; remove it");
  }

  void read_field(std::string_view name) {
    for (int i = 0; i < 3; ++i) {
      if (name != field_names[i]) continue;
      if (seen_[i]) fail(field_names[i], " occurs twice; remove one");
      seen_[i] = true;
      const std::string_view value = word();
      constexpr auto most = static_cast<std::size_t>((std::numeric_limits<int>::max)());
      if (i == 0) table_.compute_capability = static_cast<int>(number(value, field_names[i], most));
      if (i == 1) table_.multiprocessors = static_cast<int>(number(value, field_names[i], most));
      if (i == 2) table_.l2_bytes = number(value, field_names[i], ~std::size_t{0});
      return;
    }
    fail("\"", shown_word(name).c_str(),
         "\" is neither compute_capability, multiprocessors, l2_bytes nor the start of a row");
  }

  void read_row(std::string_view from_bytes) {
    if (table_.count == tuning::max_rows)
      fail("there are more rows than the maximum of ", tuning::max_rows, " rows");
    constexpr unsigned most = (std::numeric_limits<unsigned>::max)();
    tuning::row& r = table_.rows[table_.count++];
    r.from_bytes = number(from_bytes, "from_bytes", ~std::size_t{0});
    r.block = static_cast<unsigned>(number(word(), "block", most));
    r.blocks = static_cast<unsigned>(number(word(), "blocks", most));
    r.cache = cache(word());
    r.loads = loads(word());
    tuning so_far = table_;
    if (!seen_[0]) so_far.compute_capability = (std::numeric_limits<int>::max)();
    so_far.check([&](auto... pieces) { fail(pieces...); });  // earlier rows have passed
  }

  std::size_t number(std::string_view digits, const char* field, std::size_t most) const {
    if (digits.empty()) fail(field, " is missing");
    std::size_t n = 0;
    bool too_large = false;
    for (const char c : digits) {
      if (c < '0' || c > '9') {
        fail(field, " is \"", shown_word(digits).c_str(),
             "\"; it takes a whole number, in digits only");
      }
      const auto digit = static_cast<std::size_t>(c - '0');
      if (n > (most - digit) / 10) too_large = true;
      n = n * 10 + digit;
    }
    if (too_large) fail(field, " is ", shown_word(digits).c_str(), "; it takes at most ", most);
    return n;
  }

  caching cache(std::string_view name) const {
    if (name.empty()) fail("cache is missing");
    int i = 0;
    for (const std::string_view known : caching_names) {
      if (name == known) return static_cast<caching>(i);
      ++i;
    }
    fail("cache is \"", shown_word(name).c_str(),
         "\"; it takes keep, stream_quarter, stream_half, stream_three_quarters, "
         "stream_seven_eighths or stream");
  }

  loading loads(std::string_view name) const {
    if (name.empty() || name == loading_names[0]) return loading::direct;
    if (name == loading_names[1]) return loading::ahead;
    fail("loads is \"", shown_word(name).c_str(), "\"; it takes direct or ahead");
  }

  template <class... Pieces>
  [[noreturn]] void fail(const Pieces&... pieces) const {
    throw_error<invalid_tuning>("warpfold: ", name_, ":", number_, ": ", pieces...);
  }

  std::string_view rest_, line_;
  const char* name_;
  int number_ = 0;
  tuning table_;
  bool seen_[3] = {};
};

}  // namespace detail

/// Returns the name of a `caching` or a `loading`, as the text of a tuning writes it.
///
/// @param c one of the enumerators
/// @return the name; the text lives as long as the program
///
/// Cost: one read of an array. Errors: none.
///
/// ```cpp
/// std::string_view name = wf::name_of(wf::caching::keep);  // "keep"
/// ```
constexpr std::string_view name_of(caching c) { return detail::caching_names[static_cast<int>(c)]; }
constexpr std::string_view name_of(loading l) { return detail::loading_names[static_cast<int>(l)]; }

/// Returns the text of a table in the format described at the top of this file. `tuning_from_text`
/// returns the same table.
///
/// @param table the table
/// @return the text, ending with a newline
/// @throws invalid_tuning if no launch could use the table; the message names the field
///
/// Cost: one string.
///
/// ```cpp
/// const char* text = "warpfold tuning 1\ncompute_capability 90\nmultiprocessors 132\n"
///                    "l2_bytes 52428800\n0 512 1 keep direct\n";
/// std::string again = wf::to_text(wf::tuning_from_text(text));  // with a line of titles
/// ```
inline std::string to_text(const tuning& table) {
  table.check();
  std::string text = "warpfold tuning 1\ncompute_capability " +
                     std::to_string(table.compute_capability) + "\nmultiprocessors " +
                     std::to_string(table.multiprocessors) + "\nl2_bytes " +
                     std::to_string(table.l2_bytes) +
                     "\n# from_bytes  block  blocks  cache                  loads\n";
  constexpr std::size_t widest_name = name_of(caching::stream_three_quarters).size();
  const auto column = [&](std::size_t value, std::size_t width) {
    const std::string digits = std::to_string(value);
    if (digits.size() < width) text.append(width - digits.size(), ' ');
    text += digits;
  };
  for (int i = 0; i < table.count; ++i) {
    const tuning::row& r = table.rows[i];
    column(r.from_bytes, 12);
    text += "  ";
    column(r.block, 5);
    text += "  ";
    column(r.blocks, 6);
    text += "  ";
    text += name_of(r.cache);
    text.append(widest_name - name_of(r.cache).size() + 2, ' ');
    text += name_of(r.loads);
    text += '\n';
  }
  return text;
}

/// Returns the table in `text`. It does not check which GPU the table is for: the call that uses it
/// does, and `tuning::check_for`.
///
/// @param text in the format described at the top of this file
/// @param name the name of the text in errors, before the line number
/// @return the table
/// @throws invalid_tuning if the text is not a valid table; the message states the line and the
///     field
///
/// Cost: one read of the text; no allocation.
///
/// ```cpp
/// const wf::tuning table = wf::tuning_from_text(
///     "warpfold tuning 1\ncompute_capability 90\nmultiprocessors 132\n"
///     "l2_bytes 52428800\n0 512 1 keep direct\n");
/// const auto policy = wf::device.with(table);
/// ```
inline tuning tuning_from_text(std::string_view text, const char* name = "tuning") {
  return detail::tuning_reader(text, name).read();
}

/// Returns the table in a file. The file is read by this call only: keep the table, or the policy
/// made from it.
///
/// @param path the file, at most 64 KB
/// @return the table
/// @throws invalid_tuning as `tuning_from_text`, with the file's name; also if the file cannot be
///     read
///
/// Cost: one read of the file, and a buffer of 64 KB.
///
/// ```cpp
/// const auto policy = wf::device.with(wf::read_tuning("gpu.tuning"));
/// ```
inline tuning read_tuning(const std::string& path) {
  constexpr std::size_t max_bytes = 64 * 1024;  // far more than a table needs
  const auto fail = [&](const char* why) {
    throw_error<invalid_tuning>("warpfold: ", path.c_str(), ": ", why);
  };
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) fail(std::strerror(errno));
  std::string text(max_bytes + 1, '\0');
  const std::size_t n = std::fread(text.data(), 1, text.size(), file);
  const int problem = std::ferror(file) != 0 ? errno : 0;
  (void)std::fclose(file);
  if (problem != 0) fail(std::strerror(problem));
  if (n > max_bytes) fail("the file is longer than 64 KB, so it is not a tuning");
  text.resize(n);
  return tuning_from_text(text, path.c_str());
}

}  // namespace warpfold
