// wf::emulated beside the policies' contract: the emulated GPU, the counts, views that hide their
// memory, kernels that work in place or leave posts behind.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/kernel/ladder/thread_unrolled.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

#include "policy/small_ints.hpp"

namespace wf = warpfold;

namespace {

/// A view that hides its memory.
struct secret : wf::element_loads<secret, int> {
  const int* data;
  std::size_t count;

  secret(const int* d, std::size_t n) : data(d), count(n) {}
  std::size_t size() const { return count; }
  const int& operator[](std::size_t i) const { return data[i]; }
  template <class Visit>
  void visit_memory(const Visit&) const {}
};

struct plus_one {
  int operator()(int x) const { return x + 1; }
};

}  // namespace

TEST_CASE("the GPU and the counting stay with another kernel") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 3;
  const auto policy =
      wf::emulated.emulating(gpu).counting().with_kernel(wf::kernel::single_pass<>{});
  const auto values = test::small_ints(100'000);
  CHECK(wf::reduce(policy, values) == wf::reduce(wf::seq, values));
  REQUIRE(policy.report().launches.size() == 1);
  CHECK(policy.report().launches[0].launch.shape.grid.x == 6);
}

TEST_CASE("calls are counted on request, and only then") {
  const auto values = test::small_ints(1000);
  const test::int_matrix m(values.data(), 10, 100);
  std::vector<long long> sums(10);
  std::vector<int> out(1000);
  const auto launches = [] { return wf::emulated.report().launches.size(); };
  const auto requests = [](wf::emulation::traffic what) {
    std::uint64_t n = 0;
    for (const auto& l : wf::emulated.report().launches) n += l.total(what).requests;
    return n;
  };
  using wf::emulation::traffic;

  wf::emulation::last_report() = {};
  wf::reduce_axis<1>(wf::emulated, m, wf::plus{}, sums);
  wf::transform(wf::emulated, values, out, plus_one{});
  CHECK(wf::reduce(wf::emulated, values) == wf::reduce(wf::seq, values));
  CHECK(launches() == 0);

  wf::reduce_axis<1>(wf::emulated.counting(), m, wf::plus{}, sums);
  CHECK(launches() == 1);
  CHECK(requests(traffic::global_store) > 0);
  wf::emulation::last_report() = {};
  wf::transform(wf::emulated.counting(), values, out, plus_one{});
  CHECK(launches() == 1);
  CHECK(requests(traffic::global_store) >= 8);
}

TEST_CASE("a view that does not tell of its memory may read all") {
  const auto values = test::small_ints(1000);
  const secret view(values.data(), values.size());
  std::vector<int> out(1000);
  wf::transform(wf::emulated, view, out, plus_one{});
  CHECK(out[999] == values[999] + 1);
  CHECK(wf::reduce(wf::emulated, view) == wf::reduce(wf::seq, values));
}

TEST_CASE("an empty range without identity throws") {
  const std::vector<int> none;
  const auto op = [](int a, int b) { return a + b; };
  CHECK_THROWS_AS(wf::reduce(wf::emulated, none, op), wf::empty_range);
  int out = 0;
  CHECK_THROWS_AS(wf::reduce_async(wf::emulated, none, op, &out), wf::empty_range);
}

TEST_CASE("bad ranges and outputs of calls that do not wait") {
  const std::span<const int> nothing_there(static_cast<const int*>(nullptr), 3);
  const auto values = test::small_ints(10);
  long long out = 0;
  long long* const nowhere = nullptr;
  CHECK_THROWS_AS(wf::reduce_async(wf::emulated, nothing_there, wf::plus{}, &out),
                  wf::invalid_range);
  CHECK_THROWS_AS(wf::reduce_async(wf::emulated, values, wf::plus{}, nowhere), wf::invalid_range);
}

TEST_CASE("rows of one element are a column") {
  const auto values = test::small_ints(300);
  std::vector<long long> out(300);
  const auto policy = wf::emulated.counting();
  wf::reduce_axis<1>(policy, test::int_matrix(values.data(), 300, 1), wf::plus{}, out);
  CHECK(std::equal(values.begin(), values.end(), out.begin()));
  REQUIRE(policy.report().launches.size() == 1);
  CHECK(std::string(policy.report().launches[0].launch.kernel) == "axis_columns");
}

namespace {

/// Leaves a post nonzero, which is not allowed.
struct untidy {
  static constexpr const char* name() { return "untidy"; }

  template <class Out>
  struct body {
    static constexpr int max_block = 32;
    static constexpr bool calls_user_functions = false;
    wf::collective::grid_storage scratch;
    wf::collective::result_sink<Out> sink;

    void operator()() const {
      if (wf::threadIdx.x != 0) return;
      wf::collective::posted_state<int>::store(scratch.posts, 1);
      sink.deliver(Out{});
    }
  };
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction&, const wf::collective::result_sink<Out>& sink, Launcher& on) const {
    on.launch(name(), body<Out>{on.grid(), sink}, {1, 32});
  }
};

}  // namespace

TEST_CASE("a kernel that leaves posts behind is found out") {
  const auto values = test::small_ints(10);
  CHECK_THROWS_WITH_AS(wf::reduce(wf::emulated.with_kernel(untidy{}), values),
                       doctest::Contains("left posts"), wf::error);
}

TEST_CASE("a kernel that works in place may write the range, and no other kernel may") {
  using kernel = wf::kernel::thread_unrolled<4>;
  std::vector<double> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<double>(i + 3);
  const std::vector<double> before = values;
  const std::span<double> range(values);
  const double sum = wf::reduce(wf::emulated.with_kernel(kernel{}), range);
  CHECK(values == before);
  CHECK(wf::reduce(wf::emulated.with_kernel(kernel{.in_place = true}), range) == sum);
  CHECK(values != before);
}
