/// @file
/// Which elements of a range each segment has: by offsets, by begins and ends, or by one size.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// Segment `s` begins at `offsets[s]` and ends before `offsets[s + 1]`.
template <view Offsets>
class segments_by_offsets {
 public:
  /// True if a segment begins where the one before ends.
  static constexpr bool are_adjacent = true;
  static constexpr bool tells_memory = tells_memory_v<Offsets>;  // as for views

  WARPFOLD_HD explicit segments_by_offsets(const Offsets& offsets) : offsets_(offsets) {}

  WARPFOLD_HD const Offsets& offsets() const { return offsets_; }
  /// The number of segments; none without offsets.
  WARPFOLD_HD std::size_t size() const {
    const std::size_t n = offsets_.size();
    return n == 0 ? 0 : n - 1;
  }
  /// The bounds of a segment, in the type of the offsets.
  WARPFOLD_HD auto begin(std::size_t s) const { return offsets_[s]; }
  WARPFOLD_HD auto end(std::size_t s) const { return offsets_[s + 1]; }
  /// The same, loaded with `loads`.
  inline WARPFOLD_HD auto begin(std::size_t s, const auto& loads) const {
    return offsets_.at(s, loads);
  }
  inline WARPFOLD_HD auto end(std::size_t s, const auto& loads) const {
    return offsets_.at(s + 1, loads);
  }

  /// Calls `visit(pointer, bytes, alignment)` for the memory that is read.
  void visit_memory(auto&& visit) const { offsets_.visit_memory(visit); }

 private:
  Offsets offsets_;
};

/// The first `*count` segments by offsets. Who reads the count clamps it to the number of segments.
/// @tparam Offsets a view with a count (view/counted.hpp), which is the number of segments
template <view Offsets>
class counted_segments : public segments_by_offsets<Offsets> {
  using base = segments_by_offsets<Offsets>;

 public:
  static constexpr bool has_size_in_memory = true;

  WARPFOLD_HD explicit counted_segments(const Offsets& offsets)
      : base(offsets), size_(base::size()) {}

  WARPFOLD_HD std::size_t size() const { return size_; }

  inline WARPFOLD_HD void read_size(const auto& loads) {
    Offsets counted = base::offsets();
    counted.read_size(loads);
    if (counted.size() < size_) size_ = counted.size();
  }
  /// @throws invalid_range if the host cannot read the count, or if it is negative or larger than
  ///     the number of segments
  void read_size_on_host() {
    Offsets counted = base::offsets();
    counted.read_size_on_host();
    if (counted.size() > size_) {
      throw_error<invalid_range>("warpfold: the count of the segments is ", counted.size(),
                                 ", but the offsets make only ", size_,
                                 "; the count is the number of segments, one less than that of "
                                 "their offsets");
    }
    size_ = counted.size();
  }

 private:
  std::size_t size_;
};

/// Segments with a begin and an end each. They may have gaps and overlap.
template <view Begins, view Ends>
class segments_by_bounds {
 public:
  static constexpr bool are_adjacent = false;
  static constexpr bool has_size_in_memory =
      detail::has_size_in_memory<Begins> || detail::has_size_in_memory<Ends>;
  static constexpr bool tells_memory = tells_memory_v<Begins> && tells_memory_v<Ends>;

  WARPFOLD_HD segments_by_bounds(const Begins& begins, const Ends& ends)
      : begins_(begins), ends_(ends) {}

  WARPFOLD_HD std::size_t size() const {
    const std::size_t n = begins_.size();
    if constexpr (has_size_in_memory) {
      if (ends_.size() < n) return ends_.size();
    }
    return n;
  }
  inline WARPFOLD_HD void read_size(const auto& loads)
    requires has_size_in_memory
  {
    detail::read_size(begins_, loads);
    detail::read_size(ends_, loads);
  }
  void read_size_on_host()
    requires has_size_in_memory
  {
    detail::read_size_on_host(begins_);
    detail::read_size_on_host(ends_);
  }

  WARPFOLD_HD auto begin(std::size_t s) const { return begins_[s]; }
  WARPFOLD_HD auto end(std::size_t s) const { return ends_[s]; }
  inline WARPFOLD_HD auto begin(std::size_t s, const auto& loads) const {
    return begins_.at(s, loads);
  }
  inline WARPFOLD_HD auto end(std::size_t s, const auto& loads) const { return ends_.at(s, loads); }

  void visit_memory(auto&& visit) const {
    begins_.visit_memory(visit);
    ends_.visit_memory(visit);
  }

 private:
  Begins begins_;
  Ends ends_;
};

/// Segments of one size; they read no memory.
class segments_by_size {
 public:
  static constexpr bool are_adjacent = true;
  static constexpr bool tells_memory = true;

  WARPFOLD_HD constexpr segments_by_size(std::size_t length, std::size_t count)
      : length_(length), count_(count) {}

  WARPFOLD_HD constexpr std::size_t size() const { return count_; }
  WARPFOLD_HD constexpr std::size_t length() const { return length_; }
  WARPFOLD_HD constexpr std::size_t begin(std::size_t s) const { return s * length_; }
  WARPFOLD_HD constexpr std::size_t end(std::size_t s) const { return (s + 1) * length_; }
  inline WARPFOLD_HD constexpr std::size_t begin(std::size_t s, const auto&) const {
    return begin(s);
  }
  inline WARPFOLD_HD constexpr std::size_t end(std::size_t s, const auto&) const { return end(s); }

  void visit_memory(auto&&) const {}

 private:
  std::size_t length_;
  std::size_t count_;
};

namespace detail {

/// The first segment whose bounds decrease or lie outside of the range, as a kernel reports it.
struct wrong_segment {
  static constexpr unsigned long long none = ~0ull;
  unsigned long long number = none;
  unsigned long long begin = 0, end = 0;
};

/// Where a kernel reports it, if a host waits for that; see collective/bounds_check.hpp.
struct bounds_check {
  wrong_segment* report = nullptr;                      ///< in memory that the host reads
  std::size_t elements = static_cast<std::size_t>(-1);  ///< in the range
};

/// The result of `with_range_index`: segments, or `equal_segments`.
template <class S>
struct range_indexed : S {
  static constexpr bool gives_range_index = true;

  explicit range_indexed(const S& s) : S(s) {}
};

/// True if ops with an index give the one in the range.
template <class S>
inline constexpr bool gives_range_index = requires { requires S::gives_range_index; };

/// Segments without the elements from index `elements` on.
template <class Segments>
class clamped_segments {
 public:
  static constexpr bool are_adjacent = Segments::are_adjacent;
  static constexpr bool gives_range_index = detail::gives_range_index<Segments>;
  static constexpr bool tells_memory = Segments::tells_memory;

  WARPFOLD_HD clamped_segments(const Segments& all, std::size_t elements)
      : all_(all), elements_(elements) {}

  WARPFOLD_HD std::size_t size() const { return all_.size(); }
  WARPFOLD_HD std::size_t begin(std::size_t s) const { return clamped(all_.begin(s)); }
  WARPFOLD_HD std::size_t end(std::size_t s) const { return clamped(all_.end(s)); }

  void visit_memory(auto&& visit) const { all_.visit_memory(visit); }

 private:
  WARPFOLD_HD std::size_t clamped(auto bound) const {
    const auto at = static_cast<std::size_t>(bound);
    return at < elements_ ? at : elements_;
  }

  Segments all_;
  std::size_t elements_;
};

/// The result of `segments_of_size`; the range tells the number of segments.
struct equal_segments {
  std::size_t length;

  segments_by_size of(std::size_t elements) const {
    if (elements % length != 0) {
      throw_error<invalid_range>(
          "warpfold: the range has ", elements, " elements, which segments of ", length,
          " elements do not divide evenly; pass a range of whole segments, or "
          "the offsets of the segments");
    }
    return {length, elements / length};
  }
};

/// @throws invalid_range if `what`, one for each segment, has as many elements as the offsets
inline void require_last_offset(const char* what, std::size_t size, std::size_t segments) {
  if (size == 0 || size != segments + 1) return;
  throw_error<invalid_range>(
      "warpfold: ", what, " ", size, " elements, but ", size, " offsets make only ", segments,
      " segments; pass S + 1 offsets for S segments: the last one is the end of "
      "the last segment");
}

template <class S>
inline constexpr bool is_by_offsets = false;
template <class Offsets>
inline constexpr bool is_by_offsets<segments_by_offsets<Offsets>> = true;
template <class S>
inline constexpr bool is_by_offsets<range_indexed<S>> = is_by_offsets<S>;
template <class S>
inline constexpr bool is_segments = false;
template <class Offsets>
inline constexpr bool is_segments<segments_by_offsets<Offsets>> = true;
template <class Offsets>
inline constexpr bool is_segments<counted_segments<Offsets>> = true;
template <class Begins, class Ends>
inline constexpr bool is_segments<segments_by_bounds<Begins, Ends>> = true;
template <>
inline constexpr bool is_segments<segments_by_size> = true;
template <class S>
inline constexpr bool is_segments<range_indexed<S>> = is_segments<S>;
/// True for the result of `segments_of_size`, also with the index in the range.
template <class S>
inline constexpr bool is_one_size = std::is_base_of_v<equal_segments, S>;

/// True for segments of a caller whose bounds may be wrong.
template <class S>
inline constexpr bool may_be_wrong = is_segments<S> && !std::is_base_of_v<segments_by_size, S>;

/// True if a segment is in order and within the elements; unless `TakesEmpty`, it has some.
template <bool TakesEmpty, class Segments>
bool is_valid_segment(const Segments& segments, std::size_t elements, std::size_t s) {
  const auto begin = static_cast<std::size_t>(segments.begin(s));
  const auto end = static_cast<std::size_t>(segments.end(s));
  return (TakesEmpty ? begin <= end : begin < end) && end <= elements;
}

// Bounds of adjacent segments that do not decrease lie between the first and the last.
template <bool TakesEmpty, class Segments>
bool are_valid_segments(const Segments& segments, std::size_t elements, std::size_t first,
                        std::size_t last) {
  const Segments own = segments;
  unsigned wrong = 0;
  if constexpr (Segments::are_adjacent) {
    for (std::size_t s = first; s < last; ++s) {
      const auto begin = own.begin(s), end = own.end(s);
      wrong |= static_cast<unsigned>(TakesEmpty ? end < begin : end <= begin);
    }
    return wrong == 0 && static_cast<std::size_t>(own.begin(first)) <= elements &&
           static_cast<std::size_t>(own.end(last - 1)) <= elements;
  } else {
    for (std::size_t s = first; s < last; ++s) {
      wrong |= static_cast<unsigned>(!is_valid_segment<TakesEmpty>(own, elements, s));
    }
    return wrong == 0;
  }
}

/// The number of the first of segments `first` to `last - 1` that is not valid, or `last`.
template <bool TakesEmpty, class Segments>
std::size_t first_invalid_segment(const Segments& segments, std::size_t elements, std::size_t first,
                                  std::size_t last) {
  constexpr std::size_t some = 1024;  // at a time, so that compilers vectorize the test
  for (std::size_t from = first; from < last; from += some) {
    const std::size_t to = last - from < some ? last : from + some;
    if (are_valid_segments<TakesEmpty>(segments, elements, from, to)) continue;
    for (std::size_t s = from; s < to; ++s) {
      if (!is_valid_segment<TakesEmpty>(segments, elements, s)) return s;
    }
  }
  return last;
}

[[noreturn]] void refuse_bounds(std::size_t s, const auto& begin, const auto& end,
                                std::size_t elements) {
  throw_error<invalid_range>(
      "warpfold: segment ", s, " begins at ", begin, " and ends at ", end, ", but the range has ",
      elements, " elements; pass bounds that do not decrease and lie within the range");
}
/// The same for what a kernel has reported.
template <class Segments>
[[noreturn]] void refuse_bounds(const wrong_segment& wrong, std::size_t elements) {
  using begin = decltype(std::declval<const Segments&>().begin(0));
  using end = decltype(std::declval<const Segments&>().end(0));
  refuse_bounds(wrong.number, static_cast<begin>(wrong.begin), static_cast<end>(wrong.end),
                elements);
}

[[noreturn]] void refuse_segment(const auto& segments, std::size_t elements, std::size_t s) {
  const auto begin = segments.begin(s);
  const auto end = segments.end(s);
  if (is_valid_segment<true>(segments, elements, s)) {
    throw_error<empty_range>("warpfold: segment ", s, " is empty, from ", begin, " to ", end,
                             ": the op has no identity and no init was given. Pass an init, or "
                             "wf::with_identity(op, value)");
  }
  refuse_bounds(s, begin, end, elements);
}

/// Checks the bounds of segments. Reads them: call it where the policy runs.
/// @throws invalid_range,empty_range for the first segment that is wrong
template <bool TakesEmpty, class Segments>
void require_valid_segments(const Segments& segments, std::size_t elements) {
  const std::size_t n = segments.size();
  const std::size_t wrong = first_invalid_segment<TakesEmpty>(segments, elements, 0, n);
  if (wrong != n) refuse_segment(segments, elements, wrong);
}
/// The same for segments of a view, and for sizes in memory.
template <bool TakesEmpty, class View, class Segments>
void require_valid_segments_of(View view, Segments segments) {
  const std::size_t elements = view.size();
  read_size_on_host(view);
  read_size_on_host(segments);
  require_valid_segments<TakesEmpty>(segments, elements);
}
/// The same for the segments of work.
template <class Work>
void require_valid_segments(const Work& work) {
  if constexpr (requires { requires Work::has_size_in_memory; }) {
    require_valid_segments_of<Work::takes_empty_segments>(work.view, work.segments);
  } else {
    require_valid_segments<Work::takes_empty_segments>(work.segments, work.elements());
  }
}

/// True if a view has integers; otherwise reports an error.
template <class View>
constexpr bool check_offsets() {
  using T = typename View::value_type;
  constexpr bool integers = std::is_integral_v<T> && !std::is_same_v<T, bool>;
  static_assert(integers,
                "warpfold: the offsets of segments are not integers; pass a range of integers, "
                "one more than there are segments");
  constexpr bool unmasked = !masked_elements<View>;
  static_assert(unmasked || !integers,
                "warpfold: the offsets of segments are a range with a mask; pass all offsets");
  return integers && unmasked;
}

/// True if `S` describes segments: a range of offsets, or a result of the functions below.
template <class S>
constexpr bool check_segments() {
  if constexpr (is_segments<S> || is_one_size<S>) {
    return true;
  } else if constexpr (check_range<S>()) {
    return check_offsets<view_of_t<S>>();
  } else {
    return false;
  }
}

template <class S>
auto segments_in(const S& segments, std::size_t elements) {
  if constexpr (std::is_same_v<S, equal_segments>) {
    return segments.of(elements);
  } else if constexpr (is_one_size<S>) {
    return range_indexed<segments_by_size>(segments.of(elements));
  } else if constexpr (is_segments<S>) {
    return segments;
  } else if constexpr (has_size_in_memory<view_of_t<S>>) {
    return counted_segments<view_of_t<S>>(as_view(segments));
  } else {
    return segments_by_offsets<view_of_t<S>>(as_view(segments));
  }
}

}  // namespace detail

/// Returns segments for `reduce_segments`: segment `s` has the elements from index `begins[s]` up
/// to, but not including, `ends[s]`. Segments may overlap, and elements may be in no segment.
///
/// @param begins,ends ranges of any integer type, of one size; readable from the policy. They must
///     outlive the call. Of a counted range (view/counted.hpp), the count is the number of segments
/// @throws invalid_range if their sizes differ
///
/// ```cpp
/// std::vector<int> v{1, 2, 3, 4}, begins{0, 1}, ends{2, 4}, sums(2);
/// wf::reduce_segments(wf::seq, v, wf::segments_between(begins, ends), wf::plus{}, sums);  // 3, 9
/// ```
template <class Begins, class Ends>
  requires(reducible_range<Begins> && reducible_range<Ends>)
auto segments_between(Begins&& begins, Ends&& ends) {
  WARPFOLD_REQUIRE_LASTING("segments_between", Begins, Ends);
  using first = view_of_t<Begins>;
  using last = view_of_t<Ends>;
  if constexpr (detail::check_offsets<first>() && detail::check_offsets<last>()) {
    const segments_by_bounds<first, last> segments(as_view(begins), as_view(ends));
    const std::size_t n = as_view(ends).size(), begun = as_view(begins).size();
    if (begun != n) {
      throw_error<invalid_range>("warpfold: segments_between was given ", begun, " begins and ", n,
                                 " ends; pass one end for each begin");
    }
    return segments;
  } else {
    return detail::refused{};
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Begins = detail::braces, class Ends = detail::braces>
  requires(!(reducible_range<Begins> && reducible_range<Ends>))
auto segments_between(const Begins&, const Ends&) {
  return detail::refuse_ranges<Begins, Ends>();
}

/// Returns segments for `reduce_segments`: each has `length` consecutive elements. The range must
/// have a multiple of that.
///
/// @param length elements of a segment, at least 1
/// @throws invalid_range if `length` is 0
///
/// ```cpp
/// std::vector<int> v{1, 2, 3, 4}, sums(2);
/// wf::reduce_segments(wf::seq, v, wf::segments_of_size(2), wf::plus{}, sums);  // 3, 7
/// ```
inline detail::equal_segments segments_of_size(std::size_t length) {
  if (length == 0) {
    throw_error<invalid_range>(
        "warpfold: segments_of_size was given 0; pass the number of elements of a "
        "segment");
  }
  return {length};
}

/// Returns the same segments for `reduce_segments`. Ops with an index then give the index in the
/// whole range, and not the one within the segment.
///
/// @param segments as for `reduce_segments`: offsets, which must outlive the call, or the result of
///     `segments_between` or `segments_of_size`
///
/// The result of an empty segment keeps its index, `indexed<T>::nowhere`. A call takes no init with
/// these segments.
///
/// ```cpp
/// std::vector<int> v{1, 2, 4, 3}, offsets{0, 2, 4}, places(2);
/// const auto segments = wf::with_range_index(offsets);
/// wf::reduce_segments(wf::seq, v, segments, wf::arg(wf::maximum{}), places);  // 1, 2
/// ```
template <class Segments>
auto with_range_index(Segments&& segments) {
  using S = std::remove_cvref_t<Segments>;
  if constexpr (detail::is_one_size<S> || detail::is_segments<S>) {
    return detail::range_indexed<S>(segments);
  } else {
    WARPFOLD_REQUIRE_LASTING("with_range_index", Segments);
    if constexpr (detail::check_segments<S>()) {
      const auto own = detail::segments_in(segments, 0);
      return detail::range_indexed<std::remove_const_t<decltype(own)>>(own);
    } else {
      return detail::refused{};
    }
  }
}

}  // namespace warpfold
