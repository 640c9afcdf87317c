// wf::mpi: the processes of MPI as ranks. The test runs alone and, by
// cmake/warpfold_mpi_test.cmake, under the mpirun of each implementation with 1 to 8 processes.
// needs: mpi tbb boost_context
#include <warpfold/policy/mpi.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

// MPI from the first use to the end of the program.
wf::mpi_ranks world() {
  static const bool is_started = [] {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::atexit([] { MPI_Finalize(); });
    return true;
  }();
  (void)is_started;
  return wf::mpi(MPI_COMM_WORLD, 60);
}

std::vector<double> some_doubles(std::size_t n, std::mt19937& random) {
  std::vector<double> v(n);
  for (auto& x : v) {
    x = std::ldexp(static_cast<double>(random()) - 2e9, static_cast<int>(random() % 200));
  }
  return v;
}

// This rank's part of values that all ranks draw alike. Some parts are empty.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, const wf::mpi_ranks& ranks) {
  const std::size_t n = all.size(), size = static_cast<std::size_t>(ranks.size());
  const std::size_t r = static_cast<std::size_t>(ranks.rank());
  const auto bound = [&](std::size_t i) { return i / 2 * 2 * n / size; };  // odd ranks are empty
  const auto at = [&](std::size_t i) {
    return all.begin() + static_cast<std::ptrdiff_t>(i >= size ? n : bound(i));
  };
  return {at(r), at(r + 1)};
}

template <class E, class F>
std::string thrown_by(const F& f) {
  try {
    (void)f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another type: ") + e.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("before MPI_Init") {
  int initialized = 0;
  MPI_Initialized(&initialized);
  REQUIRE(initialized == 0);  // this test is the first
  CHECK(thrown_by<wf::communication_error>([] {
          return wf::mpi(MPI_COMM_WORLD);
        }).starts_with("warpfold: MPI is not initialized"));
}

TEST_CASE("the number of ranks is that of mpirun") {
  const auto ranks = world();
  const char* const expected = std::getenv("WARPFOLD_TEST_RANKS");
  CHECK(ranks.size() == (expected != nullptr ? std::atoi(expected) : 1));
  CHECK(thrown_by<wf::communication_error>([] {
          return wf::mpi(MPI_COMM_NULL);
        }).starts_with("warpfold: the communicator is MPI_COMM_NULL"));
}

TEST_CASE("bytes are gathered in rank order, and integers are added modulo 2^64") {
  const auto ranks = world();
  const std::size_t size = static_cast<std::size_t>(ranks.size());
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{128}, std::size_t{50000}}) {
    const std::vector<unsigned char> mine(bytes, static_cast<unsigned char>(ranks.rank() + 1));
    std::vector<unsigned char> all(bytes * size), expected;
    ranks.all_gather(mine.data(), bytes, all.data());
    for (std::size_t r = 0; r < size; ++r)
      expected.insert(expected.end(), bytes, static_cast<unsigned char>(r + 1));
    CHECK(all == expected);
  }
  std::array<std::int64_t, 2> values{ranks.rank(), std::numeric_limits<std::int64_t>::max()};
  ranks.all_reduce(values.data(), 2);
  CHECK(values[0] == ranks.size() * (ranks.size() - 1) / 2);
  CHECK(static_cast<std::uint64_t>(values[1]) ==
        size * static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE_TEMPLATE("the parts of all ranks give the result of the whole", Local, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  const auto ranks = world();
  std::mt19937 random(8);
  for (const std::size_t n : {0u, 1u, 7u, 1000u, 3001u}) {
    CAPTURE(n);
    const auto all = some_doubles(n, random);
    const auto part = part_of(all, ranks);
    const auto policy = wf::across(ranks, Local{});
    CHECK(wf::reduce(policy, part) == wf::reduce(wf::seq, all));
    CHECK(wf::reduce(policy, part, wf::plus{}.exact()) ==
          wf::reduce(wf::seq, all, wf::plus{}.exact()));
    CHECK(wf::reduce(policy, part, wf::arg(wf::minimum{})) ==
          wf::reduce(wf::seq, all, wf::arg(wf::minimum{})));
    if (n == 0) continue;
    const auto hashes = test::ordered_elements(n);
    CHECK(wf::reduce(policy, part_of(hashes, ranks), test::ordered_hash{}) ==
          test::ordered_fold(hashes));
  }
}

TEST_CASE("named functions") {
  const auto ranks = world();
  const auto policy = wf::across(ranks);
  std::mt19937 random(9);
  const auto all = some_doubles(3001, random);
  const auto part = part_of(all, ranks);
  CHECK(wf::norm_2(policy, part) == wf::norm_2(wf::seq, all));
  CHECK(wf::mean(policy, part) == wf::mean(wf::seq, all));
  CHECK(wf::dot(policy, part, part) == wf::dot(wf::seq, all, all));
  CHECK(wf::argmax(policy, part) == wf::argmax(wf::seq, all));
  CHECK(thrown_by<wf::empty_range>([&] {
          return wf::mean(policy, std::vector<double>{});
        }).starts_with("warpfold: mean needs at least 1 element"));
}

TEST_CASE("an init in memory is combined once, and must be the same on every rank") {
  const auto ranks = world();
  const std::vector<double> part{1, 2};
  double total = 10;
  wf::sum_async(wf::across(ranks), part, wf::accumulate(&total));
  CHECK(total == 10 + 3 * ranks.size());
  if (ranks.size() == 1) return;
  total = ranks.rank() == 1 ? 4 : 5;
  CHECK(thrown_by<wf::rank_error>([&] {
          return wf::reduce(wf::across(ranks), part, wf::value_at(&total), wf::plus{});
        }).find(" passes another init than rank 0") != std::string::npos);
}

TEST_CASE("a rank that throws, or makes another call, is named on every rank") {
  const auto ranks = world();
  if (ranks.size() == 1) return;
  const auto policy = wf::across(ranks);
  const std::vector<float> part{1, 2, 3};
  for (int bad = 0; bad < ranks.size(); ++bad) {
    const auto call = [&] {
      return wf::reduce(policy, ranks.rank() == bad ? nullptr : part.data(), 3);
    };
    if (ranks.rank() == bad) {
      CHECK(
          thrown_by<wf::invalid_range>(call).starts_with("warpfold: the range is a null pointer"));
    } else {
      CHECK(thrown_by<wf::rank_error>(call).starts_with(
          "warpfold: rank " + std::to_string(bad) + " of " + std::to_string(ranks.size()) +
          " threw: warpfold: the range is a null pointer"));
    }
  }
  const int last = ranks.size() - 1;
  CHECK(thrown_by<wf::rank_error>(
            [&] { return ranks.rank() == last ? wf::max(policy, part) : wf::sum(policy, part); })
            .starts_with("warpfold: rank " + std::to_string(last) + " of " +
                         std::to_string(ranks.size()) + " makes another call than rank 0"));
  CHECK(wf::sum(policy, part) == 6 * static_cast<float>(ranks.size()));
}

TEST_CASE("a part of the processes") {
  const auto all = world();
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, all.rank() % 2, -all.rank(), &half);  // in the opposite order
  const auto ranks = wf::mpi(half);
  const std::vector<int> part(1, all.rank());
  const auto greatest = wf::argmax(wf::across(ranks), part);
  CHECK(greatest.value == (all.size() - 1 - all.rank() % 2) / 2 * 2 + all.rank() % 2);
  CHECK(greatest.index == 0);
  MPI_Comm_free(&half);
}

TEST_CASE("a rank that does not call is an error after the time limit") {
  const auto ranks = world();
  if (ranks.size() == 1) return;
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const auto limited = wf::mpi(copy, 0.1);
  const std::vector<float> part{1};
  const auto sum = [&] { return wf::sum(wf::across(limited), part); };
  if (ranks.rank() != 0) {
    const auto text = thrown_by<wf::communication_error>(sum);
    CHECK(text.starts_with("warpfold: a rank did not join the MPI_Iallgather of rank " +
                           std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) +
                           " within 100 ms"));
  }
  // The collective under way ends when the last rank calls, so that MPI_Finalize returns.
  MPI_Barrier(MPI_COMM_WORLD);
  if (ranks.rank() == 0) (void)thrown_by<wf::communication_error>(sum);
  MPI_Barrier(MPI_COMM_WORLD);
}

// cmake/mpi_killed_test.cmake runs this case alone, with three processes.
TEST_CASE("a rank that is killed" * doctest::skip()) {
  const auto all = world();
  const auto ranks = wf::mpi(MPI_COMM_WORLD, 1);
  const std::vector<float> part{1};
  REQUIRE(wf::sum(wf::across(ranks), part) == static_cast<float>(all.size()));
  if (ranks.rank() == 1) std::raise(SIGKILL);
  const auto text =
      thrown_by<wf::communication_error>([&] { return wf::sum(wf::across(ranks), part); });
  std::printf("rank %d caught: %s\n", ranks.rank(), text.c_str());
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 5);
}
