/// @file
/// Runs combinations: draws data from a seed and makes the calls. For a failure it searches the
/// smallest data that still fail.
///
/// A line of output is one JSON object: {"start": name}, {"done": name, "calls": n} or {"failure":
/// ...}.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/calls.hpp"

namespace fuzz {

inline std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return all + '"';
}

struct session {
  std::uint64_t seed = 1;
  /// A short run has fewer sizes and prints nothing.
  bool is_short = false;
  std::size_t calls = 0;
  std::size_t failures = 0;
  std::string last_failure;

  void say(const std::string& line) const {
    if (is_short) return;
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
};

/// The longest range for a policy, and the number of sizes to try.
struct extent {
  std::size_t longest;
  std::size_t sizes;
};
template <class Policy>
extent extent_of(const Policy&, bool is_short) {
#if defined(__CUDACC__)
  return {std::size_t{1} << 21, is_short ? 20u : 48u};
#else
  if constexpr (requires(const Policy& p) { p.counting(); }) {
    return {is_short ? 600u : 4500u, is_short ? 4u : 8u};  // wf::emulated: a microsecond an element
  } else {
    return {is_short ? 40000u : 140000u, is_short ? 12u : 24u};
  }
#endif
}

/// Whether the GPU answers no more calls of this process.
inline bool is_device_lost() {
#if defined(__CUDACC__)
  return cudaDeviceSynchronize() != cudaSuccess;
#else
  return false;
#endif
}

/// Sizes around those of chunks, warps, blocks, tiles and parts, and some at random.
inline std::vector<std::size_t> some_sizes(random_bits& random, const extent& e) {
  constexpr std::size_t boundaries[] = {
      1,   2,    3,    4,    8,    12,   16,   32,   64,    96,    128,   256,   384,   512,
      768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 65536, 131072};
  std::vector<std::size_t> sizes;
  if (random.below(4) == 0) sizes.push_back(0);
  for (std::size_t k = 0; k < e.sizes; ++k) {
    std::size_t n = 0;
    if (random.below(3) != 0) {
      n = boundaries[random.below(std::size(boundaries))] + random.below(5);
      n = n < 2 ? 1 : n - 2;
    } else {
      n = 1 + (random() >> (43 + random.below(20)));
    }
    if (n <= e.longest) sizes.push_back(n);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// --- data ----------------------------------------------------------------------------------------

/// Whether the projection is defined for an element, and the op takes what it gives.
template <class Projection, class Op, class T>
bool is_taken(const T& x) {
  const auto n = number_of{}(x);
  if (!Projection::takes(n)) return false;
  const auto projected = Projection{}(x);
  for (int k = 0; k < parts<std::remove_cvref_t<decltype(projected)>>::count; ++k) {
    if (!Op::takes(part(projected, k))) return false;
  }
  return true;
}

template <class Projection, class Op, class T>
T draw_taken(random_bits& random, values_kind kind, std::uint64_t mask) {
  for (int k = 0; k < 16; ++k) {
    const T x = draw<T>(random, k < 8 ? kind : values_kind::whole, mask);
    if (is_taken<Projection, Op>(x)) return x;
  }
  T one{};
  for (int k = 0; k < parts<T>::count; ++k) set_part(one, k, static_cast<number_t<T>>(1));
  return one;
}

template <class View, class Projection, class Op, class T>
list<T> draw_values(random_bits& random, values_kind kind, std::size_t n) {
  const std::uint64_t mask = random();
  list<T> values;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<View, counting>) {
      // A small start, so that counting up does not overflow.
      if (i == 0) {
        values.push_back(static_cast<T>(static_cast<int>(random.below(100))));
      } else {
        values.push_back(static_cast<T>(static_cast<std::uint64_t>(values[0]) + i));
      }
    } else if (kind == values_kind::alike && i != 0) {
      values.push_back(values[0]);  // equal roundings add up
    } else {
      values.push_back(draw_taken<Projection, Op, T>(random, kind, mask));
    }
  }
  return values;
}

// --- the smallest data that fail -----------------------------------------------------------------

template <class T, class Takes, class Fails>
class shrinking {
 public:
  /// @param takes  whether an element may have a value
  shrinking(sample<T> s, const T& plain, bool is_axis, bool may_replace, const Takes& takes,
            const Fails& fails)
      : s_(std::move(s)),
        plain_(plain),
        is_axis_(is_axis),
        may_replace_(may_replace),
        takes_(takes),
        fails_(fails) {}

  sample<T> smallest() {
    for (bool smaller = true; smaller && !is_over();) {
      smaller = is_axis_ ? shrink_matrix() : shrink_range();
      smaller = try_offset() || smaller;
    }
    if (may_replace_) replace_values();
    return s_;
  }

 private:
  static constexpr std::size_t most_tries = 1500;

  bool is_over() const { return tries_ > most_tries || std::chrono::steady_clock::now() > end_; }

  bool try_instead(const sample<T>& other) {
    ++tries_;
    if (is_over() || !fails_(other)) return false;
    s_ = other;
    return true;
  }
  bool try_offset() {
    if (s_.offset == 0 && s_.gap == 0) return false;
    sample<T> other = s_;
    other.offset = other.gap = 0;
    return try_instead(other);
  }

  // Removes pieces: halves first, single elements last.
  bool shrink_range() {
    bool smaller = false;
    for (std::size_t piece = (s_.values.size() + 1) / 2; piece != 0 && !s_.values.empty();
         piece /= 2) {
      for (std::size_t end = s_.values.size(); end >= piece && end != 0;
           end = std::min(end - std::min(end, piece), s_.values.size())) {
        if (is_over()) return smaller;
        sample<T> other = s_;
        other.values.erase(other.values.begin() + static_cast<std::ptrdiff_t>(end - piece),
                           other.values.begin() + static_cast<std::ptrdiff_t>(end));
        if (!other.values.empty()) smaller = try_instead(other) || smaller;
      }
    }
    return smaller;
  }
  bool shrink_matrix() {
    const std::size_t rows = s_.rows, columns = s_.values.size() / rows;
    const auto corner = [&](std::size_t r, std::size_t c) {
      if (r == 0 || c == 0 || (r == rows && c == columns)) return false;
      sample<T> other = s_;
      other.values.clear();
      for (std::size_t i = 0; i < r * c; ++i) {
        other.values.push_back(s_.values[i / c * columns + i % c]);
      }
      other.rows = r;
      return try_instead(other);
    };
    return corner(1, columns) || corner(rows, 1) || corner(rows / 2, columns) ||
           corner(rows, columns / 2) || corner(rows - 1, columns) || corner(rows, columns - 1);
  }
  // Replaces as many values as possible by the plain one.
  void replace_values() {
    for (std::size_t piece = s_.values.size(); piece != 0; piece /= 2) {
      for (std::size_t first = 0; first < s_.values.size(); first += piece) {
        sample<T> other = s_;
        bool changes = false;
        for (std::size_t i = first; i < std::min(first + piece, s_.values.size()); ++i) {
          changes = changes || literal(other.values[i]) != literal(plain_);
          other.values[i] = plain_;
        }
        if (changes) try_instead(other);
        if (is_over()) return;
      }
    }
    // Replaces the rest by small numbers.
    for (std::size_t i = 0; i < std::min<std::size_t>(s_.values.size(), 64); ++i) {
      for (int k = 0; k < parts<T>::count; ++k) {
        const auto n = exactly(part(s_.values[i], k));
        for (const int small : {0, 1, -1, 2, 3}) {
          sample<T> other = s_;
          set_part(other.values[i], k, static_cast<number_t<T>>(small));
          if (n == small || !takes_(other.values[i]) || try_instead(other)) break;
        }
      }
    }
  }

  sample<T> s_;
  T plain_;
  bool is_axis_;
  bool may_replace_;
  const Takes& takes_;
  const Fails& fails_;
  std::size_t tries_ = 0;
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
};

template <class T>
std::string failure_line(const char* name, std::uint64_t seed, const sample<T>& s, const T& plain,
                         std::size_t found_with, const verdict& v) {
  std::string line = "{\"failure\": " + quoted(name) + ", \"seed\": " + std::to_string(seed) +
                     ", \"size\": " + std::to_string(s.values.size()) +
                     ", \"found_with\": " + std::to_string(found_with) +
                     ", \"offset\": " + std::to_string(s.offset) +
                     ", \"rows\": " + std::to_string(s.rows) +
                     ", \"gap\": " + std::to_string(s.gap) +
                     ", \"by_columns\": " + (s.by_columns ? "true" : "false") +
                     ", \"axis\": " + std::to_string(s.axis) + ", \"who\": " + quoted(v.who) +
                     ", \"got\": " + quoted(v.got) + ", \"want\": " + quoted(v.want) +
                     ", \"plain\": " + quoted(literal(plain)) + ", \"values\": {";
  std::size_t listed = 0;
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    if (literal(s.values[i]) == literal(plain)) continue;
    line +=
        (listed++ == 0 ? "\"" : ", \"") + std::to_string(i) + "\": " + quoted(literal(s.values[i]));
  }
  return line + "}}";
}

// --- one combination -----------------------------------------------------------------------------

/// Calls of one combination of types, with many data.
template <class T, class View, class Projection, class Op, class Call, class Policy>
void run(session& session, const char* name, const Policy& policy,
         std::size_t longest = ~std::size_t{0}) {
  session.say("{\"start\": " + quoted(name) + "}");
  constexpr bool is_axis =
      std::is_same_v<Call, reduce_axis> || std::is_same_v<Call, reduce_expression> ||
      std::is_same_v<Call, transform_axis> || std::is_same_v<Call, normalize_axis>;
  constexpr bool is_counting = std::is_same_v<View, counting>;
  std::uint64_t hash = session.seed;
  for (const char* c = name; *c != 0; ++c)
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
  random_bits random(hash);
  extent e = extent_of(policy, session.is_short);
  if constexpr (requires { Call::longest; }) longest = std::min(longest, Call::longest);
  e.longest = std::min({e.longest, longest, (std::size_t{1} << 23) / sizeof(T)});
  std::size_t calls = 0;
  const auto judge = [&](const sample<T>& s) {
    return Call::template judge<View, Projection, Op>(policy, s);
  };

  bool failed = false;
  for (const values_kind kind : all_kinds) {
    if (failed) break;
    std::vector<std::size_t> sizes = some_sizes(random, e);
#if defined(__CUDACC__)
    // Rarely a range far larger than the L2 cache, for which wf::device chooses bulk copies.
    if (!session.is_short && longest == ~std::size_t{0} && random.below(100) == 0) {
      sizes.push_back((std::size_t{1} << 26) / sizeof(T) + random.below((1 << 26) / sizeof(T)));
    }
#endif
    const list<T> values =
        draw_values<View, Projection, Op, T>(random, kind, sizes.empty() ? 1 : sizes.back());
    for (const std::size_t n : sizes) {
      sample<T> s;
      s.values.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
      constexpr std::size_t alignment = View::template alignment<T>;
      s.offset = random.below(3) == 0 ? 0 : random.below(64 / alignment) * alignment;
      if constexpr (is_axis) {
        s.axis = static_cast<int>(random.below(2));
        s.by_columns = random.below(2) != 0;
        s.gap = random.below(2) != 0 ? 0 : random.below(5);
        s.rows =
            random.below(2) == 0 ? 1 + random.below(40) : 1 + (random() >> (44 + random.below(20)));
        s.rows = std::min(s.rows, std::max<std::size_t>(n, 1));
        s.values.resize(n / s.rows * s.rows);
      }
      const verdict v = judge(s);
      calls += v.skipped ? 0 : 1;
      if (v.ok) continue;

      // -- a failure: the smallest data that show it
      T plain{};
      if (!is_taken<Projection, Op>(plain)) {
        for (int k = 0; k < parts<T>::count; ++k) set_part(plain, k, static_cast<number_t<T>>(1));
      }
      const auto fails = [&](const sample<T>& other) { return !judge(other).ok; };
      const bool lost = is_device_lost();
      if (!lost && n != 0 && fails(s)) {
        const auto takes = [](const T& x) { return is_taken<Projection, Op>(x); };
        s = shrinking(s, plain, is_axis, !is_counting, takes, fails).smallest();
      }
      verdict last = lost ? v : judge(s);
      if (last.ok) last = v;  // the failure is intermittent
      session.last_failure = failure_line(name, session.seed, s, plain, n, last);
      session.say(session.last_failure);
      if (lost || is_device_lost()) std::exit(3);
      ++session.failures;
      failed = true;
      break;
    }
  }
  session.calls += calls;
  session.say("{\"done\": " + quoted(name) + ", \"calls\": " + std::to_string(calls) + "}");
}

}  // namespace fuzz
