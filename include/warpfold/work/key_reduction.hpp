/// @file
/// The work object of `reduce_by_key` and `run_lengths`: keys, values, an op, and the outputs. A
/// run is a longest sequence of adjacent keys of which each equals the one before.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/results.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold {

namespace detail {

/// Replaces the values and the op of `run_lengths`: the result of a run is the number of its keys.
struct no_values {};

}  // namespace detail

/// Compares two keys with `==`.
struct equal_keys {
  WARPFOLD_ANY_SIDE
  template <class Key>
    requires requires(const Key& a, const Key& b) { static_cast<bool>(a == b); }
  WARPFOLD_HD constexpr bool operator()(const Key& a, const Key& b) const {
    return a == b;
  }
};

/// The folds of runs of equal keys, ready for a policy to run: the first key of run `r` goes to
/// element `r` of `keys_out`, and the fold of its values to element `r` of `values_out`.
/// `run(work)` returns the number of runs.
template <view Keys, class Values, class Op, class Equal, output_view KeysOut,
          output_view ValuesOut>
struct key_reduction {
  using kind = kinds::key_reduction;
  using keys_view = Keys;
  using values_view = std::conditional_t<std::is_same_v<Values, detail::no_values>, Keys, Values>;
  using key_type = typename Keys::value_type;

  /// True if there are values to fold; otherwise the results are the lengths of the runs.
  static constexpr bool has_values = !std::is_same_v<Values, detail::no_values>;
  static constexpr bool tells_memory = [] {
    if constexpr (has_values) {
      return tells_memory_v<Keys> && tells_memory_v<Values>;
    } else {
      return tells_memory_v<Keys>;
    }
  }();

  static constexpr bool has_size_in_memory = detail::has_size_in_memory<Keys>;

  Keys keys;
  Values values;
  Op op;
  Equal equal;
  KeysOut keys_out;
  ValuesOut values_out;

  /// The number of keys; if it lies in memory, its limit until it is read.
  WARPFOLD_HD std::size_t size() const { return keys.size(); }
  /// Reads the number of keys, if it lies in memory.
  inline WARPFOLD_HD void read_size(const auto& loads) { detail::read_size(keys, loads); }
  /// The same work on the keys that exist; reads their number on the host.
  /// @throws invalid_range if it is negative or larger than the range
  key_reduction settled() const {
    key_reduction own = *this;
    detail::read_size_on_host(own.keys);
    return own;
  }
  /// Checks the size that lies in memory.
  void require_valid_data() const
    requires has_size_in_memory
  {
    (void)settled();
  }

  /// True if key `i` equals the one before, which there must be.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD bool continues_run(std::size_t i) const {
    return are_equal(static_cast<key_type>(keys[i - 1]), static_cast<key_type>(keys[i]));
  }
  /// True if two adjacent keys are of one run.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD bool are_equal(const key_type& before, const key_type& own) const {
    return static_cast<bool>(detail::call(equal, before, own));
  }
  /// True if a run begins at key `i`.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD bool begins_run(std::size_t i) const { return i == 0 || !continues_run(i); }

  /// Writes key `i` as that of run `r`.
  template <class Stores>
  WARPFOLD_HD void write_key(std::size_t r, std::size_t i, const Stores& stores) const {
    store_key(r, keys[i], stores);
  }
  /// Writes `key` as that of run `r`.
  template <class Stores>
  WARPFOLD_HD void store_key(std::size_t r, const key_type& key, const Stores& stores) const {
    keys_out.store_at(r, static_cast<typename KeysOut::value_type>(key), stores);
  }
  /// Writes the length of run `r`.
  template <class Stores>
  WARPFOLD_HD void write_length(std::size_t r, std::size_t length, const Stores& stores) const {
    values_out.store_at(r, static_cast<typename ValuesOut::value_type>(length), stores);
  }

  /// The folds of the values of segments.
  WARPFOLD_ANY_SIDE
  template <class Segments>
  WARPFOLD_HD auto folds_of(const Segments& segments) const {
    return segmented_reduction<Values, Segments, Op, no_init, ValuesOut>{
        values, segments, op, {}, {values_out}};
  }

#if defined(__CUDACC__)
  /// Names the user's functions. Never executed; see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const key_type* k = nullptr) const {
    if constexpr (detail::names_functions<Keys>) keys.name_user_functions();
    detail::name_call_as<bool>(equal, *k, *k);
    detail::name_conversion<typename KeysOut::value_type, key_type>();
    if constexpr (has_values) folds_of(detail::no_values{}).name_user_functions();
  }
#endif

  /// The most runs that there can be and that both outputs have room for.
  std::size_t room() const {
    const std::size_t both =
        keys_out.size() < values_out.size() ? keys_out.size() : values_out.size();
    return both < size() ? both : size();
  }
  /// Checks that the outputs are large enough and apart. Calls `count_runs()` only if that depends
  /// on the number of runs.
  /// @throws invalid_range as require_room(runs)
  template <class CountRuns>
    requires requires(const CountRuns& count) { count(); }
  void require_room(const CountRuns& count_runs) const {
    if (!has_room_for_all()) require_room(static_cast<std::size_t>(count_runs()));
  }

  /// True if both outputs have room for any number of runs, in memory of their own. A pointer
  /// counts as one to an element for each key. It may have fewer, so `require_room` decides. An
  /// output of unknown size (view/unsized.hpp) needs only a start of its own.
  bool has_room_for_all() const {
    if (keys_out.size() < size() || values_out.size() < size()) return false;
    bool is_apart = true;
    visit_pairs(size(), [&](const auto&, const auto&... memory) {
      is_apart = is_apart && !detail::overlap(memory...);
    });
    return is_apart;
  }

  /// @throws invalid_range if an output has fewer elements than there are runs, or if their
  ///     elements overlap what is read or those of the other output
  void require_room(std::size_t runs) const {
    if (keys_out.size() < runs) {
      throw_error<invalid_range>(
          "warpfold: the output of the keys has ", keys_out.size(), " elements, but there are ",
          runs, " runs of equal keys; pass an output of at least that many elements");
    }
    if (values_out.size() < runs) {
      throw_error<invalid_range>(
          "warpfold: the output of the results has ", values_out.size(),
          " elements, but there are ", runs,
          " runs of equal keys; pass an output of at least that many elements");
    }
    visit_pairs(runs, [](const auto& require, const auto&... memory) { require(memory...); });
  }

  /// @throws invalid_range if there is not one value for each key
  void require_valid() const {
    if constexpr (has_values) {
      if (values.size() != size()) {
        throw_error<invalid_range>(
            "warpfold: reduce_by_key needs one value for each key, but there are ", size(),
            " keys and ", values.size(), " values; pass ranges of one size");
      }
    }
  }

  template <class Visit>
  void visit_read(const Visit& visit) const {
    keys.visit_memory(visit);
    if constexpr (has_values) values.visit_memory(visit);
  }
  template <class Visit>
  void visit_written(const Visit& visit) const {
    keys_out.visit_memory(visit);
    values_out.visit_memory(visit);
  }

 private:
  // Calls `visit(pointer, bytes)` for the memory of the first `runs` elements, or for all memory of
  // an output that is no array.
  template <class Out, class Visit>
  static void visit_runs(const Out& out, std::size_t runs, const Visit& visit) {
    if constexpr (requires { requires Out::is_contiguous; }) {
      visit(static_cast<const void*>(out.data()), runs * sizeof(typename Out::value_type));
    } else {
      out.visit_memory([&](const void* p, std::size_t bytes, std::size_t) { visit(p, bytes); });
    }
  }

  // Calls `visit(require, to, bytes, other, bytes)` for the memory of `runs` elements of an output
  // and for what they must not overlap, which `require` checks.
  template <class Visit>
  void visit_pairs(std::size_t runs, const Visit& visit) const {
    if (runs == 0) return;
    const auto outside = [](const auto&... memory) { detail::require_outside_input(memory...); };
    const auto apart = [](const auto&... memory) { detail::require_own_memory(memory...); };
    const auto check_input = [&](const void* to, std::size_t written) {
      visit_read([&](const void* from, std::size_t read, std::size_t) {
        visit(outside, to, written, from, read);
      });
    };
    visit_runs(keys_out, runs, check_input);
    visit_runs(values_out, runs, check_input);
    visit_runs(keys_out, runs, [&](const void* a, std::size_t a_bytes) {
      visit_runs(values_out, runs,
                 [&](const void* b, std::size_t b_bytes) { visit(apart, a, a_bytes, b, b_bytes); });
    });
  }
};

}  // namespace warpfold
