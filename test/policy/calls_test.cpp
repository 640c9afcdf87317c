// What policies do beside the contract: calls that do not wait, folds along an axis in pieces,
// plans, and the emulation's counts.
// needs: tbb boost_context cccl
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <warpfold/explain.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using matrix = cs::mdspan<const int, cs::dextents<std::size_t, 2>>;

std::vector<int> some(std::size_t n) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(i * 7 % 31) - 9;
  return v;
}

/// A view that does not say what memory it reads.
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

TEST_CASE_TEMPLATE("a fold along an axis that is not waited for", Policy, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  const auto values = some(6);
  std::vector<long long> out(2);
  wf::reduce_axis_async<1>(Policy{}, matrix(values.data(), 2, 3), wf::plus{}, out);
  CHECK(out[0] == values[0] + values[1] + values[2]);
  CHECK(out[1] == values[3] + values[4] + values[5]);
}

TEST_CASE("par folds a long row in pieces, and writes only its result") {
  for (const std::size_t n : {16384u, 32768u, 40000u, 49152u}) {
    INFO("a row of ", n);
    const auto values = some(n);
    long long sum = 0;
    for (const int x : values) sum += x;
    std::vector<long long> out(3, -77);
    wf::reduce_axis<1>(wf::par, matrix(values.data(), 1, n), wf::plus{}, std::span(out).first(1));
    CHECK(out == std::vector<long long>{sum, -77, -77});
  }
}

TEST_CASE("the plan of seq") {
  const std::vector<int> values(10);
  const wf::contiguous_view<int> view(values.data(), values.size());
  wf::plan p;
  wf::seq.describe(wf::reduction<wf::contiguous_view<int>, wf::plus>{view, {}, {}}, p);
  CHECK(p.kernel == "loop");
  CHECK(p.threads == 1);
  CHECK(p.bytes == 40);
}

TEST_CASE("emulated: the GPU and the counting stay with another kernel") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 3;
  const auto policy =
      wf::emulated.emulating(gpu).counting().with_kernel(wf::kernel::single_pass<>{});
  const auto values = some(100'000);
  CHECK(wf::reduce(policy, values) == wf::reduce(wf::seq, values));
  REQUIRE(policy.report().launches.size() == 1);
  CHECK(policy.report().launches[0].launch.shape.grid.x == 6);
}

TEST_CASE("emulated: calls are counted on request, and only then") {
  const auto values = some(1000);
  const matrix m(values.data(), 10, 100);
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

TEST_CASE("emulated: a view that does not tell of its memory may read all") {
  const auto values = some(1000);
  const secret view(values.data(), values.size());
  std::vector<int> out(1000);
  wf::transform(wf::emulated, view, out, plus_one{});
  CHECK(out[999] == values[999] + 1);
  CHECK(wf::reduce(wf::emulated, view) == wf::reduce(wf::seq, values));
}

namespace {

/// Leaves a post behind, as no kernel may.
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

TEST_CASE("emulated: a kernel that leaves posts behind is found out") {
  const auto values = some(10);
  CHECK_THROWS_WITH_AS(wf::reduce(wf::emulated.with_kernel(untidy{}), values),
                       doctest::Contains("left posts"), wf::error);
}

TEST_CASE("emulated: no result of nothing") {
  const std::vector<int> none;
  const auto op = [](int a, int b) { return a + b; };
  CHECK_THROWS_AS(wf::reduce(wf::emulated, none, op), wf::empty_range);
  int out = 0;
  CHECK_THROWS_AS(wf::reduce_async(wf::emulated, none, op, &out), wf::empty_range);
}

TEST_CASE("emulated: bad ranges and outputs of calls that do not wait") {
  const std::span<const int> nothing_there(static_cast<const int*>(nullptr), 3);
  const auto values = some(10);
  long long out = 0;
  long long* const nowhere = nullptr;
  CHECK_THROWS_AS(wf::reduce_async(wf::emulated, nothing_there, wf::plus{}, &out),
                  wf::invalid_range);
  CHECK_THROWS_AS(wf::reduce_async(wf::emulated, values, wf::plus{}, nowhere), wf::invalid_range);
}

TEST_CASE("the plan of the emulation") {
  const std::vector<int> values(1000);
  const wf::contiguous_view<int> view(values.data(), values.size());
  wf::plan p;
  wf::emulated.describe(wf::reduction<wf::contiguous_view<int>, wf::plus>{view, {}, {}}, p);
  CHECK(p.kernel == "single_block");
  CHECK(p.bytes == 4000);
  CHECK(p.threads == static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

namespace {

/// Whether other threads than the caller's take part, in one of a few tries: `call(visit)` visits
/// elements.
template <class Call>
bool leaves_caller(const Call& call) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 4);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> left = false;
  std::atomic<int> calls = 0;
  const auto visit = [&] {
    if (left.load(std::memory_order_relaxed)) return;
    if (std::this_thread::get_id() != caller) {
      left.store(true, std::memory_order_relaxed);
    } else if (calls.fetch_add(1, std::memory_order_relaxed) % 1024 == 0) {
      // Now and then the caller makes room, for the other threads of a busy machine to come.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  };
  tbb::task_arena arena(4);
  arena.execute([&] {
    for (int run = 0; run < 50 && !left; ++run) call(visit);
  });
  return left.load();
}

}  // namespace

TEST_CASE("par transforms long ranges on other threads") {
  const std::vector<int> values(1'000'003, 1);
  std::vector<int> out(values.size());
  CHECK(leaves_caller([&](const auto& visit) {
    wf::transform(wf::par, values, out, [&](int x) {
      visit();
      return x;
    });
  }));
}

TEST_CASE("par folds many rows on other threads, and each row once") {
  const auto values = some(1000 * 1000);
  std::vector<int> out(1000);
  CHECK(leaves_caller([&](const auto& visit) {
    wf::reduce_axis<1>(
        wf::par, matrix(values.data(), 1000, 1000),
        [&](int a, int b) {
          visit();
          return a + b;
        },
        out);
  }));

  std::atomic<int> calls = 0;
  wf::reduce_axis<1>(
      wf::par, matrix(values.data(), 10, 100),
      [&](int a, int b) {
        ++calls;
        return a + b;
      },
      std::span(out).first(10));
  CHECK(calls <= 1000);
}

TEST_CASE("emulated: rows of one element are a column") {
  const auto values = some(300);
  std::vector<long long> out(300);
  const auto policy = wf::emulated.counting();
  wf::reduce_axis<1>(policy, matrix(values.data(), 300, 1), wf::plus{}, out);
  CHECK(std::equal(values.begin(), values.end(), out.begin()));
  REQUIRE(policy.report().launches.size() == 1);
  CHECK(std::string(policy.report().launches[0].launch.kernel) == "axis_columns");
}
