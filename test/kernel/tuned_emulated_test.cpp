// kernel::tuned in the emulation: it launches as the rows of its table say, and gives what wf::seq
// gives.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/explain.hpp>
#include <warpfold/kernel/tuned.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/zip.hpp>

namespace wf = warpfold;

namespace {

constexpr wf::device_info gpu = wf::emulation::default_gpu;

/// Another shape in each row, none of which the library would choose.
wf::tuning odd_table() {
  wf::tuning t;
  t.compute_capability = gpu.compute_capability;
  t.multiprocessors = gpu.multiprocessors;
  t.l2_bytes = gpu.l2_bytes;
  t.rows[t.count++] = {0, 96, 1, wf::caching::keep};
  t.rows[t.count++] = {200'000, 32, 2, wf::caching::stream};
  t.rows[t.count++] = {400'000, 1024, 64, wf::caching::stream_half};
  return t;
}

/// Whole numbers: a sum in any order is exact.
std::vector<float> values_of(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(static_cast<int>(i * 7 % 17) - 8);
  return v;
}

/// Takes pairs of any two things.
struct sum_of_pairs {
  template <class A, class B>
  wf::tuple<A, B> operator()(const wf::tuple<A, B>& a, const wf::tuple<A, B>& b) const {
    return {wf::get<0>(a) + wf::get<0>(b), wf::get<1>(a) + wf::get<1>(b)};
  }
};

/// As wf::explain has it, but without measuring the emulation for the time that it expects.
template <class Policy, class Range, class Op = wf::maximum>
wf::plan plan_of(const Policy& policy, const Range& range, const Op& op = {}) {
  const auto view = wf::as_view(range);
  wf::plan p;
  policy.describe(wf::reduction<std::remove_const_t<decltype(view)>, Op>{view, op, {}}, p);
  return p;
}

/// Float3s and the like, whose order does not matter.
struct first_of_each {
  template <class T>
  T operator()(const T& a, const T&) const {
    return a;
  }
};

}  // namespace

namespace warpfold {
template <class A>
inline constexpr bool same_in_any_order<sum_of_pairs, A> = true;
template <class A>
inline constexpr bool same_in_any_order<first_of_each, A> = true;
}  // namespace warpfold

TEST_CASE("a row's block and grid are limits for in_order") {
  const auto policy = wf::emulated.with_kernel(wf::kernel::tuned{odd_table()});
  const wf::plan few = plan_of(policy, values_of(40'000), wf::plus{});
  CHECK(few.kernel == "in_order");
  CHECK(few.block.x == 64);                                               // of 96
  CHECK(few.grid.x == 79);                                                // of 132: two rows
  CHECK(plan_of(policy, values_of(150'001), wf::plus{}).block.x == 512);  // of 1024
}

TEST_CASE("blocks and grids are those of the size's row, and the results wf::seq's") {
  const wf::tuning table = odd_table();
  const auto policy = wf::emulated.with_kernel(wf::kernel::tuned{table});
  // Behind what one block takes; below, at and above each start.
  for (const std::size_t n : {40'000u, 49'999u, 50'000u, 99'999u, 100'000u, 150'001u}) {
    INFO(n, " floats");
    const std::vector<float> values = values_of(n);
    const wf::tuning::row& row = table.row_of(n * sizeof(float));
    const wf::plan p = plan_of(policy, values);
    CHECK(p.kernel == "single_pass");
    CHECK(p.launches == 1);
    CHECK(p.block.x == row.block);
    const std::size_t chunks = (n + 3) / 4;
    const std::size_t wanted = (chunks + row.block - 1) / row.block;
    const std::size_t most = row.blocks * static_cast<std::size_t>(gpu.multiprocessors);
    CHECK(p.grid.x == (wanted < most ? wanted : most));
    CHECK(wf::reduce(policy, values, wf::plus{}) == wf::reduce(wf::seq, values, wf::plus{}));
    CHECK(wf::reduce(policy, values, wf::minimum{}) == wf::reduce(wf::seq, values, wf::minimum{}));
  }
  const std::vector<float> few = values_of(1000);  // one block: no row says how
  CHECK(plan_of(policy, few).kernel == "single_block");
  CHECK(wf::reduce(policy, few, wf::plus{}) == wf::reduce(wf::seq, few, wf::plus{}));
}

TEST_CASE("a row that loads ahead takes bulk copies, where they serve, with its block") {
  wf::tuning table = odd_table();
  for (int i = 0; i < table.count; ++i) table.rows[i].loads = wf::loading::ahead;
  const auto policy = wf::emulated.with_kernel(wf::kernel::tuned{table});
  for (const std::size_t n : {40'000u, 50'000u, 150'001u}) {
    INFO(n, " floats");
    const std::vector<float> values = values_of(n);
    const wf::plan p = plan_of(policy, values);
    CHECK(p.kernel == "bulk_copy");
    CHECK(p.block.x == table.row_of(n * sizeof(float)).block);
    CHECK(wf::reduce(policy, values, wf::plus{}) == wf::reduce(wf::seq, values, wf::plus{}));
    // Batches with large states have half the threads at most.
    const auto op = wf::all(wf::arg(wf::minimum{}), wf::arg(wf::maximum{}));
    const wf::plan both = plan_of(policy, wf::lifted(wf::as_view(values), op), op);
    CHECK(both.kernel == "bulk_copy");
    CHECK(both.block.x == std::min(p.block.x, 512u));
    // Two arrays, and what one block takes.
    CHECK(plan_of(policy, wf::zip(values, wf::counting(0u, n)), sum_of_pairs{}).kernel ==
          "bulk_copy");
    CHECK(plan_of(policy, wf::zip(values, values), sum_of_pairs{}).kernel == "single_pass");
    CHECK(plan_of(policy, std::span(values.data(), 1000)).kernel == "single_block");
  }
  auto less = gpu;
  less.shared_bytes_per_block = 64 * 1024;
  CHECK(plan_of(policy.emulating(less), values_of(50'000)).kernel == "single_pass");
}

TEST_CASE("the library's own table launches as kernel::automatic does") {
  const auto tuned = wf::emulated.with_kernel(wf::kernel::tuned{wf::tuning::of(gpu)});
  for (const std::size_t n : {1000u, 60'000u, 2'000'000u}) {
    const std::vector<float> values = values_of(n);
    const wf::plan own = plan_of(wf::emulated, values);
    const wf::plan p = plan_of(tuned, values);
    CHECK(p.kernel == own.kernel);
    CHECK(p.grid.x == own.grid.x);
    CHECK(p.block.x == own.block.x);
    const wf::plan own_sum = plan_of(wf::emulated, values, wf::plus{});
    const wf::plan sum = plan_of(tuned, values, wf::plus{});
    CHECK(sum.kernel == "in_order");
    CHECK(sum.grid.x == own_sum.grid.x);
    CHECK(sum.block.x == own_sum.block.x);
  }
}

TEST_CASE(
    "float3 is reduced through shared memory from 2 MB on, 20 bytes wherever a block is not "
    "enough") {
  struct float3 {
    float x, y, z;
  };
  struct five {
    float x[5];
  };
  const std::size_t most = (std::size_t{2} << 20) / sizeof(float3);
  const std::vector<float3> points(most + 1, float3{1, 2, 3});
  CHECK(plan_of(wf::emulated, std::span(points.data(), 1000), first_of_each{}).kernel ==
        "single_block");
  CHECK(plan_of(wf::emulated, std::span(points.data(), most), first_of_each{}).kernel ==
        "single_pass");
  CHECK(plan_of(wf::emulated, points, first_of_each{}).kernel == "staged");
  const std::vector<five> structs(20'000);
  CHECK(plan_of(wf::emulated, structs, first_of_each{}).kernel == "staged");
}

TEST_CASE("a table that is invalid or for another GPU throws before a launch") {
  const std::vector<float> values = values_of(60'000);
  wf::tuning other = odd_table();
  other.multiprocessors = 114;
  wf::tuning impossible = odd_table();
  impossible.rows[0].block = 48;
  wf::tuning unlike_its_gpu = odd_table();
  unlike_its_gpu.l2_bytes = 1;
  struct {
    wf::tuning table;
    std::string part;
  } const cases[] = {{other, "its multiprocessors is 114, but the GPU's is 132"},
                     {impossible, "row 0 of this tuning has block 48"},
                     {unlike_its_gpu, "its l2_bytes is 1,"}};
  for (const auto& c : cases) {
    INFO(c.part);
    const auto policy = wf::emulated.counting().with_kernel(wf::kernel::tuned{c.table});
    float out = 12345;
    std::string said;
    try {
      wf::reduce_async(policy, values, wf::plus{}, &out);
    } catch (const wf::invalid_tuning& e) {
      said = e.what();
    }
    CHECK(said.find(c.part) != std::string::npos);
    CHECK(out == 12345);
    CHECK_THROWS_AS((void)wf::reduce(policy, values, wf::plus{}), wf::invalid_tuning);
    CHECK_THROWS_AS((void)plan_of(policy, values), wf::invalid_tuning);
    // Small ranges need no row, and are refused as well: the table is wrong, whatever the size.
    CHECK_THROWS_AS((void)wf::reduce(policy, values_of(10), wf::plus{}), wf::invalid_tuning);
  }
}
