/// @file
/// The test suite for folds of runs of keys and of classes whose keys or labels memory counts. The
/// fixtures are those of transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/view/counted.hpp>

#include "contract/keys_contract.hpp"

namespace test {

/// Counts near the ends of tiles, and others.
inline std::vector<std::size_t> counts_of_keys(std::size_t n) {
  std::vector<std::size_t> counts;
  for (const std::size_t c :
       {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{4097}, n / 3, n}) {
    if (c <= n) counts.push_back(c);
  }
  return counts;
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("runs of as many keys as memory says", Fixture, counted_keys) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {1u, 300u, 9000u}) {
    for (const unsigned longest : {1u, 9u, 7000u}) {
      const auto keys = test::keys_in_runs(n, longest);
      const auto values = test::ordered_elements(n);
      const typename Fixture::template array<int> placed(keys, 4);
      const typename Fixture::template array<std::uint64_t> of_keys(values, 8);
      for (const std::size_t c : test::counts_of_keys(n)) {
        INFO(c, " of ", n, " keys, in runs of up to ", longest);
        std::vector<int> want_keys(n, -1), want_lengths(n, -1);
        std::vector<std::uint64_t> want(n, 7);
        const auto some = test::first_of(keys, c);
        const std::size_t runs =
            wf::reduce_by_key(wf::seq, some, test::first_of(values, c), test::ordered_hash{},
                              want_keys.begin(), want.begin());
        wf::run_lengths(wf::seq, some, want_keys.begin(), want_lengths.begin());

        const typename Fixture::template array<unsigned> count(
            std::vector<unsigned>{static_cast<unsigned>(c)}, 0);
        const auto counted = wf::counted(test::range_of<Fixture, int>(placed, n), count.data());
        const auto data = test::range_of<Fixture, std::uint64_t>(of_keys, n);
        typename Fixture::template target<int> unique(std::vector<int>(n, -1), 0);
        typename Fixture::template target<int> lengths(std::vector<int>(n, -1), 0);
        typename Fixture::template target<std::uint64_t> out(std::vector<std::uint64_t>(n, 7), 0);
        CHECK(wf::reduce_by_key(policy, counted, data, test::ordered_hash{},
                                std::span(unique.data(), n), std::span(out.data(), n)) == runs);
        CHECK((unique.values() == want_keys));
        CHECK((out.values() == want));
        typename Fixture::template slot<std::size_t> found;
        wf::run_lengths_async(policy, counted, std::span(unique.data(), n),
                              std::span(lengths.data(), n), found.pointer());
        CHECK(found.value() == runs);
        CHECK((unique.values() == want_keys));
        CHECK((lengths.values() == want_lengths));
        // Outputs that have no element for each key.
        if (runs == 0 || runs == n) continue;
        typename Fixture::template target<int> short_keys(std::vector<int>(runs, -1), 0);
        typename Fixture::template target<int> short_lengths(std::vector<int>(runs, -1), 0);
        CHECK(wf::run_lengths(policy, counted, std::span(short_keys.data(), runs),
                              std::span(short_lengths.data(), runs)) == runs);
        CHECK((short_lengths.values() == test::first_of(want_lengths, runs)));
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("long runs of counted keys, which several blocks fold", Fixture,
                          counted_long_keys) {
  const std::size_t n = (std::size_t{1} << 19) + 5000;
  std::vector<int> keys(n), values(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = i < 300000 ? 1 : static_cast<int>(i / 9);
    values[i] = static_cast<int>(i % 11);
  }
  const typename Fixture::template array<int> placed(keys, 0), of_keys(values, 0);
  for (const std::size_t c : {std::size_t{0}, std::size_t{250001}, std::size_t{400000}, n}) {
    INFO(c, " of ", n, " keys");
    std::vector<int> want_keys(n, -1);
    std::vector<std::int64_t> want(n, 7);
    const std::size_t runs =
        wf::reduce_by_key(wf::seq, test::first_of(keys, c), test::first_of(values, c), wf::plus{},
                          want_keys.begin(), want.begin());
    const typename Fixture::template array<std::size_t> count(std::vector<std::size_t>{c}, 0);
    typename Fixture::template target<int> unique(std::vector<int>(n, -1), 0);
    typename Fixture::template target<std::int64_t> sums(std::vector<std::int64_t>(n, 7), 0);
    CHECK(wf::reduce_by_key(Fixture::policy(),
                            wf::counted(test::range_of<Fixture, int>(placed, n), count.data()),
                            test::range_of<Fixture, int>(of_keys, n), wf::plus{},
                            std::span(unique.data(), n), std::span(sums.data(), n)) == runs);
    CHECK((unique.values() == want_keys));
    CHECK((sums.values() == want));
  }
}

TEST_CASE_TEMPLATE_DEFINE("classes of as many labels as memory says", Fixture, counted_labels) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {1u, 40u, 6001u}) {
    for (const std::size_t classes : {7u, 300u}) {
      std::vector<int> labels(n);
      test::random_bits random;
      for (int& label : labels) label = static_cast<int>(random() % classes);
      const auto values = test::some_ints(n);
      const typename Fixture::template array<int> of_values(values, 4);
      for (const std::size_t c : test::counts_of_keys(n)) {
        INFO(c, " of ", n, " labels of ", classes, " classes");
        const auto some = test::first_of(labels, c);
        std::vector<std::int64_t> want(classes), want_counts(classes);
        std::vector<int> want_most(classes);
        wf::reduce_by_class(wf::seq, some, test::first_of(values, c), classes, wf::plus{}, want);
        wf::reduce_by_class(wf::seq, some, test::first_of(values, c), classes, wf::maximum{},
                            want_most);
        wf::count_by_class(wf::seq, some, classes, want_counts);
        const typename Fixture::template array<int> placed(labels, 0);
        const typename Fixture::template array<int> count(std::vector<int>{static_cast<int>(c)}, 0);
        const auto counted = wf::counted(test::range_of<Fixture, int>(placed, n), count.data());
        const auto data = test::range_of<Fixture, int>(of_values, n);
        const std::vector<std::int64_t> blank(classes, -7);
        typename Fixture::template target<std::int64_t> sums(blank, 0), counts(blank, 0);
        typename Fixture::template target<int> most(std::vector<int>(classes, -7), 0);
        wf::reduce_by_class(policy, counted, data, classes, wf::plus{},
                            std::span(sums.data(), classes));
        wf::reduce_by_class(policy, counted, data, classes, wf::maximum{},
                            std::span(most.data(), classes));
        wf::count_by_class_async(policy, counted, classes, std::span(counts.data(), classes));
        CHECK((sums.values() == want));
        CHECK((most.values() == want_most));
        CHECK((counts.values() == want_counts));
      }
    }
  }
}
