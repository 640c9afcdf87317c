/// @file
/// Definitions that the files of wf::across(wf::devices) share.
#pragma once

#include <warpfold/policy/devices.hpp>

#include "device_engines.hpp"
#include "devices.hpp"

namespace warpfold::program {

/// The cases of several GPUs. They are few, because each takes long to compile.
struct devices_integer_cases {
  using enum element;
  using sums = integer_cases::sums;
  using products = elements<>;
  using extrema = elements<uint8, int32, int64>;
  using bits = elements<>;
  using truths = elements<>;
};
struct devices_floating_cases {
  using enum element;
  using sums = floating_cases::sums;
  using products = elements<>;
  using extrema = elements<float32, float64>;
  using bits = elements<>;
  using truths = elements<>;
};

struct devices_whole_array_cases {
  using enum element;
  using means = elements<float32, float64>;
  using norms = means;
  using places = elements<int32, float32, float64>;
};

/// The functions of the engine for a set of cases. The arrays are `sharded_array`s.
template <class Cases>
struct devices_engine {
  /// Calls `f(policy, view, op)`.
  template <class F>
  static void visit(const array& whole, op o, const F& f) {
    const auto& all = static_cast<const sharded_array&>(whole);
    const auto policy = across(devices::of(all.gpus));
    visit_case<Cases>(whole.type, o, [&](auto e, auto op) {
      using T = typename device_type<e.value>::type;
      std::vector<contiguous_view<T>> parts;
      for (const array& part : all.parts) {
        parts.emplace_back(reinterpret_cast<const T*>(part.data), part.count);
      }
      const shards_view<contiguous_view<T>> shards(std::move(parts));
      if constexpr (e.value == element::boolean) {
        f(policy, project(shards, to_truth{}), op);
      } else {
        f(policy, shards, op);
      }
    });
  }

  static bool built_for(const array& a, op o) { return has_case<Cases>(a.type, o); }
  static void fold(const array& whole, op o, std::optional<value>& total) {
    visit(whole, o, [&](const auto& policy, const auto& view, auto op) {
      const auto result = reduce(policy, view, op);
      if constexpr (whole_array_op<decltype(op)>) {
        total = finished_value<typename std::remove_cvref_t<decltype(view)>::value_type>(result);
      } else {
        total = device_value(result);
      }
    });
  }
  static std::string kernel(const array& whole, op o) {
    std::string name;
    visit(whole, o, [&](const auto& policy, const auto& view, auto op) {
      const auto& gpus = policy.ranks();
      const runtime::device_guard on(gpus.id(gpus.size() - 1));
      name = program::kernel_of(policy.local(), view.parts().back(), op);  // no part is larger
    });
    return name;
  }
  static std::string explain(const array& whole, op o) {
    std::string text;
    visit(whole, o, [&](const auto& policy, const auto& view, auto op) {
      text = plan_text(policy, view, op);
    });
    return text;
  }
};

extern const engine across_integers_engine;
extern const engine across_floats_engine;
extern const engine across_whole_arrays_engine;

}  // namespace warpfold::program
