/// @file
/// Calls of the library, one struct each. `judge<View, Projection, Op>(policy, sample)` makes the
/// call with the policy and with `wf::seq`, and compares both results with the plain loop.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_reduce.hpp>
#include <warpfold/transform_segments.hpp>

#include "fuzz/memory.hpp"
#include "fuzz/ops.hpp"
#include "fuzz/projections.hpp"
#include "fuzz/views.hpp"

namespace fuzz {

/// The data of one call, and their place in memory.
template <class T>
struct sample {
  list<T> values;
  std::size_t offset = 0;  ///< bytes from a multiple of 64
  // For calls of an axis: the rows, the layout and the axis. There are values.size() / rows
  // columns.
  std::size_t rows = 1;
  std::size_t gap = 0;  ///< elements between two rows
  bool by_columns = false;
  int axis = 0;
};

/// The outcome of a call. `skipped`: the kernel refused it with `unsupported_kernel`.
struct verdict {
  bool ok = true;
  bool skipped = false;
  std::string who;  ///< seq or the policy
  std::string got;
  std::string want;
};

// --- places --------------------------------------------------------------------------------------

template <class View, class List>
std::vector<unsigned char> bytes_of(const List& values) {
  using T = typename List::value_type;
  const std::size_t n = values.size();
  if constexpr (std::is_same_v<View, counting>) {
    return {};
  } else {
    std::vector<unsigned char> bytes(View::template bytes<T>(n), 0x5a);
    // A neighbor is a decoy that looks like the data.
    for (std::size_t i = 0; i < n; ++i) {
      View::write(bytes.data(), n, i, values[i], values[(i * 7 + 3) % n]);
    }
    if constexpr (requires { View::template write_count<T>(bytes.data(), n); }) {
      View::template write_count<T>(bytes.data(), n);
    }
    return bytes;
  }
}

template <class View, class Projection, class List>
auto range_of(const unsigned char* p, const List& values) {
  using T = typename List::value_type;
  const auto base = [&] {
    if constexpr (std::is_same_v<View, counting>) {
      return counting::from(values.empty() ? T{} : values[0], values.size());
    } else {
      return View::template of<T>(p, values.size());
    }
  }();
  if constexpr (std::is_same_v<Projection, identity>) {
    return base;
  } else {
    return wf::project(base, Projection{});
  }
}

template <class Projection, class T>
using projected_t = std::remove_cvref_t<decltype(Projection{}(std::declval<const T&>()))>;

// --- comparisons ---------------------------------------------------------------------------------

/// A result, or what was thrown.
template <class R>
struct outcome {
  std::optional<R> value;
  std::string error;
  bool refused = false;

  std::string text() const { return value ? show(*value) : error; }
};

template <class Call>
auto attempt(const Call& call) {
  outcome<decltype(call())> out;
  try {
    out.value.emplace(call());
  } catch (const wf::unsupported_kernel& e) {
    out.refused = true;
  } catch (const wf::empty_range&) {
    out.error = "empty_range";
  } catch (const std::exception& e) {
    out.error = e.what();
  }
  return out;
}

/// A result's text without the signs of NaN: compilers exchange the operands of an addition.
inline std::string without_signs_of_nan(std::string text) {
  for (std::size_t at; (at = text.find("-nan")) != std::string::npos;) text.erase(at, 1);
  return text;
}

template <class Policy>
inline constexpr bool is_par = std::string_view(Policy::name()) == "par";

/// True if `reduce` by a policy must give the bits of `wf::seq`: on the GPU and in the emulation by
/// the library's choice of kernel, or by in_order.
template <class Policy>
inline constexpr bool reduces_in_order = [] {
  for (const std::string_view name : {"par", "ranks", "gpus"}) {
    if (Policy::name() == name) return true;
  }
  return false;
}();
template <template <class> class Policy, class Kernel>
  requires requires { Kernel::name(); }
inline constexpr bool reduces_in_order<Policy<Kernel>> =
    std::string_view(Kernel::name()) == "automatic" ||
    std::string_view(Kernel::name()) == "in_order";

/// The same of rows, columns, segments, runs and lists, whatever the kernel for whole ranges is.
/// Ranks combine their parts of a group in their order.
template <class Policy>
inline constexpr bool folds_groups_in_order = is_par<Policy>;
template <template <class> class Policy, class Kernel>
  requires requires { Kernel::name(); }
inline constexpr bool folds_groups_in_order<Policy<Kernel>> = true;

/// Of elements: what `wf::seq` and the policy gave, beside the reference. An empty range has none:
/// both must agree.
template <bool IsInOrder, class R, class Reference>
verdict compare(const outcome<R>& seq, const outcome<R>& there, const Reference* reference) {
  verdict v;
  v.skipped = there.refused;
  if (v.skipped) return v;
  const auto fails = [&](const outcome<R>& out, const char* who) {
    v.ok = false;
    v.who = who;
    v.got = out.text();
  };
  if (reference == nullptr) {
    if (seq.text() != there.text()) fails(there, "policy");
    v.want = seq.text();
    return v;
  }
  v.want = reference->text();
  if (!seq.value || !reference->admits(*seq.value)) {
    fails(seq, "seq");
  } else if (!there.value || !reference->admits(*there.value)) {
    fails(there, "policy");
  } else if (IsInOrder && without_signs_of_nan(seq.text()) != without_signs_of_nan(there.text())) {
    v.want = seq.text();
    fails(there, "order");
  }
  return v;
}

/// For values whose indices count from `first`.
template <class Projection, class Op, class List>
auto reference_of(const List& values, std::size_t first = 0) {
  using T = typename List::value_type;
  typename Op::template reference<projected_t<Projection, T>> reference;
  for (std::size_t i = 0; i < values.size(); ++i) reference.add(Projection{}(values[i]), first + i);
  return reference;
}

// --- calls ---------------------------------------------------------------------------------------

struct reduce {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const auto call = [&](const auto& who, const unsigned char* p) {
      return attempt(
          [&] { return wf::reduce(who, range_of<View, Projection>(p, s.values), Op::op()); });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<reduces_in_order<Policy>>(call(wf::seq, here.data()), call(policy, there.data()),
                                             s.values.empty() ? nullptr : &reference);
  }
};

/// From an init on, which is the fold of the first element.
struct reduce_init {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    if (s.values.empty()) return {};
    const list<T> rest(s.values.begin() + 1, s.values.end());
    const auto bytes = bytes_of<View>(rest);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const projected_t<Projection, T> first[] = {Projection{}(s.values[0])};
    const auto init = wf::reduce(wf::seq, first, Op::op());
    const auto call = [&](const auto& who, const unsigned char* p) {
      return attempt(
          [&] { return wf::reduce(who, range_of<View, Projection>(p, rest), init, Op::op()); });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<reduces_in_order<Policy>>(call(wf::seq, here.data()), call(policy, there.data()),
                                             &reference);
  }
};

/// Into memory of the policy's, without waiting.
struct reduce_async {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    using result =
        decltype(wf::reduce(wf::seq, range_of<View, Projection>(nullptr, s.values), Op::op()));
    const auto call = [&](const auto& who, const unsigned char* p, const auto& slot) {
      return attempt([&] {
        wf::reduce_async(who, range_of<View, Projection>(p, s.values), Op::op(),
                         reinterpret_cast<result*>(slot.data()));
        result r;
        std::memcpy(static_cast<void*>(&r), slot.copy().data(), sizeof r);
        return r;
      });
    };
    const std::vector<unsigned char> nothing(sizeof(result));
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<reduces_in_order<Policy>>(
        call(wf::seq, here.data(), host_bytes(nothing, 0)),
        call(policy, there.data(), there_bytes(nothing, 0, use::output)),
        s.values.empty() ? nullptr : &reference);
  }
};

/// With a pointer and a count, or with two iterators, instead of the range. The projection is an
/// argument; `View` is not used.
struct forms {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const auto bytes = bytes_of<contiguous>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const auto n = static_cast<long>(s.values.size());
    const auto call = [&](const auto& who, const unsigned char* p) {
      return attempt([&] {
        const T* const first = contiguous::at<T>(p, 0);
        return n % 2 == 0 ? wf::transform_reduce(who, first, n, Op::op(), Projection{})
                          : wf::transform_reduce(who, first, first + n, Op::op(), Projection{});
      });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<reduces_in_order<Policy>>(call(wf::seq, here.data()), call(policy, there.data()),
                                             s.values.empty() ? nullptr : &reference);
  }
};

/// The function with a name of its own that calls `Op`. The projection is an argument.
struct named {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const auto call = [&](const auto& who, const unsigned char* p) {
      return attempt([&] {
        const auto range = range_of<View, identity>(p, s.values);
        if constexpr (std::is_same_v<Op, plus>) {
          return wf::sum(who, range, Projection{});
        } else if constexpr (std::is_same_v<Op, multiplies>) {
          return wf::product(who, range, Projection{});
        } else if constexpr (std::is_same_v<Op, minimum>) {
          return wf::min(who, range, Projection{});
        } else {
          static_assert(std::is_same_v<Op, maximum>);
          return wf::max(who, range, Projection{});
        }
      });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<reduces_in_order<Policy>>(call(wf::seq, here.data()), call(policy, there.data()),
                                             s.values.empty() ? nullptr : &reference);
  }
};

/// Into memory of the policy's that holds the fold of the first element.
struct accumulate {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    if (s.values.empty()) return {};
    const list<T> rest(s.values.begin() + 1, s.values.end());
    const auto bytes = bytes_of<View>(rest);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const projected_t<Projection, T> first[] = {Projection{}(s.values[0])};
    const auto init = wf::reduce(wf::seq, first, Op::op());
    std::vector<unsigned char> held(sizeof init);
    std::memcpy(held.data(), static_cast<const void*>(&init), sizeof init);
    using result = std::remove_const_t<decltype(init)>;
    const auto call = [&](const auto& who, const unsigned char* p, const auto& slot) {
      return attempt([&] {
        wf::reduce_async(who, range_of<View, Projection>(p, rest), Op::op(),
                         wf::accumulate(reinterpret_cast<result*>(slot.data())));
        result r;
        std::memcpy(static_cast<void*>(&r), slot.copy().data(), sizeof r);
        return r;
      });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<reduces_in_order<Policy>>(
        call(wf::seq, here.data(), host_bytes(held, 0)),
        call(policy, there.data(), there_bytes(held, 0, use::output)), &reference);
  }
};

/// @throws std::runtime_error if a call has written results from byte `from` on
inline void require_unchanged(const std::vector<unsigned char>& written, std::size_t from) {
  for (std::size_t i = from; i < written.size(); ++i) {
    if (written[i] != 0x77) throw std::runtime_error("a result behind the count");
  }
}

/// One axis of a matrix. The projection is a part of the op; `View` is not used.
///
/// If `OfSeveral`, of an expression of the matrix, the same matrix in the other layout, and a
/// vector of marks that repeats along the axis or across it. The projection is a part of the
/// expression.
///
/// If `Writes`, transform_axis writes each fold to all of its elements, and one of them is
/// compared.
///
/// If `IsCounted`, the array has more rows than memory says, and each row is folded.
template <bool OfSeveral, bool Writes = false, bool IsCounted = false>
struct axis_call {
  struct fold_alone {
    template <class X, class Fold>
    WARPFOLD_HD Fold operator()(const X&, const Fold& fold) const {
      return fold;
    }
  };

  template <class Projection, class Op>
  static auto op() {
    if constexpr (OfSeveral || std::is_same_v<Projection, identity>) {
      return Op::op();
    } else {
      return wf::all(wf::projected(Op::op(), Projection{}));
    }
  }

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const std::size_t rows = s.rows, columns = rows == 0 ? 0 : s.values.size() / rows;
    if (rows * columns != s.values.size() || s.values.empty()) return {};
    const std::size_t all_rows = rows + (IsCounted ? 2 : 0);
    const int axis = IsCounted ? 1 : s.axis;
    const std::size_t pitch = (s.by_columns ? all_rows : columns) + s.gap;
    const auto place = [&](std::size_t r, std::size_t c) {
      return s.by_columns ? c * pitch + r : r * pitch + c;
    };
    std::vector<unsigned char> bytes((place(all_rows - 1, columns - 1) + 1) * sizeof(T));
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
      contiguous::put(bytes.data(), i, s.values[i * 7 % s.values.size()]);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        contiguous::put(bytes.data(), place(r, c), s.values[r * columns + c]);
      }
    }
    const std::size_t turned = bytes.size();
    const int along = s.gap % 2 == 0 ? axis : 1 - axis;  // the dimension of the marks
    if constexpr (OfSeveral) {
      bytes.resize(2 * turned + (along == 0 ? all_rows : columns), same_in_both<Projection>::mark);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
          contiguous::put(bytes.data() + turned, s.by_columns ? r * columns + c : c * all_rows + r,
                          s.values[r * columns + c]);
        }
      }
    }
    const std::size_t count_at = (bytes.size() + 3) / 4 * 4;
    const std::size_t offset = IsCounted ? s.offset / 4 * 4 : s.offset;
    if constexpr (IsCounted) {
      bytes.resize(count_at + sizeof(int));
      contiguous::put(bytes.data() + count_at, 0, static_cast<int>(rows));
    }
    const host_bytes here(bytes, offset);
    const there_bytes there(bytes, offset);

    using all_op = decltype(op<Projection, Op>());
    using element = std::conditional_t<OfSeveral, projected_t<Projection, T>, T>;
    using result = wf::detail::axis_result_t<element, all_op>;
    const std::size_t count = axis == 0 ? columns : rows, length = axis == 0 ? rows : columns;
    const std::size_t results = Writes ? rows * columns : count;
    const std::size_t written = results + (all_rows - rows) * (Writes ? columns : 1);
    const std::vector<unsigned char> nothing(written * sizeof(result), 0x77);
    const auto call = [&](const auto& who, const unsigned char* p, const auto& target) {
      return attempt([&] {
        const strided<const T, 2> m(contiguous::at<T>(p, 0), {all_rows, columns},
                                    {s.by_columns ? 1 : pitch, s.by_columns ? pitch : 1});
        const std::span<result> out(reinterpret_cast<result*>(target.data()), written);
        const auto fold = [&](const auto& in) {
          if constexpr (IsCounted) {
            const auto some = wf::counted(in, reinterpret_cast<const int*>(p + count_at));
            if constexpr (Writes) {
              wf::transform_axis<1>(who, some, op<Projection, Op>(), out, fold_alone{});
            } else {
              wf::reduce_axis<1>(who, some, op<Projection, Op>(), out);
            }
          } else if constexpr (Writes) {
            const auto fold_of = op<Projection, Op>();
            if (axis == 0) {
              wf::transform_axis<0>(who, in, fold_of, out, fold_alone{});
            } else {
              wf::transform_axis<1>(who, in, fold_of, out, fold_alone{});
            }
          } else if (axis == 0) {
            wf::reduce_axis<0>(who, in, op<Projection, Op>(), out);
          } else {
            wf::reduce_axis<1>(who, in, op<Projection, Op>(), out);
          }
        };
        if constexpr (OfSeveral) {
          const strided<const T, 2> other(
              contiguous::at<T>(p + turned, 0), {all_rows, columns},
              {s.by_columns ? columns : 1, s.by_columns ? 1 : all_rows});
          const auto* const first = p + 2 * turned;
          const std::span<const unsigned char> marks(first, along == 0 ? all_rows : columns);
          const same_in_both<Projection> f{};
          if (along == 0) {
            fold(wf::project(wf::zip(m, other, wf::broadcast<0>(marks)), f));
          } else {
            fold(wf::project(wf::zip(m, other, wf::broadcast<1>(marks)), f));
          }
        } else {
          fold(m);
        }
        require_unchanged(target.copy(), results * sizeof(result));
        return target.copy();
      });
    };
    const auto by_seq = call(wf::seq, here.data(), host_bytes(nothing, 0));
    const auto by_policy = call(policy, there.data(), there_bytes(nothing, 0, use::output));
    list<T> line(length);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < length; ++i) {
        line[i] = s.values[axis == 0 ? i * columns + k : k * columns + i];
      }
      const auto reference = reference_of<Projection, Op>(line);
      std::size_t at = k;
      if constexpr (Writes) {
        const std::size_t i = k * 31 % length;  // in its line
        at = axis == 0 ? i * columns + k : k * columns + i;
      }
      const verdict v = compare<folds_groups_in_order<Policy>>(
          result_at<all_op, result>(by_seq, at), result_at<all_op, result>(by_policy, at),
          &reference);
      if (!v.ok || v.skipped) return v;
    }
    return {};
  }

 private:
  template <class AllOp, class Result>
  static auto result_at(const outcome<std::vector<unsigned char>>& all, std::size_t k) {
    Result r{};
    if (all.value) std::memcpy(static_cast<void*>(&r), all.value->data() + k * sizeof r, sizeof r);
    const auto result = [&] {
      if constexpr (requires(const AllOp& op) { op.parts.head.function; }) {
        return r.head;
      } else {
        return r;
      }
    }();
    outcome<std::remove_const_t<decltype(result)>> one;
    one.error = all.error;
    one.refused = all.refused;
    if (all.value) one.value.emplace(result);
    return one;
  }
};

using reduce_axis = axis_call<false>;
using reduce_expression = axis_call<true>;
using transform_axis = axis_call<false, true>;
using reduce_counted_rows = axis_call<false, false, true>;
using reduce_counted_expression = axis_call<true, false, true>;
using transform_counted_rows = axis_call<false, true, true>;

/// The offsets of segments of `n` elements, which follow from `n` and `seed` only; fuzz.py has the
/// same function. Empty ones if `n` is even.
inline std::vector<int> segment_offsets(std::size_t n, std::size_t seed) {
  std::vector<int> offsets{0};
  auto x = static_cast<std::uint32_t>(n * 2654435761u + seed);
  for (std::size_t at = 0; at < n;) {
    x = x * 1664525u + 1013904223u;
    const std::uint32_t kind = x >> 29;
    const std::size_t length = kind < 6   ? (x >> 20) % 9 + n % 2
                               : kind < 7 ? (x >> 16) % 200 + 1
                                          : (x >> 8) % n + 1;
    at = n - at < length ? n : at + length;
    offsets.push_back(static_cast<int>(at));
  }
  return offsets;
}

/// The size of equal segments of `n` elements; fuzz.py has the same function.
inline std::size_t segment_size(std::size_t n, std::size_t seed) {
  std::size_t size = seed % 40 + 1;
  while (n % size != 0) --size;
  return size;
}

/// Result `k` of a call that wrote the bytes of all of them.
template <class Result>
outcome<Result> result_at(const outcome<std::vector<unsigned char>>& all, std::size_t k) {
  outcome<Result> one;
  one.error = all.error;
  one.refused = all.refused;
  if (all.value) {
    Result r;
    std::memcpy(static_cast<void*>(&r), all.value->data() + k * sizeof r, sizeof r);
    one.value.emplace(r);
  }
  return one;
}

/// The value of its segment, whatever the element is.
struct value_of_segment {
  template <class X>
  WARPFOLD_HD int operator()(const X&, int value) const {
    return value;
  }
};

/// Writes the number of its segment to each element, if the policy transforms segments.
/// @throws std::runtime_error if one is wrong
template <class Policy, class Range, class Target>
void require_transformed(const Policy& policy, const Range& range, const int* offsets,
                         const std::vector<int>& read, const Target&) {
  const std::size_t count = read.size() - 1, n = static_cast<std::size_t>(read.back());
  const auto numbers = wf::counting(0, count);
  using bounds = wf::contiguous_view<const int>;
  using work = wf::segmented_transformation<wf::view_of_t<Range>, wf::segments_by_offsets<bounds>,
                                            wf::view_of_t<decltype(numbers)>,
                                            wf::contiguous_output<int>, value_of_segment>;
  if constexpr (wf::runs<Policy, work>) {
    const std::size_t room = wf::as_view(range).size();
    const Target out(std::vector<unsigned char>(room * sizeof(int), 0x77), 4 * (n % 4),
                     use::second_output);
    wf::transform_segments(policy, range, std::span(offsets, count + 1), numbers,
                           std::span(reinterpret_cast<int*>(out.data()), room), value_of_segment{});
    const std::vector<unsigned char> written = out.copy();
    require_unchanged(written, n * sizeof(int));
    for (std::size_t s = 0; s < count; ++s) {
      for (auto i = static_cast<std::size_t>(read[s]); i < static_cast<std::size_t>(read[s + 1]);
           ++i) {
        int number = 0;
        std::memcpy(&number, written.data() + i * sizeof number, sizeof number);
        if (number != static_cast<int>(s)) {
          throw std::runtime_error("transform_segments: element " + std::to_string(i) +
                                   " has the value of segment " + std::to_string(number));
        }
      }
    }
  }
}

/// The fold of its segment, whatever the element is.
struct fold_of_segment {
  template <class X, class A>
  WARPFOLD_HD A operator()(const X&, const A& folded) const {
    return folded;
  }
};

/// Writes the fold of its segment to each element, and compares it with the results of
/// `reduce_segments` by the same policy.
/// @throws std::runtime_error if one differs
template <class Policy, class Range, class Op, class Target, class Result>
void require_folds_written(const Policy& policy, const Range& range, const int* offsets,
                           const std::vector<int>& read, const Op& op, const Target& results,
                           const Result*) {
  const std::size_t count = read.size() - 1, n = static_cast<std::size_t>(read.back());
  using bounds = wf::contiguous_view<const int>;
  using work =
      wf::segment_fold_transformation<wf::view_of_t<Range>, wf::segments_by_offsets<bounds>, Op,
                                      wf::contiguous_output<Result>, fold_of_segment>;
  constexpr bool has_no_gaps =
      wf::is_number_v<Result> || std::has_unique_object_representations_v<Result>;
  if constexpr (wf::runs<Policy, work> && has_no_gaps) {
    const std::size_t room = wf::as_view(range).size();
    const Target out(std::vector<unsigned char>(room * sizeof(Result), 0x77),
                     sizeof(Result) * (n % 4), use::second_output);
    wf::transform_segments(policy, range, std::span(offsets, count + 1), op,
                           std::span(reinterpret_cast<Result*>(out.data()), room),
                           fold_of_segment{});
    const std::vector<unsigned char> written = out.copy(), folds = results.copy();
    require_unchanged(written, n * sizeof(Result));
    for (std::size_t s = 0; s < count; ++s) {
      for (auto i = static_cast<std::size_t>(read[s]); i < static_cast<std::size_t>(read[s + 1]);
           ++i) {
        if (std::memcmp(written.data() + i * sizeof(Result), folds.data() + s * sizeof(Result),
                        sizeof(Result)) != 0) {
          throw std::runtime_error("transform_segments: element " + std::to_string(i) +
                                   " has another fold than segment " + std::to_string(s));
        }
      }
    }
  }
}

/// What a call of `segment_call` folds. `placed`: segments by offsets, with indices in the range.
/// `counted` and `by_counted_key`: memory says how many segments or keys there are. `in_list`: the
/// segments as a list of ranges, which the policy reads from an odd address on, else the host.
enum class segment_kind {
  by_offsets,
  placed,
  counted,
  of_one_size,
  by_key,
  by_counted_key,
  in_list
};

/// Each segment.
template <segment_kind Kind>
struct segment_call {
  static constexpr bool has_keys =
      Kind == segment_kind::by_key || Kind == segment_kind::by_counted_key;
  static constexpr bool counts_keys = Kind == segment_kind::by_counted_key;

  /// The segments with offsets that follow from `n` and `seed` only.
  static std::vector<int> offsets_of(std::size_t n, std::size_t seed) {
    std::vector<int> offsets;
    if constexpr (Kind == segment_kind::of_one_size) {
      const std::size_t size = segment_size(n, seed);
      for (std::size_t at = 0; at <= n; at += size) offsets.push_back(static_cast<int>(at));
    } else {
      offsets = segment_offsets(n, seed);
      // A run has elements.
      if constexpr (has_keys) {
        offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
      }
    }
    return offsets;
  }

  /// The segments of the array at `p`: a pointer for each, and then a size for each.
  template <class T>
  static std::vector<unsigned char> pointers_and_sizes(const unsigned char* p,
                                                       const std::vector<int>& offsets) {
    const std::size_t count = offsets.size() - 1;
    std::vector<unsigned char> all(count * (sizeof(const T*) + sizeof(int)));
    for (std::size_t k = 0; k < count; ++k) {
      const T* const first = reinterpret_cast<const T*>(p) + offsets[k];
      const int size = offsets[k + 1] - offsets[k];
      std::memcpy(all.data() + k * sizeof first, &first, sizeof first);
      std::memcpy(all.data() + count * sizeof first + k * sizeof size, &size, sizeof size);
    }
    return all;
  }

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const std::size_t n = s.values.size(), keys = counts_keys ? n - n / 5 : n;
    const std::vector<int> offsets = offsets_of(keys, s.offset);
    const std::size_t count = offsets.size() - 1;
    using result =
        decltype(wf::reduce(wf::seq, range_of<View, Projection>(nullptr, s.values), Op::op()));
    // With keys, those of the runs follow the results.
    const std::size_t keys_at = (count * sizeof(result) + 3) / 4 * 4;
    // There may be more segments than the count says.
    constexpr std::size_t more = Kind == segment_kind::counted ? 2 : 0;
    const std::vector<unsigned char> nothing(
        has_keys ? keys_at + count * sizeof(int) : (count + more) * sizeof(result), 0x77);
    // A GPU reads bounds and keys from its own memory, and does not check bounds.
    constexpr bool on_gpu = !std::is_same_v<there_bytes, host_bytes>;
    std::vector<int> read = has_keys ? keys_of(offsets) : offsets;
    if constexpr (counts_keys) {
      // More keys of the last run, and how many keys there are.
      read.resize(n, read.empty() ? 0 : read.back());
      read.push_back(static_cast<int>(keys));
    }
    if constexpr (more != 0) read.insert(read.end(), {1, 1 << 30, static_cast<int>(count)});
    const auto* const raw = reinterpret_cast<const unsigned char*>(read.data());
    std::vector<unsigned char> there_bounds(raw, raw + read.size() * sizeof(int));
    const bool is_listed = Kind == segment_kind::in_list && s.offset / alignof(T) % 2 == 1;
    if (is_listed) there_bounds = pointers_and_sizes<T>(there.data(), offsets);
    const there_bytes there_read(there_bounds, 0, use::bounds);
    const auto call = [&](const auto& who, const unsigned char* p, const auto& target,
                          const int* bounds_or_keys) {
      return attempt([&] {
        const std::span<result> out(reinterpret_cast<result*>(target.data()), count);
        const auto range = range_of<View, Projection>(p, s.values);
        if constexpr (has_keys) {
          const std::span<int> found(reinterpret_cast<int*>(target.data() + keys_at), count);
          const auto own = [&] {
            const std::span<const int> all(bounds_or_keys, n);
            if constexpr (counts_keys) {
              return wf::counted(all, bounds_or_keys + n);
            } else {
              return all;
            }
          }();
          if (wf::reduce_by_key(who, own, range, Op::op(), found, out) != count) {
            throw std::runtime_error("another number of runs");
          }
          require_keys(target.copy(), keys_at);
          require_lengths(who, own, offsets, target);
        } else if constexpr (Kind == segment_kind::placed) {
          const std::span<const int> all(bounds_or_keys, count + 1);
          wf::reduce_segments(who, range, wf::with_range_index(all), Op::op(), out);
        } else if constexpr (Kind == segment_kind::of_one_size) {
          const auto size = wf::segments_of_size(segment_size(s.values.size(), s.offset));
          wf::reduce_segments(who, range, size, Op::op(), out);
        } else if constexpr (Kind == segment_kind::in_list) {
          if (is_listed && p == there.data()) {
            const auto* const pointers = reinterpret_cast<const T* const*>(bounds_or_keys);
            const auto* const sizes = reinterpret_cast<const int*>(pointers + count);
            wf::reduce_many(who, wf::ranges_at(std::span(pointers, count), std::span(sizes, count)),
                            Op::op(), out);
            return target.copy();
          }
          std::vector<std::span<const T>> ranges;
          for (std::size_t k = 0; k < count; ++k) {
            ranges.push_back(
                {range.data() + offsets[k], static_cast<std::size_t>(offsets[k + 1] - offsets[k])});
          }
          wf::reduce_many(who, ranges, Op::op(), out);
        } else if constexpr (Kind == segment_kind::counted) {
          const std::span<const int> all(bounds_or_keys, count + 1 + more);
          const std::span<result> room(out.data(), count + more);
          wf::reduce_segments(who, range, wf::counted(all, all.data() + all.size()), Op::op(),
                              room);
          require_unchanged(target.copy(), count * sizeof(result));
        } else {
          wf::reduce_segments(who, range, std::span(bounds_or_keys, count + 1), Op::op(), out);
          require_transformed(who, range, bounds_or_keys, offsets, target);
          require_folds_written(who, range, bounds_or_keys, offsets, Op::op(), target,
                                static_cast<const result*>(nullptr));
        }
        return target.copy();
      });
    };
    const auto by_seq = call(wf::seq, here.data(), host_bytes(nothing, 0), read.data());
    const auto by_policy = call(policy, there.data(), there_bytes(nothing, 0, use::output),
                                reinterpret_cast<const int*>(there_read.data()));
    if (on_gpu && !by_seq.value && by_policy.value) return {true, true, {}, {}, {}};
    for (std::size_t k = 0; k < count; ++k) {
      const auto first = s.values.begin() + offsets[k], last = s.values.begin() + offsets[k + 1];
      const list<T> own(first, last);
      const bool is_placed = Kind == segment_kind::placed;
      const auto reference =
          reference_of<Projection, Op>(own, is_placed ? static_cast<std::size_t>(offsets[k]) : 0);
      // An empty segment of an op without an identity is an error of the whole call.
      const bool has_reference = by_seq.value && !own.empty();
      const verdict v = compare<folds_groups_in_order<Policy>>(
          result_at<result>(by_seq, k), result_at<result>(by_policy, k),
          has_reference ? &reference : nullptr);
      if (!v.ok || v.skipped) return v;
    }
    return {};
  }

 private:
  // The keys of runs with such offsets.
  static std::vector<int> keys_of(const std::vector<int>& offsets) {
    std::vector<int> keys;
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
      keys.insert(keys.end(), static_cast<std::size_t>(offsets[k + 1] - offsets[k]),
                  static_cast<int>(k % 3));
    }
    return keys;
  }
  /// Writes the lengths of the runs too.
  template <class Policy, class Keys, class Target>
  static void require_lengths(const Policy& policy, const Keys& keys,
                              const std::vector<int>& offsets, const Target&) {
    const std::size_t runs = offsets.size() - 1;
    const Target out(std::vector<unsigned char>(2 * runs * sizeof(int), 0x77), 0,
                     use::second_output);
    int* const to = reinterpret_cast<int*>(out.data());
    const std::size_t found =
        wf::run_lengths(policy, keys, std::span(to, runs), std::span(to + runs, runs));
    const std::vector<unsigned char> written = out.copy();
    require_keys({written.begin(), written.begin() + static_cast<long>(runs * sizeof(int))}, 0);
    for (std::size_t k = 0; k < runs; ++k) {
      int length = 0;
      std::memcpy(&length, written.data() + (runs + k) * sizeof length, sizeof length);
      if (length != offsets[k + 1] - offsets[k] || found != runs) {
        throw std::runtime_error("run " + std::to_string(k) + " has the length " +
                                 std::to_string(length));
      }
    }
  }
  static void require_keys(const std::vector<unsigned char>& written, std::size_t keys_at) {
    for (std::size_t k = 0; keys_at + k * sizeof(int) < written.size(); ++k) {
      int key = 0;
      std::memcpy(&key, written.data() + keys_at + k * sizeof(int), sizeof key);
      if (key != static_cast<int>(k % 3)) throw std::runtime_error("a wrong key");
    }
  }
};

using segments = segment_call<segment_kind::by_offsets>;
using placed_segments = segment_call<segment_kind::placed>;
using counted_segments = segment_call<segment_kind::counted>;
using equal_segments = segment_call<segment_kind::of_one_size>;
using keys = segment_call<segment_kind::by_key>;
using counted_keys = segment_call<segment_kind::by_counted_key>;
using lists = segment_call<segment_kind::in_list>;  // of contiguous elements

/// What an op whose result is a function writes for elements of type `T`: 16-bit floats stay such.
template <class T>
using normalized_t = std::conditional_t<wf::is_half_v<T> || std::is_same_v<T, float>, T, double>;

/// Compares the elements of a group that both wrote: all bits, and some elements with the
/// reference. Element `i` of the group is at `at(i)`.
template <class Op, class Policy, class R, class List, class At>
verdict judge_group(const outcome<std::vector<unsigned char>>& by_seq,
                    const outcome<std::vector<unsigned char>>& by_policy, const List& group,
                    const At& at) {
  group_reference reference;
  for (std::size_t i = 0; i < group.size(); ++i) reference.add(group[i], i);
  reference.finish();
  using element = typename List::value_type;
  const long double u =
      wf::is_half_v<element> || std::is_same_v<element, float> ? 0x1p-24L : 0x1p-53L;
  const std::size_t step = group.size() / 3 + 1;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const bool has_same_bits =
        by_seq.value && by_policy.value &&
        std::memcmp(by_seq.value->data() + at(i) * sizeof(R),
                    by_policy.value->data() + at(i) * sizeof(R), sizeof(R)) == 0;
    if (has_same_bits && i % step != 0) continue;
    const near_number want = Op::function::of(reference, i, u);
    const verdict v = compare<folds_groups_in_order<Policy>>(result_at<R>(by_seq, at(i)),
                                                             result_at<R>(by_policy, at(i)), &want);
    if (!v.ok || v.skipped) return v;
  }
  return {};
}

/// The elements of the rows or columns of a matrix, normalized: the function of the fold is not an
/// argument, so kernels may keep terms. Of an expression if there is a projection.
struct normalize_axis {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const std::size_t rows = s.rows, columns = rows == 0 ? 0 : s.values.size() / rows;
    if (rows * columns != s.values.size() || s.values.empty()) return {};
    const std::size_t pitch = (s.by_columns ? rows : columns) + s.gap;
    const auto place = [&](std::size_t r, std::size_t c) {
      return s.by_columns ? c * pitch + r : r * pitch + c;
    };
    std::vector<unsigned char> bytes((place(rows - 1, columns - 1) + 1) * sizeof(T));
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        contiguous::put(bytes.data(), place(r, c), s.values[r * columns + c]);
      }
    }
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    using element = projected_t<Projection, T>;
    using result = normalized_t<element>;
    const std::size_t offset = s.gap * sizeof(result);
    const std::vector<unsigned char> nothing(rows * columns * sizeof(result), 0x77);
    const auto call = [&](const auto& who, const unsigned char* p, const auto& target) {
      return attempt([&] {
        const strided<const T, 2> m(contiguous::at<T>(p, 0), {rows, columns},
                                    {s.by_columns ? 1 : pitch, s.by_columns ? pitch : 1});
        const std::span<result> out(reinterpret_cast<result*>(target.data()), rows * columns);
        const auto write = [&](const auto& in) {
          if (s.axis == 0) {
            wf::transform_axis<0>(who, in, Op::op(), out);
          } else {
            wf::transform_axis<1>(who, in, Op::op(), out);
          }
        };
        if constexpr (std::is_same_v<Projection, identity>) {
          write(m);
        } else {
          write(wf::project(m, Projection{}));
        }
        return target.copy();
      });
    };
    const auto by_seq = call(wf::seq, here.data(), host_bytes(nothing, offset));
    const auto by_policy = call(policy, there.data(), there_bytes(nothing, offset, use::output));
    const std::size_t groups = s.axis == 0 ? columns : rows, length = rows * columns / groups;
    list<element> group(length);
    for (std::size_t k = 0; k < groups; ++k) {
      const auto at = [&](std::size_t i) {
        return s.axis == 0 ? i * columns + k : k * columns + i;
      };
      for (std::size_t i = 0; i < length; ++i) group[i] = Projection{}(s.values[at(i)]);
      const verdict v = judge_group<Op, Policy, result>(by_seq, by_policy, group, at);
      if (!v.ok || v.skipped) return v;
    }
    return {};
  }
};

/// The same of segments. In place if the address is odd and the results have the elements' type.
struct normalize_segments {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const std::size_t n = s.values.size();
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    using element = projected_t<Projection, T>;
    using result = normalized_t<element>;
    constexpr bool has_place = std::is_same_v<View, contiguous> && std::is_same_v<result, T>;
    const bool is_in_place = has_place && s.offset / alignof(T) % 2 == 1;
    const std::vector<int> offsets = segment_offsets(n, s.offset);
    const auto* const raw = reinterpret_cast<const unsigned char*>(offsets.data());
    const there_bytes there_offsets({raw, raw + offsets.size() * sizeof(int)}, 0, use::bounds);
    const std::size_t offset = n % 4 * sizeof(result);
    // A counted range has more elements; the output has room for them.
    const std::size_t room = range_of<View, identity>(here.data(), s.values).size();
    const std::vector<unsigned char> nothing(room * sizeof(result), 0x77);
    const auto call = [&](const auto& who, const auto& data, const auto& target, const int* at) {
      return attempt([&] {
        const auto& to = [&]() -> const auto& {
          if constexpr (has_place && std::is_same_v<decltype(data), decltype(target)>) {
            if (is_in_place) return data;
          }
          return target;
        }();
        wf::transform_segments(who, range_of<View, Projection>(data.data(), s.values),
                               std::span(at, offsets.size()), Op::op(),
                               std::span(reinterpret_cast<result*>(to.data()), room));
        if (&to == static_cast<const void*>(&target)) {
          require_unchanged(to.copy(), n * sizeof(result));
        }
        return to.copy();
      });
    };
    const auto by_seq = call(wf::seq, here, host_bytes(nothing, offset), offsets.data());
    const auto by_policy = call(policy, there, there_bytes(nothing, offset, use::output),
                                reinterpret_cast<const int*>(there_offsets.data()));
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
      const auto first = static_cast<std::size_t>(offsets[k]);
      list<element> group;
      for (std::size_t i = first; i < static_cast<std::size_t>(offsets[k + 1]); ++i) {
        group.push_back(Projection{}(s.values[i]));
      }
      const verdict v = judge_group<Op, Policy, result>(by_seq, by_policy, group,
                                                        [&](std::size_t i) { return first + i; });
      if (!v.ok || v.skipped) return v;
    }
    return {};
  }
};

/// The values of some classes, which alternate, and the numbers of their labels. Labels have one,
/// two or eight bytes, depending on the elements, and start at any of them. Not for ops with
/// an index: it is that in the range. If `IsCounted`, memory says how many labels there are.
template <bool IsCounted>
struct class_call {
  static std::size_t count_of(std::size_t seed) { return seed % 9 + 1; }

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    using label = std::conditional_t<
        sizeof(T) % 4 == 1, unsigned char,
        std::conditional_t<sizeof(T) % 4 == 2, short,
                           std::conditional_t<sizeof(T) % 8 == 4, signed char, long>>>;
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const std::size_t count = count_of(s.offset);
    const std::size_t all = s.values.size(), n = IsCounted ? all - all / 5 : all;
    std::vector<label> labels(all);
    for (std::size_t i = 0; i < all; ++i) labels[i] = static_cast<label>(i % count);
    std::vector<unsigned char> number(sizeof(long));
    contiguous::put(number.data(), 0, static_cast<long>(n));
    const host_bytes here_number(number, 0);
    const there_bytes there_number(number, 0, use::number);
    using result =
        decltype(wf::reduce(wf::seq, range_of<View, Projection>(nullptr, s.values), Op::op()));
    const std::vector<unsigned char> nothing(count * sizeof(result), 0x77);
    // A GPU reads labels from its own memory, and does not check that classes have values.
    constexpr bool on_gpu = !std::is_same_v<there_bytes, host_bytes>;
    const auto* const raw = reinterpret_cast<const unsigned char*>(labels.data());
    const there_bytes there_labels({raw, raw + all * sizeof(label)},
                                   all % 16 / sizeof(label) * sizeof(label), use::bounds);
    const auto* const in_policy = reinterpret_cast<const label*>(there_labels.data());
    const auto fold = [&](const auto& who, const unsigned char* p, const auto& target,
                          const label* of, const auto& counter) {
      return attempt([&] {
        const std::span<result> out(reinterpret_cast<result*>(target.data()), count);
        wf::reduce_by_class(who, labels_in(of, all, counter.data()),
                            range_of<View, Projection>(p, s.values), count, Op::op(), out);
        return target.copy();
      });
    };
    const auto by_seq =
        fold(wf::seq, here.data(), host_bytes(nothing, 0), labels.data(), here_number);
    const auto by_policy =
        fold(policy, there.data(), there_bytes(nothing, 0, use::output), in_policy, there_number);
    if (on_gpu && !by_seq.value && by_policy.value) return {true, true, {}, {}, {}};
    for (std::size_t k = 0; k < count; ++k) {
      list<T> own;
      for (std::size_t i = k; i < n; i += count) own.push_back(s.values[i]);
      const auto reference = reference_of<Projection, Op>(own);
      const bool has_reference = by_seq.value && !own.empty();
      const verdict v =
          compare<is_par<Policy>>(result_at<result>(by_seq, k), result_at<result>(by_policy, k),
                                  has_reference ? &reference : nullptr);
      if (!v.ok || v.skipped) return v;
    }
    require_counts(policy, labels_in(in_policy, all, there_number.data()), n, count);
    return {};
  }

 private:
  template <class Label>
  static auto labels_in(const Label* first, std::size_t n, const unsigned char* number) {
    const std::span<const Label> all(first, n);
    if constexpr (IsCounted) {
      return wf::counted(all, reinterpret_cast<const long*>(number));
    } else {
      return all;
    }
  }
  template <class Policy, class Labels>
  static void require_counts(const Policy& policy, const Labels& labels, std::size_t n,
                             std::size_t classes) {
    const there_bytes target(std::vector<unsigned char>(classes * sizeof(int), 0x77), 0,
                             use::second_output);
    wf::count_by_class(policy, labels, classes,
                       std::span(reinterpret_cast<int*>(target.data()), classes));
    const auto written = target.copy();
    for (std::size_t k = 0; k < classes; ++k) {
      int counted = 0;
      std::memcpy(&counted, written.data() + k * sizeof(int), sizeof counted);
      if (static_cast<std::size_t>(counted) != (n + classes - 1 - k) / classes) {
        throw std::runtime_error("a wrong count of a class");
      }
    }
  }
};

using classes = class_call<false>;
using counted_classes = class_call<true>;

/// What the projection makes of each element, written. `Op` is not used.
struct transform {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const std::size_t n = s.values.size();
    const auto bytes = bytes_of<View>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    using result = projected_t<Projection, T>;
    const std::size_t guard = 3, offset = n % 3 * alignof(result);
    // A counted range has more elements; the output has room for them.
    const std::size_t room = range_of<View, identity>(here.data(), s.values).size();
    const std::vector<unsigned char> nothing((room + 2 * guard) * sizeof(result), 0x77);
    const auto call = [&](const auto& who, const unsigned char* p, const auto& target) {
      return attempt([&] {
        result* const out = reinterpret_cast<result*>(target.data()) + guard;
        wf::transform(who, range_of<View, identity>(p, s.values), std::span<result>(out, room),
                      Projection{});
        return target.copy();
      });
    };
    const auto by_seq = call(wf::seq, here.data(), host_bytes(nothing, offset));
    const auto by_policy = call(policy, there.data(), there_bytes(nothing, offset, use::output));
    verdict v;
    for (const auto* out : {&by_seq, &by_policy}) {
      v.who = out == &by_seq ? "seq" : "policy";
      if (out->refused) return {true, true, {}, {}, {}};
      if (!out->value) return {false, false, v.who, out->error, "no error"};
      for (std::size_t i = 0; i < room + 2 * guard; ++i) {
        const bool is_guard = i < guard || i >= n + guard;
        result got, want;
        std::memcpy(static_cast<void*>(&got), out->value->data() + i * sizeof got, sizeof got);
        std::memset(static_cast<void*>(&want), 0x77, sizeof want);
        if (!is_guard) want = Projection{}(s.values[i - guard]);
        if (is_guard ? std::memcmp(&got, &want, sizeof got) == 0 : is_same(got, want)) continue;
        v.ok = false;
        v.got = show(got) + " in place " + std::to_string(static_cast<long long>(i) - 3);
        v.want = show(want);
        return v;
      }
    }
    return v;
  }

 private:
  template <class R>
  static bool is_same(const R& a, const R& b) {
    extremum_reference<R, true> one;
    one.add(b, 0);
    return one.admits(a);
  }
};

}  // namespace fuzz
