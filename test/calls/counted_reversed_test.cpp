// Counted ranges behind a view that asks for their size, in every call that takes a count of
// elements: the elements are those of a copy.
// needs: tbb boost_context
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_segments.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/reverse.hpp>

namespace wf = warpfold;

namespace {

struct twice_less {
  template <class A, class B>
  WARPFOLD_HD float operator()(const A& a, const B& b) const {
    return static_cast<float>(a) * 2 - static_cast<float>(b);
  }
};
struct negated {
  WARPFOLD_HD float operator()(float x) const { return -x; }
};

template <class T>
std::vector<T> reversed(const std::vector<T>& v, std::size_t n) {
  std::vector<T> first(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n));
  std::reverse(first.begin(), first.end());
  return first;
}

constexpr std::size_t limit = 6000;

struct inputs {
  std::vector<int> keys = std::vector<int>(limit), labels = keys;
  std::vector<float> values = std::vector<float>(limit);

  inputs() {
    for (std::size_t i = 0; i < limit; ++i) {
      keys[i] = static_cast<int>(i / 7);
      labels[i] = static_cast<int>(i % 13);
      values[i] = static_cast<float>(i % 101);
    }
  }
};

}  // namespace

TEST_CASE_TEMPLATE("a reversed counted range ends at its count", Policy, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  const Policy policy;
  const inputs in;
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{41}, std::size_t{997}, std::size_t{4100}, limit - 1, limit}) {
    INFO(n, " of ", limit, " elements");
    // `fold(range of x, out)` of the counted range, and of a copy of its elements.
    const auto compare = [&](const auto& x, std::size_t outputs, const auto& fold) {
      using T = std::remove_cvref_t<decltype(fold(policy, x, std::size_t{1}))>;
      const T got = fold(policy, wf::reverse(wf::counted(x, &n)), outputs);
      const T want = fold(wf::seq, reversed(x, n), outputs);
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
    };
    compare(in.values, n, [&](const auto& p, const auto& x, std::size_t) {
      std::vector<float> out(limit);
      wf::transform(p, x, std::span(out).first(x.size()), negated{});
      return out;
    });
    compare(in.keys, n, [&](const auto& p, const auto& x, std::size_t) {
      std::vector<int> found(limit, -1), lengths(limit, -1);
      wf::run_lengths(p, x, found, lengths);
      found.insert(found.end(), lengths.begin(), lengths.end());
      return found;
    });
    compare(in.labels, 13, [&](const auto& p, const auto& x, std::size_t classes) {
      std::vector<int> counts(classes);
      wf::count_by_class(p, x, classes, counts);
      return counts;
    });
    compare(in.labels, 13, [&](const auto& p, const auto& x, std::size_t classes) {
      std::vector<float> sums(classes);
      wf::reduce_by_class(p, x, std::span(in.values).first(x.size()), classes, wf::plus{}, sums);
      return sums;
    });
    for (const std::size_t each : {std::size_t{41}, n}) {
      std::vector<int> offsets;
      for (std::size_t at = 0; at <= n; at += each) offsets.push_back(static_cast<int>(at));
      const std::size_t segments = offsets.size() - 1;
      compare(in.values, segments, [&](const auto& p, const auto& x, std::size_t outputs) {
        std::vector<float> sums(outputs);
        wf::reduce_segments(p, x, offsets, wf::plus{}, sums);
        return sums;
      });
      compare(in.values, n, [&](const auto& p, const auto& x, std::size_t) {
        std::vector<float> out(limit);
        wf::transform_segments(p, x, offsets, wf::plus{}, std::span(out).first(x.size()),
                               twice_less{});
        return out;
      });
      const std::vector<float> of_segments(segments, 3);
      compare(in.values, n, [&](const auto& p, const auto& x, std::size_t) {
        std::vector<float> out(limit);
        wf::transform_segments(p, x, offsets, of_segments, std::span(out).first(x.size()),
                               twice_less{});
        return out;
      });
    }
  }
}
