// wf::across with wf::device: each rank folds on the GPU, and the host exchanges the nodes or
// states.
#include <warpfold/policy/across.hpp>

#include <doctest/doctest.h>

#include <random>
#include <span>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/counted.hpp>

#include "contract/order_certificate.hpp"
#include "contract/ranks.hpp"

namespace wf = warpfold;

namespace {

struct above {
  float limit;
  WARPFOLD_HD bool operator()(float x) const { return x > limit; }
};

}  // namespace

TEST_CASE("any split among ranks with a GPU gives the result of the whole range") {
  std::mt19937 random(4);
  for (const std::size_t n : {0ul, 5ul, 3000ul, 500000ul}) {
    std::vector<float> v(n);
    for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
    const wf::device_buffer<float> whole(v);
    for (const int ranks : {1, 3}) {
      const auto bounds = test::dealt(n, ranks, random);
      const auto part = [&](int r) {
        const auto i = static_cast<std::size_t>(r);
        return std::span<const float>(whole.data() + bounds[i], bounds[i + 1] - bounds[i]);
      };
      const auto agrees = [&](const auto& call) {
        const auto all = test::on_ranks(ranks, [&](auto rank) {
          return call(wf::across(rank, wf::device), part(rank.rank()));
        });
        return all.all_are(call(wf::device, std::span<const float>(whole.data(), n)));
      };
      CAPTURE(n);
      CAPTURE(ranks);
      CHECK(agrees([](const auto& p, const auto& r) { return wf::sum(p, r); }));
      CHECK(agrees([](const auto& p, const auto& r) { return wf::count_if(p, r, above{2}); }));
      CHECK(
          agrees([](const auto& p, const auto& r) { return wf::reduce(p, r, 7.0f, wf::plus{}); }));
      if (n == 0) continue;
      CHECK(agrees([](const auto& p, const auto& r) { return wf::argmin(p, r).index; }));
      CHECK(agrees([](const auto& p, const auto& r) { return wf::min(p, r); }));
      CHECK(agrees(
          [](const auto& p, const auto& r) { return wf::reduce(p, r, wf::plus{}.exact()); }));
    }
  }
}

TEST_CASE(
    "the bits of one rank, however the elements are divided, also if some ranks have wf::seq") {
  std::mt19937 random(9);
  for (const std::size_t n : {1ul, 7ul, 3000ul, 500'003ul}) {
    for (const int ranks : {1, 2, 3, 8}) {
      INFO(n, " elements on ", ranks, " ranks");
      const auto check = [&](const auto& v, const auto&... args) {
        const wf::device_buffer<typename std::remove_cvref_t<decltype(v)>::value_type> there(v);
        const auto bounds = test::dealt(v.size(), ranks, random);
        const auto all = test::on_ranks(ranks, [&](auto rank) {
          const auto r = static_cast<std::size_t>(rank.rank());
          const std::size_t first = bounds[r], size = bounds[r + 1] - first;
          if (r % 3 == 2) {
            return wf::reduce(wf::across(rank, wf::seq), std::span(v).subspan(first, size),
                              args...);
          }
          return wf::reduce(wf::across(rank, wf::device), std::span(there.data() + first, size),
                            args...);
        });
        CHECK(all.all_are(wf::reduce(wf::seq, v, args...)));
      };
      std::vector<float> floats(n);
      std::vector<test::wide_hash> wide(n % 5000 + 1);
      for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(random()) / 3;
      for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
      check(test::ordered_elements(n), test::ordered_hash{});
      check(test::ordered_elements(n), std::uint64_t{5}, test::ordered_hash{});
      check(floats, wf::plus{});
      check(wide, test::hash_each{});
      check(test::ordered_elements(n), test::hash_with_index{});
      check(test::ordered_elements(n), test::hash_and_last{});
    }
  }
}

TEST_CASE("the declared order of ranges whose counts the GPU knows") {
  const std::vector<std::uint64_t> v = test::ordered_elements(5000);
  const wf::device_buffer<std::uint64_t> there(v);
  const wf::device_buffer<int> counts(std::vector<int>{1001, 3});
  const wf::device_buffer<std::uint64_t> init(std::vector<std::uint64_t>{7});
  const auto check = [&](const auto& op) {
    const auto all = test::on_ranks(2, [&](auto rank) {
      const auto part = std::span<const std::uint64_t>(there.data() + 1001 * rank.rank(), 3000);
      return wf::reduce(wf::across(rank, wf::device),
                        wf::counted(part, counts.data() + rank.rank()), wf::value_at(init.data()),
                        op);
    });
    CHECK(all.all_are(wf::reduce(wf::seq, std::span(v).first(1004), std::uint64_t{7}, op)));
  };
  check(test::ordered_hash{});
  check(test::hash_with_index{});
}

TEST_CASE("the result goes to device memory, and faults reach every rank") {
  const std::vector<float> v(1000, 1.5f);
  const wf::device_buffer<float> whole(v);
  wf::device_buffer<float> out(2);
  const auto done = test::on_ranks(2, [&](auto rank) {
    const auto part = std::span<const float>(whole.data() + 500 * rank.rank(), 500);
    wf::sum_async(wf::across(rank, wf::device), part, out.data() + rank.rank());
    return cudaDeviceSynchronize() == cudaSuccess;
  });
  CHECK(done.all_are(true));
  float found[2] = {};
  REQUIRE(cudaMemcpy(found, out.data(), sizeof found, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(found[0] == 1500);
  CHECK(found[1] == 1500);
  const float* null = nullptr;
  const auto failed = test::on_ranks(2, [&](auto rank) {
    const auto part = std::span<const float>(rank.rank() == 1 ? null : whole.data(), 500);
    return wf::sum(wf::across(rank, wf::device), part);
  });
  CHECK(failed.thrown_by<wf::invalid_range>(1).find("null pointer") != std::string::npos);
  CHECK(failed.thrown_by<wf::rank_error>(0).find("null pointer") != std::string::npos);
}

TEST_CASE("an init in device memory, also one that earlier work on the stream writes") {
  const std::vector<double> v(1000, 1.5);
  const wf::device_buffer<double> whole(v);
  const auto part_of = [&](auto rank) {
    return std::span<const double>(whole.data() + 500 * rank.rank(), 500);
  };
  wf::device_buffer<double> inits(std::vector<double>{0, 0, 7, 8});
  const auto all = test::on_ranks(2, [&](auto rank) {
    const auto across = wf::across(rank, wf::device);
    double* const own = inits.data() + rank.rank();
    wf::sum_async(wf::device, whole, own);
    wf::sum_async(across, part_of(rank), wf::accumulate(own));
    return wf::reduce(across, part_of(rank), wf::value_at(own), wf::plus{});
  });
  CHECK(all.all_are(4500));
  const auto empty = test::on_ranks(2, [&](auto rank) {
    return wf::reduce(wf::across(rank, wf::device), part_of(rank).first(0),
                      wf::value_at(inits.data() + 2), wf::minimum{});
  });
  CHECK(empty.all_are(7));
  const auto other = test::on_ranks(2, [&](auto rank) {
    return wf::reduce(wf::across(rank, wf::device), part_of(rank),
                      wf::value_at(inits.data() + 2 + rank.rank()), wf::plus{});
  });
  for (const std::size_t r : {0, 1}) {
    CHECK(other.thrown_by<wf::rank_error>(r).find("passes another init") != std::string::npos);
  }
  const auto on_host = test::on_ranks(2, [&](auto rank) {
    const double* const from = rank.rank() == 1 ? nullptr : inits.data();
    return wf::reduce(wf::across(rank, wf::device), part_of(rank), wf::value_at(from), wf::plus{});
  });
  CHECK(on_host.thrown_by<wf::invalid_range>(1).find("the init of value_at is a null pointer") !=
        std::string::npos);
}
