/// @file
/// The test suite for combining the blocks of a launch, with states of every size: posted in one
/// word or more, with or without a bit for "not yet posted", or too large to post. The fixtures are
/// those of kernel_contract.hpp.
#pragma once

#include <cstring>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/transform.hpp>

namespace test {

template <int Bytes, int Alignment>
struct alignas(Alignment) wide_state {
  unsigned char part[Bytes];
};

/// Each byte of a state is a different sum modulo 256, and each addition counts. The result shows
/// elements that are lost, counted twice or misplaced, and zeros that are taken for a state. The
/// identity is -1.
struct add_parts {
  template <int Bytes, int Alignment>
  WARPFOLD_HD wide_state<Bytes, Alignment> operator()(const wide_state<Bytes, Alignment>& a,
                                                      const wide_state<Bytes, Alignment>& b) const {
    wide_state<Bytes, Alignment> sum{};
    for (int i = 0; i < Bytes; ++i) {
      sum.part[i] = static_cast<unsigned char>(a.part[i] + b.part[i] + 1);
    }
    return sum;
  }
};
template <class State>
struct state_from_number {
  WARPFOLD_HD State operator()(int x) const {
    State s{};
    for (int i = 0; i < static_cast<int>(sizeof s.part); ++i) {
      s.part[i] = static_cast<unsigned char>(static_cast<unsigned>(x) * (2u * i + 1) + i);
    }
    return s;
  }
};

template <class Fixture, class State>
struct state_subject {
  using fixture = Fixture;
  using state = State;
};

template <class Fixture>
using state_subjects =
    std::tuple<state_subject<Fixture, wide_state<3, 1>>, state_subject<Fixture, wide_state<6, 2>>,
               state_subject<Fixture, wide_state<8, 8>>, state_subject<Fixture, wide_state<13, 1>>,
               state_subject<Fixture, wide_state<16, 16>>,
               state_subject<Fixture, wide_state<25, 1>>, state_subject<Fixture, wide_state<36, 4>>,
               state_subject<Fixture, wide_state<96, 8>>,
               state_subject<Fixture, wide_state<97, 1>>>;

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("states of this size meet", Subject, blocks_meet) {
  namespace wf = warpfold;
  using state = typename Subject::state;
  const test::state_from_number<state> make{};
  std::vector<int> numbers(64 * 4 * 140 + 5);
  std::mt19937 random(7);
  for (int& x : numbers) x = static_cast<int>(random());
  const typename Subject::fixture::template array<int> data(numbers, 0);
  const auto same = [](const state& a, const state& b) {
    return std::memcmp(a.part, b.part, sizeof a.part) == 0;
  };
  // Of 513 elements the third block of 64 threads has nothing, of 540 some of its threads; from 33
  // blocks on, more than a warp waits.
  for (const std::size_t n : {513u, 540u, 64u * 4 * 33 + 1, 64u * 4 * 140, 64u * 4 * 140 + 5}) {
    const std::span<const int> host(numbers.data(), n), range(data.data(), n);
    const state want = wf::reduce(wf::seq, wf::project(host, make), test::add_parts{});
    for (const unsigned grid : {2u, 3u, 34u, 140u}) {
      INFO("n = ", n, ", up to ", grid, " blocks");
      const auto policy =
          Subject::fixture::policy().with_kernel(wf::kernel::single_pass<>{64, grid});
      CHECK(same(wf::reduce(policy, wf::project(range, make), test::add_parts{}), want));
      state identity;
      std::memset(&identity, 0xff, sizeof identity);
      const auto with = wf::with_identity(test::add_parts{}, identity);
      CHECK(same(wf::reduce(policy, wf::project(range, make), with), want));
    }
  }
}
