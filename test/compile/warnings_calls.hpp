/// @file
/// The entry points, ops and views of the library, instantiated for one policy and one element
/// type. The warnings_*_ok files compile this with all warnings; nothing here runs.
#pragma once

#include <complex>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_reduce.hpp>

namespace warnings {

namespace wf = warpfold;

/// A struct with the operators of sums and predicates.
struct pair_of {
  float x = 0;
  short n = 0;

  friend WARPFOLD_HD pair_of operator+(const pair_of& a, const pair_of& b) {
    return {a.x + b.x, static_cast<short>(a.n + b.n)};
  }
  friend WARPFOLD_HD bool operator==(const pair_of& a, const pair_of& b) { return a.n == b.n; }
};

struct to_double {
  template <class T>
  WARPFOLD_HD double operator()(const T& x) const {
    return static_cast<double>(x);
  }
};
struct to_short {
  template <class T>
  WARPFOLD_HD short operator()(const T& x) const {
    return static_cast<short>(x);
  }
};
struct as_it_is {
  template <class T>
  WARPFOLD_HD T operator()(const T& x) const {
    return x;
  }
};
struct is_zero {
  template <class T>
  WARPFOLD_HD bool operator()(const T& x) const {
    return x == T{};
  }
};
/// A user's op in the element type.
struct second {
  template <class T>
  WARPFOLD_HD T operator()(const T&, const T& b) const {
    return b;
  }
};
struct first_of {
  template <class Pair>
  WARPFOLD_HD auto operator()(const Pair& p) const {
    return wf::get<0>(p);
  }
};

/// The calls for every element type.
template <class Policy, class T>
void every_element(const Policy& policy, std::span<const T> v, std::span<T> out) {
  T result{};
  wf::sum(policy, v);
  wf::reduce(policy, v, T{}, wf::plus{});
  wf::reduce(policy, v, T{}, second{});
  wf::reduce(policy, v.data(), v.data() + v.size());
  wf::reduce(policy, v.data(), v.data() + v.size(), T{});
  wf::reduce_async(policy, v, wf::plus{}, &result);
  wf::reduce_async(policy, v, T{}, second{}, &result);
  wf::count(policy, v, T{});
  wf::count_if(policy, v, is_zero{});
  wf::all_of(policy, v, is_zero{});
  wf::any_of(policy, v, is_zero{});
  wf::none_of(policy, v, is_zero{});
  wf::transform(policy, v, out, as_it_is{});
  wf::copy(policy, v, out);
  wf::explain(policy, v, wf::plus{});
}

/// The additional calls for numbers.
template <class Policy, class T>
void every_number(const Policy& policy, std::span<const T> v, std::span<T> out) {
  every_element(policy, v, out);
  T result{};
  float narrower{};
  wf::product(policy, v);
  wf::min(policy, v);
  wf::max(policy, v);
  wf::minmax(policy, v);
  wf::argmin(policy, v);
  wf::argmax(policy, v);
  wf::argminmax(policy, v);
  wf::indexed<T> place{};
  wf::argmin_async(policy, v, {}, as_it_is{}, &place);
  wf::argmax_async(policy, v, {}, as_it_is{}, &place);
  wf::min(policy, wf::counted(v, static_cast<const int*>(nullptr)));
  wf::argminmax(policy, wf::counted(v, static_cast<const int*>(nullptr)));
  wf::count(policy, v, 1);
  wf::dot(policy, v, v);
  wf::inner_product(policy, v, v, T{}, wf::plus{}, wf::minimum{});
  wf::norm_1(policy, v);
  wf::norm_2(policy, v);
  wf::norm_infinity(policy, v);
  wf::norm_p(policy, v, 3);
  wf::mean(policy, v);
  wf::variance(policy, v);
  wf::stddev(policy, v, wf::variance_of::sample);
  wf::reduce(policy, v, 0, wf::plus{});
  wf::reduce(policy, v, 0.0f, wf::plus{});
  wf::reduce(policy, v, T{}, wf::multiplies{});
  wf::reduce(policy, v, wf::logical_and{});
  wf::reduce(policy, v, wf::logical_or{});
  wf::reduce_async(policy, v, wf::minimum{}, &result);
  wf::reduce_async(policy, v, wf::plus{}, &narrower);
  wf::reduce(policy, v.data(), v.data() + v.size(), short{0});
  wf::reduce(policy, v,
             wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}), wf::moments_op{},
                     wf::projected(wf::plus{}, to_short{})));
  wf::transform_reduce(policy, v, wf::plus{}, to_double{});
  wf::transform_reduce(policy, v, 0, wf::maximum{}, to_short{});
  wf::transform(policy, v, out, to_double{});
  if constexpr (std::is_integral_v<T>) {
    wf::reduce(policy, v, wf::bit_and{});
    wf::reduce(policy, v, wf::bit_or{});
    wf::reduce(policy, v, wf::bit_xor{});
  } else {
    wf::reduce(policy, v, wf::plus{}.compensated());
    wf::reduce(policy, v, wf::minimum{}.ignoring_nan());
    wf::reduce(policy, v, wf::maximum{}.ignoring_nan());
    wf::dot(policy, v, v, wf::plus{}.compensated());
  }
}

/// The additional calls for complex numbers of any library.
template <class Policy, class T>
void every_complex(const Policy& policy, std::span<const T> v, std::span<T> out) {
  every_element(policy, v, out);
  wf::product(policy, v);
  wf::dot(policy, v, v);
  wf::norm_1(policy, v);
  wf::norm_2(policy, v);
  wf::norm_infinity(policy, v);
}

/// Every view of `v`, for one op each.
template <class Policy, class T>
void every_view(const Policy& policy, std::span<const T> v, std::span<T> out) {
  const auto fold = [&](const auto& view) { wf::reduce(policy, view, wf::plus{}); };
  fold(wf::project(v, to_double{}));
  fold(wf::project(v, to_short{}));
  fold(wf::project(wf::zip(v, v), first_of{}));
  fold(wf::staged(v));
  fold(wf::project(wf::staged(wf::zip(v, v)), first_of{}));
  if constexpr (!std::is_same_v<T, bool>) fold(wf::counting(T{}, v.size()));
  if constexpr (sizeof(T) == 1 || sizeof(T) == 2) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      wf::reduce(policy, wf::packed(v), wf::maximum{});
  }
  wf::reduce(policy, wf::zip(v, v), second{});
  wf::copy(policy, wf::counting(0, v.size()), out);
  wf::copy(policy, wf::staged(v), wf::staged(out));
  wf::transform(policy, wf::zip(v, v), out, first_of{});
}

/// Ranges that hide their memory, or that only the host can read.
template <class Policy, class T>
void every_iterator(const Policy& policy, std::span<const T> v) {
  wf::sum(policy, std::vector<unsigned char>());
  wf::reduce(policy, std::reverse_iterator(v.end()), std::reverse_iterator(v.begin()));
}

/// A struct's fields, and views of structs.
template <class Policy>
void every_layout(const Policy& policy, std::span<const pair_of> v, std::span<pair_of> out) {
  wf::reduce(policy, wf::field<&pair_of::x>(v), wf::plus{});
  wf::reduce(policy, wf::field<&pair_of::n>(v), wf::maximum{});
  wf::reduce(policy, wf::aligned<8>(v), wf::plus{});
  wf::copy(policy, wf::aligned<8>(v), out);
}

/// Forms without ranges, and results that are written. Narrow elements, so that a conversion
/// without a cast is a warning.
template <class Policy>
void every_form(const Policy& policy, const short* p, std::size_t n, float* out) {
  short narrow{};
  wf::least_and_greatest<short> both{};
  wf::sum(policy, p, n);
  wf::sum(policy, p, static_cast<short>(3));
  wf::dot(policy, p, p, 3u);
  wf::inner_product(policy, p, p + n, p, short{0});
  wf::transform_reduce(policy, p, p + n, short{0}, wf::plus{}, to_double{});
  wf::transform(policy, p, p, 3, out, second{});
  wf::sum_async(policy, p, n, &narrow);
  wf::sum_async(policy, p, n, wf::accumulate(&narrow));
  wf::reduce_async(policy, p, n, wf::value_at(out), wf::plus{}, &narrow);
  wf::minmax_async(policy, p, n, &both);
  wf::norm_2_async(policy, p, n, out);
  wf::norm_p_async(policy, p, n, 3, &narrow);
  wf::stddev_async(policy, p, n, wf::variance_of::sample, out);
  wf::kurtosis_async(policy, p, n, out);
  wf::none_of_async(policy, p, n, is_zero{}, out);
}

}  // namespace warnings
