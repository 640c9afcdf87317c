/// @file
/// Compile-time checks of the arguments of functions that take a policy and ranges. Misuse gives
/// one compiler error with the remedy instead of a page about each overload.
///
/// Each function has one more overload for misuse. It is constrained by `misused` and returns
/// `refuse()`. Its return type is `auto`, so a wrong call is an error inside a `requires`
/// expression too: test `policy_like` and `reducible_range` there.
#pragma once

#include <warpfold/policy/concept.hpp>
#include <warpfold/view/range_check.hpp>
#include <warpfold/work/stored_value.hpp>

namespace warpfold::detail {

/// True if `Policy` is a policy; otherwise reports an error with the remedy.
template <class Policy>
constexpr bool check_policy() {
  if constexpr (policy_like<Policy>) {
    return true;
  } else {
    if constexpr (range_or_iterator<Policy>) {
      static_assert(never<Policy>,
                    "warpfold: the policy is missing; pass wf::seq, wf::par or wf::device as the "
                    "first argument, and the range as the second");
    } else {
      static_assert(never<Policy>,
                    "warpfold: the first argument is not a policy; pass wf::seq, wf::par or "
                    "wf::device, or include warpfold/drop_in.hpp for std's and Thrust's policies");
    }
    return false;
  }
}

/// Whether a kernel can load a view's elements into registers. If not, an error says which policies
/// can.
template <class View>
constexpr bool check_kernel_loads() {
  constexpr bool loads = std::is_trivially_destructible_v<typename View::chunk_type>;
  static_assert(
      loads,
      "warpfold: kernels cannot load the range's elements, because they are not trivially "
      "copyable; use wf::seq or wf::par, or a range of what the projection needs of them");
  return loads;
}

/// The same for the view of work, if it has one.
template <class Work>
constexpr bool check_work_loads() {
  if constexpr (requires { typename Work::view_type; }) {
    return check_kernel_loads<typename Work::view_type>();
  } else if constexpr (requires { typename Work::keys_view; }) {
    return check_kernel_loads<typename Work::keys_view>() &&
           check_kernel_loads<typename Work::values_view>();
  } else {
    return true;
  }
}

/// True if a policy can read the size of the range of work; otherwise reports an error.
template <class Work, bool Reads>
constexpr bool check_reads_size() {
  static_assert(Reads,
                "warpfold: this policy cannot read the size of a counted range; use wf::seq, "
                "wf::par, wf::device or wf::emulated");
  return Reads;
}

/// True if a policy runs a kind of work; otherwise reports an error with the call's name, or that
/// the policy cannot read the work's sizes.
template <class Policy, class Work>
constexpr bool check_runs() {
  if constexpr (sized_in_memory<Work>) {
    return check_reads_size<Work, runs<Policy, Work>>();
  } else {
    return Work::kind::template check<runs<Policy, Work>>();
  }
}

/// True if a call was meant for this library but its policy or one of its ranges is wrong. Other
/// calls must not match: argument-dependent lookup finds this overload also when Thrust calls its
/// own `reduce` with an iterator of this library.
template <class Policy, class... Ranges>
concept misused =
    (policy_like<Policy> && !(reducible_range<Ranges> && ...)) ||
    (!policy_like<Policy> && (range_or_iterator<Policy> || (reducible_range<Ranges> || ...)));

/// Reports the one error, about the first wrong argument.
template <class Policy, class... Ranges>
refused refuse() {
  if constexpr (!check_policy<Policy>()) {
  } else if constexpr (sizeof...(Ranges) == 1) {
    (void)(check_range<Ranges>() && ...);
  } else if constexpr (sizeof...(Ranges) > 1) {
    (void)check_ranges<Ranges...>();
  }
  return {};
}

// True if a result cannot be written to the last argument.
template <class... Args>
concept lacks_output = sizeof...(Args) >= 1 &&
                       !result_target<typename decltype((std::type_identity<Args>{}, ...))::type>;

template <class... Args>
refused refuse_output() {
  static_assert(sizeof...(Args) == 0,
                "warpfold: the last argument, where the result goes, is not a pointer; pass "
                "&result, a contiguous iterator, or a span or container of at least one element");
  return {};
}

/// True if the arguments after the policy delimit a range and at least `Least` arguments follow.
template <int Least, class... Args>
inline constexpr bool is_form = false;
template <int Least, class First, class Last, class... Rest>
  requires delimit<std::decay_t<First>, Last>
inline constexpr bool is_form<Least, First, Last, Rest...> = sizeof...(Rest) >= Least;

// True if an argument after a C array is its end or a count, so that the array is a pointer.
template <class Range, class Last>
inline constexpr bool ends_array =
    std::is_array_v<Range> && (reducible_iterator<Last> || element_count<Last>);

// Signed, because compilers warn about an unsigned number that is compared with 0.
template <int Least, int Most>
constexpr bool is_number_between(std::size_t arguments) {
  const int n = static_cast<int>(arguments);
  return n >= Least && n <= Most;
}

/// True if `F` is a function of the elements of `Range`, or a pointer to a member of them.
template <class F, class Range>
concept projection_of = is_device_lambda<F>() || std::is_member_pointer_v<F> ||
                        callable<F, const reduced_t<view_of_t<Range>>&>;

// Calls `then` with the arguments from number `First` on, and then with those before it.
template <std::size_t First, class Then, class A, class... Rest>
decltype(auto) call_rotated(const Then& then, A&& a, Rest&&... rest) {
  if constexpr (First == 0) {
    return then(static_cast<A&&>(a), static_cast<Rest&&>(rest)...);
  } else {
    return call_rotated<First - 1>(then, static_cast<Rest&&>(rest)..., static_cast<A&&>(a));
  }
}

// True if the last argument, or the one before `Outputs` outputs, is a projection.
template <std::size_t Outputs, class Range, class A, class... Rest>
constexpr bool has_projection() {
  if constexpr (sizeof...(Rest) > Outputs) {
    return has_projection<Outputs, Range, Rest...>();
  } else {
    return projection_of<std::remove_cvref_t<A>, Range> && (result_target<Rest> && ...);
  }
}
// The same for a function that takes `Least` to `Most` arguments besides the projection.
template <std::size_t Outputs, int Least, int Most, class Range, class... Rest>
inline constexpr bool takes_projection = [] {
  if constexpr (sizeof...(Rest) <= Outputs || is_form<Least, Range, Rest...> ||
                !is_number_between<Least, Most>(sizeof...(Rest) - 1)) {
    return false;
  } else {
    return has_projection<Outputs, Range, Rest...>();
  }
}();

// True if the arguments after the policy delimit two ranges.
template <class... Args>
inline constexpr bool starts_two = false;
template <class A, class B, class C, class... Rest>
  requires delimit_two<std::decay_t<A>, B, std::decay_t<C>>
inline constexpr bool starts_two<A, B, C, Rest...> = true;

}  // namespace warpfold::detail

// Declares the other forms of `function(policy, range, rest...)`: with two iterators or with a
// pointer and a count instead of the range, and the overloads for misuse. `least` and `most` limit
// the number of arguments after the range; `usage` is the text of a correct call. Follows the
// function's other overloads, in namespace warpfold. The forms call only what is declared before
// them.
#define WARPFOLD_FORMS(function, least, most, usage) \
  WARPFOLD_FORMS_IF(true, function, least, most, usage)
#define WARPFOLD_FORMS_IF(is_other, function, least, most, usage)                                \
  template <policy_like Policy, reducible_range Range, class... Rest>                            \
    requires(!detail::is_number_between<least, most>(sizeof...(Rest)) &&                         \
             !detail::is_form<least, Range, Rest...> && (is_other))                              \
  auto function(const Policy&, const Range&, const Rest&...) {                                   \
    static_assert(detail::never<Range>, "warpfold: too few or too many arguments; call " usage); \
    return detail::refused{};                                                                    \
  }                                                                                              \
  template <policy_like Policy, class First, class Last, class... Rest>                          \
    requires detail::is_form<least, First, Last, Rest...>                                        \
  auto function(const Policy& policy, First first, const Last& last, Rest&&... rest) {           \
    return warpfold::function(policy, as_view(first, last), static_cast<Rest&&>(rest)...);       \
  }                                                                                              \
  template <class Policy = detail::braces, class Range = detail::braces, class... Rest>          \
    requires(detail::misused<Policy, Range> &&                                                   \
             !(policy_like<Policy> && detail::is_form<least, Range, Rest...>))                   \
  auto function(const Policy&, const Range& = {}, const Rest&...) {                              \
    return detail::refuse<Policy, Range>();                                                      \
  }

// The same, and the overload with a projection: `function(policy, range, rest..., f)` is
// `function(policy, project(range, f), rest...)`.
#define WARPFOLD_PROJECTED_FORMS(function, least, most, usage)                                    \
  template <policy_like Policy, reducible_range Range, class... Rest>                             \
    requires detail::takes_projection<0, least, most, Range, Rest...>                             \
  auto function(const Policy& policy, const Range& range, const Rest&... rest) {                  \
    return detail::call_rotated<sizeof...(Rest) - 1>(                                             \
        [&](const auto& f, const auto&... others) {                                               \
          return warpfold::function(policy, project(range, f), others...);                        \
        },                                                                                        \
        rest...);                                                                                 \
  }                                                                                               \
  WARPFOLD_FORMS_IF((!detail::takes_projection<0, least, most, Range, Rest...>), function, least, \
                    most, usage "; a projection goes last")

// The same as WARPFOLD_FORMS, and the overload for an output that a result cannot be written to.
// The last argument of `function` is the output; `least` and `most` count it.
#define WARPFOLD_ASYNC_FORMS(function, least, most, usage) \
  WARPFOLD_OUTPUT_CHECK(function, least, most)             \
  WARPFOLD_FORMS(function, least, most, usage)
#define WARPFOLD_OUTPUT_CHECK(function, least, most)                                   \
  template <policy_like Policy, reducible_range Range, class... Rest>                  \
    requires(detail::is_number_between<least, most>(sizeof...(Rest)) &&                \
             !detail::is_form<least, Range, Rest...> && detail::lacks_output<Rest...>) \
  auto function(const Policy&, const Range&, const Rest&...) {                         \
    return detail::refuse_output<Rest...>();                                           \
  }

// The same, with a projection before the output.
#define WARPFOLD_PROJECTED_ASYNC_FORMS(function, least, most, usage)                              \
  WARPFOLD_OUTPUT_CHECK(function, least, most)                                                    \
  template <policy_like Policy, reducible_range Range, class... Rest>                             \
    requires detail::takes_projection<1, least, most, Range, Rest...>                             \
  void function(const Policy& policy, const Range& range, Rest&&... rest) {                       \
    detail::call_rotated<sizeof...(Rest) - 2>(                                                    \
        [&](const auto& f, auto&& out, const auto&... others) {                                   \
          warpfold::function(policy, project(range, f), others...,                                \
                             static_cast<decltype(out)>(out));                                    \
        },                                                                                        \
        static_cast<Rest&&>(rest)...);                                                            \
  }                                                                                               \
  WARPFOLD_FORMS_IF((!detail::takes_projection<1, least, most, Range, Rest...>), function, least, \
                    most, usage "; a projection goes before the result")

// The forms of a function with a projection, and of the one that does not wait, whose output comes
// last. `arguments` is the text of those of a correct call.
#define WARPFOLD_PROJECTED_FORMS_OF_BOTH(function, least, most, arguments)     \
  WARPFOLD_PROJECTED_FORMS(function, least, most, #function "(" arguments ")") \
  WARPFOLD_PROJECTED_ASYNC_FORMS(function##_async, least + 1, most + 1,        \
                                 #function "_async(" arguments ", &result)")

// The same as WARPFOLD_FORMS for a function of two ranges. Instead of (range1, range2, ...) it
// takes (first1, last1, first2, ...), (pointer1, pointer2, count, ...) or (pointer1, count,
// pointer2, ...).
#define WARPFOLD_FORMS_OF_TWO(function, least, most, usage)                                    \
  template <policy_like Policy, reducible_range A, reducible_range B, class... Rest>           \
    requires(!detail::is_number_between<least, most>(sizeof...(Rest)) &&                       \
             !detail::starts_two<A, B, Rest...>)                                               \
  auto function(const Policy&, const A&, const B&, const Rest&...) {                           \
    static_assert(detail::never<A>, "warpfold: too few or too many arguments; call " usage);   \
    return detail::refused{};                                                                  \
  }                                                                                            \
  template <policy_like Policy, class A, class B, class C, class... Rest>                      \
    requires detail::delimit_two<A, B, C>                                                      \
  auto function(const Policy& policy, A a, const B& b, C c, Rest&&... rest) {                  \
    return detail::with_two(a, b, c, [&](const auto& first, const auto& second) {              \
      return warpfold::function(policy, first, second, static_cast<Rest&&>(rest)...);          \
    });                                                                                        \
  }                                                                                            \
  template <class Policy = detail::braces, class A = detail::braces, class B = detail::braces, \
            class... Rest>                                                                     \
    requires(detail::misused<Policy, A, B> &&                                                  \
             !(policy_like<Policy> && detail::starts_two<A, B, Rest...>))                      \
  auto function(const Policy&, const A& = {}, const B& = {}, const Rest&...) {                 \
    return detail::refuse<Policy, A, B>();                                                     \
  }
