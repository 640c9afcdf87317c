// A grouping of the user's own, in four headers (docs/extending.md): on host threads, and its
// kernel in the emulation.
// needs: tbb
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "extending/reduce_channels.hpp"

namespace wf = warpfold;

namespace {

// An op without an identity.
struct larger {
  WARPFOLD_HD int operator()(int a, int b) const { return a < b ? b : a; }
};

struct ramp {
  std::vector<int> data;

  explicit ramp(std::size_t n) : data(n) {
    for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<int>(i * i % 1009) - 500;
  }
};

// Each channel by `reduce`.
template <class Op>
std::vector<long long> one_by_one(const std::vector<int>& samples, std::size_t channels, Op op) {
  std::vector<long long> all;
  for (std::size_t c = 0; c < channels; ++c) {
    std::vector<int> own;
    for (std::size_t i = c; i < samples.size(); i += channels) own.push_back(samples[i]);
    all.push_back(wf::reduce(wf::seq, own, op));
  }
  return all;
}

template <class Policy>
void check(const Policy& policy) {
  for (const std::size_t channels : {1, 2, 7, 33, 300}) {
    for (const std::size_t length : {1, 31, 32, 100, 1000}) {
      const ramp samples(channels * length);
      std::vector<long long> out(channels);
      sound::reduce_channels(policy, samples.data, channels, wf::plus{}, out);
      CHECK(out == one_by_one(samples.data, channels, wf::plus{}));
      sound::reduce_channels(policy, samples.data, channels, wf::maximum{}, out);
      CHECK(out == one_by_one(samples.data, channels, wf::maximum{}));
    }
  }
}

}  // namespace

TEST_CASE("a grouping of the user's own on every policy that has its loop or its kernel") {
  check(wf::seq);
  check(wf::par);
  check(wf::emulated);
}

TEST_CASE("policies take the errors and the empty cases from the grouping") {
  std::vector<long long> out(3, 77);
  const std::vector<int> none, seven(7, 1);
  const auto refuses = [&](const auto& policy) {
    CHECK_THROWS_WITH_AS(sound::reduce_channels(policy, seven, 3, wf::plus{}, out),
                         "sound: 7 samples are not the same number for 3 channels",
                         wf::invalid_range);
    CHECK_THROWS_AS(sound::reduce_channels(policy, none, 3, larger{}, out), wf::empty_range);
    const int* const null = nullptr;
    CHECK_THROWS_WITH_AS(sound::reduce_channels(policy, wf::as_view(null, 6), 3, wf::plus{}, out),
                         doctest::Contains("the range of the samples"), wf::invalid_range);
    CHECK(out == std::vector<long long>(3, 77));
    sound::reduce_channels(policy, none, 3, wf::plus{}, out);
    CHECK(out == std::vector<long long>(3, 0));
    out.assign(3, 77);
  };
  refuses(wf::seq);
  refuses(wf::par);
  refuses(wf::emulated);
}
