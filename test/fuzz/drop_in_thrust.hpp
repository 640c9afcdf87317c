/// @file
/// Calls of `wf::drop_in::thrust`. Includes Thrust, so only parts with these calls include this.
#pragma once

#include <warpfold/drop_in/thrust.hpp>

#include "fuzz/drop_in.hpp"

namespace fuzz {

/// The function objects and calls of Thrust.
struct in_thrust {
  template <class Op, class U>
  struct function : own_function<Op, U> {};
  template <class U>
  struct function<plus, U> {
    using type = thrust::plus<U>;
  };
  template <class U>
  struct function<multiplies, U> {
    using type = thrust::multiplies<U>;
  };
  template <class U>
  struct function<minimum, U> {
    using type = thrust::minimum<U>;
  };
  template <class U>
  struct function<maximum, U> {
    using type = thrust::maximum<U>;
  };
  template <class U>
  struct function<bit_and, U> {
    using type = thrust::bit_and<U>;
  };
  template <class U>
  struct function<bit_or, U> {
    using type = thrust::bit_or<U>;
  };
  template <class U>
  struct function<bit_xor, U> {
    using type = thrust::bit_xor<U>;
  };
  template <class U>
  struct function<logical_and, U> {
    using type = thrust::logical_and<U>;
  };
  template <class U>
  struct function<logical_or, U> {
    using type = thrust::logical_or<U>;
  };
  template <class Init>
  using default_sum = thrust::plus<Init>;
  template <class Init>
  using default_product = thrust::multiplies<Init>;
  using descending = thrust::greater<>;

  /// What a fold accumulates in: Thrust's accumulator on the GPU.
  template <class F, class Init, class X>
  using accumulator = std::decay_t<std::invoke_result_t<F&, Init, X>>;
  static constexpr bool takes_policies = true;
  static constexpr bool has_reduce_into = true;
  static constexpr bool has_questions = true;
  static constexpr bool orders_nan_of_descending = true;
  static constexpr bool finds_last_greatest = false;

  /// A policy of Thrust. Calls with that of the host run Thrust's own code, whose folds have other
  /// types, and whose extrema have no place for a NaN.
#if defined(__CUDACC__)
  static auto their_policy() { return thrust::cuda::par; }
  static constexpr bool replaces_their_policy = true;
#else
  static const auto& their_policy() { return thrust::host; }
  static constexpr bool replaces_their_policy = false;
#endif

  template <class... Arguments>
  static auto reduce(const Arguments&... arguments) {
    return wf::drop_in::thrust::reduce(arguments...);
  }
  template <class... Arguments>
  static void reduce_into(const Arguments&... arguments) {
    wf::drop_in::thrust::reduce_into(arguments...);
  }
  template <class... Arguments>
  static auto transform_reduce(const Arguments&... arguments) {
    return wf::drop_in::thrust::transform_reduce(arguments...);
  }
  template <class... Arguments>
  static auto inner_product(const Arguments&... arguments) {
    return wf::drop_in::thrust::inner_product(arguments...);
  }
  template <class... Arguments>
  static auto count(const Arguments&... arguments) {
    return wf::drop_in::thrust::count(arguments...);
  }
  template <class... Arguments>
  static auto count_if(const Arguments&... arguments) {
    return wf::drop_in::thrust::count_if(arguments...);
  }
  template <class... Arguments>
  static auto min_element(const Arguments&... arguments) {
    return wf::drop_in::thrust::min_element(arguments...);
  }
  template <class... Arguments>
  static auto max_element(const Arguments&... arguments) {
    return wf::drop_in::thrust::max_element(arguments...);
  }
  template <class... Arguments>
  static auto minmax_element(const Arguments&... arguments) {
    return wf::drop_in::thrust::minmax_element(arguments...);
  }
  template <class... Arguments>
  static auto all_of(const Arguments&... arguments) {
    return wf::drop_in::thrust::all_of(arguments...);
  }
  template <class... Arguments>
  static auto any_of(const Arguments&... arguments) {
    return wf::drop_in::thrust::any_of(arguments...);
  }
  template <class... Arguments>
  static auto none_of(const Arguments&... arguments) {
    return wf::drop_in::thrust::none_of(arguments...);
  }
  template <class... Arguments>
  static auto equal(const Arguments&... arguments) {
    return wf::drop_in::thrust::equal(arguments...);
  }
  template <class... Arguments>
  static auto mismatch(const Arguments&... arguments) {
    return wf::drop_in::thrust::mismatch(arguments...);
  }
  template <class... Arguments>
  static auto is_sorted(const Arguments&... arguments) {
    return wf::drop_in::thrust::is_sorted(arguments...);
  }
  template <class... Arguments>
  static auto is_partitioned(const Arguments&... arguments) {
    return wf::drop_in::thrust::is_partitioned(arguments...);
  }
};

template <class Init, class U>
using thrust_fold = drop_in_fold<in_thrust, Init, U>;
template <class Init>
using thrust_pairs = drop_in_pairs<in_thrust, Init>;
using thrust_places = drop_in_places<in_thrust>;
using thrust_questions = drop_in_questions<in_thrust>;

/// The projection of the first number, or the second number, if that is not greater.
template <class Projection>
struct least_projected {
  template <class T, class P>
  WARPFOLD_HD P operator()(const T& x, const P& y) const {
    const P projected = Projection{}(x);
    return projected < y ? projected : y;
  }
};

/// Outputs: `transform` of one and of two ranges, `copy` of computed elements, and `reduce_by_key`.
/// `Op` is not used.
struct thrust_outputs {
  static constexpr std::size_t longest = 4500;

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    namespace t = wf::drop_in::thrust;
    using P = projected_t<Projection, T>;
    const std::size_t n = s.values.size();
    list<P> projected, others, lesser;
    for (std::size_t i = 0; i < n; ++i) {
      projected.push_back(Projection{}(s.values[i]));
      others.push_back(Projection{}(s.values[i * 7 % n]));
      lesser.push_back(least_projected<Projection>{}(s.values[i], others[i]));
    }
    const auto bytes = bytes_of<contiguous>(s.values), other_bytes = bytes_of<contiguous>(others);
    findings all;
    const auto check = [&](const std::string& who, const auto& by, const auto& range,
                           const auto& other_range, const auto& out_of) {
      const T* const first = contiguous::at<T>(range.data(), 0);
      const T* const last = first + n;
      const P* const other = contiguous::at<P>(other_range.data(), 0);
      const auto expect = [&](const char* function, const list<P>& want, const auto& call) {
        const auto place_of_error = [&] {
          const auto out = out_of(n * sizeof(P));
          P* const to = reinterpret_cast<P*>(out.data());
          if (call(to) != to + n) return -2l;
          const auto written = out.copy();
          for (std::size_t i = 0; i < n; ++i) {
            P x;
            std::memcpy(static_cast<void*>(&x), written.data() + i * sizeof x, sizeof x);
            if (!is_same_number(x, want[i])) return static_cast<long>(i);
          }
          return -1l;
        };
        all.expect(who + ": " + function + ", the first wrong place", place_of_error, -1l);
      };
      expect("transform", projected,
             [&](P* to) { return t::transform(by, first, last, to, Projection{}); });
      expect("transform of two ranges", lesser, [&](P* to) {
        return t::transform(by, first, last, other, to, least_projected<Projection>{});
      });
      expect("copy", others, [&](P* to) { return t::copy(by, other, other + n, to); });
      if constexpr (!std::is_same_v<Projection, not_const>) {
        const auto computed = thrust::make_transform_iterator(first, Projection{});
        const auto end = computed + static_cast<std::ptrdiff_t>(n);
        expect("copy of computed elements", projected,
               [&](P* to) { return t::copy(by, computed, end, to); });
      }
    };
    const auto on_host = [](std::size_t size) {
      return host_bytes(std::vector<unsigned char>(size, 0x77), 0);
    };
    const auto on_there = [](std::size_t size) {
      return there_bytes(std::vector<unsigned char>(size, 0x77), 0, use::output);
    };
    const host_bytes here(bytes, s.offset), other_here(other_bytes, 0);
    const there_bytes there(bytes, s.offset), other_there(other_bytes, 0, use::bounds);
    check("seq", wf::seq, here, other_here, on_host);
    check("policy", policy, there, other_there, on_there);
    check("their policy", in_thrust::their_policy(), there, other_there, on_there);
    check_keys(all, "seq", wf::seq, projected, s.offset);
#if !defined(__CUDACC__)
    check_keys(all, "policy", policy, projected, s.offset);
#endif
    return all.result();
  }

 private:
  // Runs of keys of another type than the values, in memory of the host.
  template <class Policy, class List>
  static void check_keys(findings& all, const std::string& who, const Policy& policy,
                         const List& values, std::size_t seed) {
    using P = typename List::value_type;
    if (!std::all_of(values.begin(), values.end(), summable_numbers::takes<P>)) return;
    const std::size_t n = values.size();
    std::vector<int> offsets = segment_offsets(n, seed);
    offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
    const std::size_t runs = offsets.size() - 1;
    std::vector<short> keys(n), found(runs);
    list<sum_reference<P>> sums(runs);
    for (std::size_t k = 0; k < runs; ++k) {
      for (int i = offsets[k]; i < offsets[k + 1]; ++i) {
        const auto place = static_cast<std::size_t>(i);
        keys[place] = static_cast<short>(k % 3);
        sums[k].add(values[place], place);
      }
    }
    const auto bytes = bytes_of<contiguous>(values);
    const host_bytes in(bytes, 0), out(std::vector<unsigned char>(runs * sizeof(P), 0x77), 0);
    const P* const first = contiguous::at<P>(in.data(), 0);
    P* const to = reinterpret_cast<P*>(out.data());
    const auto first_wrong_run = [&] {
      const auto ends = wf::drop_in::thrust::reduce_by_key(
          policy, keys.begin(), keys.end(), first, found.begin(), to, thrust::equal_to<short>(),
          in_type<P, add_plainly>{});
      if (ends.first != found.end() || ends.second != to + runs) return -2l;
      for (std::size_t k = 0; k < runs; ++k) {
        if (found[k] != static_cast<short>(k % 3) || !sums[k].admits(to[k])) {
          return static_cast<long>(k);
        }
      }
      return -1l;
    };
    all.expect(who + ": reduce_by_key, the first wrong run", first_wrong_run, -1l);
  }
};

}  // namespace fuzz
