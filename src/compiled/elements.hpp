// All operations on elements of one type.
#pragma once

#include <cstring>
#include <span>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/log_sum_exp.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/strided.hpp>

#include "axis.hpp"
#include "group_operations.hpp"
#include "request.hpp"

namespace compiled {

struct is_not_zero {
  template <class T>
  bool operator()(const T& x) const {
    return x != T{};
  }
};

/// Calls `then` as `with_operation` does, for operations that need an order of the numbers.
template <class Then>
bool with_ordered_operation(warpfold_operation operation, const Then& then) {
  switch (operation) {
    case WARPFOLD_MINIMUM:
      then([](const auto& v) { return wf::min(wf::par, v); });
      break;
    case WARPFOLD_MAXIMUM:
      then([](const auto& v) { return wf::max(wf::par, v); });
      break;
    case WARPFOLD_ARGMIN:
      then([](const auto& v) { return std::uint64_t{wf::argmin(wf::par, v).index}; });
      break;
    case WARPFOLD_ARGMAX:
      then([](const auto& v) { return std::uint64_t{wf::argmax(wf::par, v).index}; });
      break;
    case WARPFOLD_MINMAX:
      then([](const auto& v) { return wf::minmax(wf::par, v); });
      break;
    case WARPFOLD_LOG_SUM_EXP:
      then([](const auto& v) { return wf::log_sum_exp(wf::par, v); });
      break;
    default:
      return false;
  }
  return true;
}

/// Calls `then` with a function that computes the operation on a view; false if there is none.
template <class T, class Then>
bool with_operation(warpfold_operation operation, const Then& then) {
  switch (operation) {
    case WARPFOLD_SUM:
      then([](const auto& v) { return wf::sum(wf::par, v); });
      break;
    case WARPFOLD_PRODUCT:
      then([](const auto& v) { return wf::product(wf::par, v); });
      break;
    case WARPFOLD_MEAN:
      then([](const auto& v) { return wf::mean(wf::par, v); });
      break;
    case WARPFOLD_VARIANCE:
      then([](const auto& v) { return wf::variance(wf::par, v); });
      break;
    case WARPFOLD_SAMPLE_VARIANCE:
      then([](const auto& v) { return wf::variance(wf::par, v, wf::variance_of::sample); });
      break;
    case WARPFOLD_STDDEV:
      then([](const auto& v) { return wf::stddev(wf::par, v); });
      break;
    case WARPFOLD_SAMPLE_STDDEV:
      then([](const auto& v) { return wf::stddev(wf::par, v, wf::variance_of::sample); });
      break;
    case WARPFOLD_NORM_1:
      then([](const auto& v) { return wf::norm_1(wf::par, v); });
      break;
    case WARPFOLD_NORM_2:
      then([](const auto& v) { return double{wf::norm_2(wf::par, v)}; });
      break;
    case WARPFOLD_NORM_INFINITY:
      then([](const auto& v) { return wf::norm_infinity(wf::par, v); });
      break;
    case WARPFOLD_COUNT_NONZERO:
      then([](const auto& v) { return std::uint64_t{wf::count_if(wf::par, v, is_not_zero{})}; });
      break;
    case WARPFOLD_EXACT_SUM:
      if constexpr (!std::is_integral_v<T>) {
        then([](const auto& v) { return wf::sum(wf::par, v, wf::plus{}.exact()); });
        break;
      }
      [[fallthrough]];
    default:
      if constexpr (!wf::complex_number<T>) return with_ordered_operation(operation, then);
      return false;
  }
  return true;
}

template <class T>
std::span<const T> elements_in(const warpfold_array& a) {
  return {static_cast<const T*>(a.data), a.count};
}
template <class T>
auto strided_elements_in(const warpfold_array& a) {
  const std::size_t reach = a.count == 0 ? 0 : (a.count - 1) * a.stride + 1;
  return wf::strided(std::span<const T>(static_cast<const T*>(a.data), reach), a.stride);
}
// Calls `then` with the view of an array.
template <class T, class Then>
void with_view(const warpfold_array& a, const Then& then) {
  if (a.stride == 1) {
    then(elements_in<T>(a));
  } else {
    then(strided_elements_in<T>(a));
  }
}

template <class T>
void write(void* to, const T& x) {
  wf::runtime::check_host_pointer(to, sizeof(T), alignof(T), "the result");
  std::memcpy(to, &x, sizeof(T));
}

// The type of the numbers of a result.
template <class Result>
inline constexpr warpfold_type type_of_result = type_of<Result>;
template <class T>
inline constexpr warpfold_type type_of_result<wf::least_and_greatest<T>> = type_of<T>;

template <class T>
warpfold_type result_type(warpfold_operation operation) {
  warpfold_type type{};
  with_operation<T>(operation, [&](const auto& f) {
    type = type_of_result<std::remove_cvref_t<decltype(f(std::span<const T>()))>>;
  });
  return type;
}

template <class T>
void reduce(const request& r) {
  const bool is_there = with_operation<T>(r.operation, [&](const auto& f) {
    with_view<T>(r.array, [&](const auto& v) { write(r.result, f(v)); });
  });
  if (!is_there) refuse_operation("warpfold_reduce", r.operation, r.array.type);
}

template <class T>
void dot(const request& r) {
  const auto with_views = [&](const auto& then) {
    if (r.array.stride == 1 && r.factor->stride == 1) {
      then(elements_in<T>(r.array), elements_in<T>(*r.factor));
    } else {
      // One kind of view for both, so that each sum is compiled twice only.
      then(strided_elements_in<T>(r.array), strided_elements_in<T>(*r.factor));
    }
  };
  with_views([&](const auto& a, const auto& b) {
    if constexpr (!std::is_integral_v<T>) {
      if (r.is_exact) return write(r.result, wf::dot(wf::par, a, b, wf::plus{}.exact()));
    }
    write(r.result, wf::dot(wf::par, a, b));
  });
}

template <class T>
void reduce_segments(const request& r) {
  with_group_operation<T>(r, [&]<class Result>(const auto& op, Result*) {
    const std::span<const std::int64_t> offsets(r.offsets, r.segments + 1);
    const std::span<Result> results(static_cast<Result*>(r.result), r.segments);
    wf::reduce_segments(wf::par, elements_in<T>(r.array), offsets, op, results);
  });
}

template <class T>
void run_lengths(const request& r) {
  const auto keys = elements_in<T>(r.array);
  *r.runs = wf::run_lengths(wf::par, keys, static_cast<T*>(r.keys_out), r.lengths);
}

template <class T>
constexpr type_functions elements_of() {
  return {&result_type<T>,     &reduce<T>,      &dot<T>,
          &reduce_segments<T>, &run_lengths<T>, &reduce_axis<T>};
}

}  // namespace compiled
