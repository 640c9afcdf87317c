// atomic_cell: the way each state is combined, and the fold of all threads of a launch by each of
// the three ways.
// needs: boost_context
#include <warpfold/collective/atomic_combine.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <type_traits>
#include <vector>

#include <warpfold/kernel/ladder/atomic.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

#include "contract/add_only.hpp"
#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

struct derived_plus : plus {};

template <std::size_t N>
struct several {
  int x[N];
  friend several operator+(const several& a, const several& b) {
    several c{};
    for (std::size_t i = 0; i < N; ++i) c.x[i] = a.x[i] + b.x[i];
    return c;
  }
};

template <class Op, class T>
using cell = atomic_cell<wf::fold<Op, T>>;
template <class Op, class T>
constexpr atomic_way way_of = cell<Op, T>::how;

/// The fold of `value_of(thread)` of all threads, in three launches.
template <class Fold, class ValueOf>
typename Fold::state combined(const Fold& fold, const launch_shape& shape,
                              const ValueOf& value_of) {
  using cell_type = atomic_cell<Fold>;
  std::vector<typename cell_type::memory> memory(1);
  std::vector<typename Fold::state> result(1, fold.start());
  test::emulated_launch on;
  // Anything may be in it.
  std::memset(static_cast<void*>(memory.data()), 0xa5, sizeof(memory[0]));
  on.array(memory);
  const auto out = on.array(result);
  auto* const at = memory.data();
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) cell_type(at).start(fold);
  });
  on.run(shape, [=] {
    cell_type(at).combine(fold, fold.state_of(value_of(blockIdx.x * blockDim.x + threadIdx.x)));
  });
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) out.store(0, cell_type(at).load(fold));
  });
  return result[0];
}

constexpr launch_shape shapes[] = {{1, 32}, {1, 1024}, {40, 96}};

template <class T>
void check_sums() {
  for (const launch_shape& shape : shapes) {
    const std::size_t n = shape.threads();
    INFO(n, " threads");
    const auto value_of = [](unsigned i) { return static_cast<T>(i % 3); };
    T expected{};
    for (unsigned i = 0; i < n; ++i) expected = static_cast<T>(expected + value_of(i));
    CHECK(combined(wf::fold<plus, T>{}, shape, value_of) == expected);
    const auto without = combined(wf::fold<test::add_only, T>{}, shape, value_of);
    CHECK(without.engaged());
    CHECK(without.value == expected);
  }
}

}  // namespace

TEST_CASE("sums of 4 or 8 bytes are added, small states swapped, others locked") {
  static_assert(way_of<plus, int> == atomic_way::add);
  static_assert(way_of<plus, unsigned long long> == atomic_way::add);
  static_assert(way_of<plus, float> == atomic_way::add);
  static_assert(way_of<plus, double> == atomic_way::add);
  static_assert(way_of<plus, short> == atomic_way::compare_and_swap);
  static_assert(way_of<maximum, int> == atomic_way::compare_and_swap);
  static_assert(way_of<derived_plus, int> == atomic_way::compare_and_swap);
  static_assert(way_of<test::add_only, int> == atomic_way::compare_and_swap);  // and its mark
  static_assert(way_of<test::add_only, double> == atomic_way::lock);
  static_assert(way_of<plus, several<2>> == atomic_way::compare_and_swap);
  static_assert(way_of<plus, several<3>> == atomic_way::lock);

  static_assert(std::is_same_v<cell<plus, int>::word, unsigned>);
  static_assert(std::is_same_v<cell<plus, long long>::word, unsigned long long>);
  static_assert(std::is_same_v<cell<plus, float>::word, float>);
  static_assert(std::is_same_v<cell<maximum, signed char>::word, unsigned>);
  static_assert(std::is_same_v<cell<maximum, double>::word, unsigned long long>);
  static_assert(std::is_same_v<cell<plus, several<3>>::word, several<3>>);
}

TEST_CASE_TEMPLATE("every thread's state is combined once", T, int, unsigned, long long,
                   unsigned long long, float, double, short) {
  check_sums<T>();
}

TEST_CASE("negative sums") {
  const auto minus_one = [](unsigned) { return -1; };
  CHECK(combined(wf::fold<plus, int>{}, {3, 64}, minus_one) == -192);
  const auto large = [](unsigned) { return -(1ll << 40); };
  CHECK(combined(wf::fold<plus, long long>{}, {3, 64}, large) == -192 * (1ll << 40));
}

TEST_CASE("extrema of states of 1 to 8 bytes") {
  const auto value_of = [](unsigned i) { return static_cast<double>((i * 37) % 1009) - 500; };
  CHECK(combined(wf::fold<minimum, double>{}, {20, 96}, value_of) == -500);
  const auto half_of = [=](unsigned i) { return static_cast<float>(value_of(i)) / 2; };
  CHECK(combined(wf::fold<maximum, float>{}, {20, 96}, half_of) == 254);
  const auto small = [](unsigned i) { return static_cast<signed char>((i * 37) % 101 - 50); };
  CHECK(combined(wf::fold<minimum, signed char>{}, {20, 96}, small) == -50);
  CHECK(combined(wf::fold<maximum, signed char>{}, {20, 96}, small) == 50);
}

TEST_CASE_TEMPLATE("states that take a swap or a lock", T, several<1>, several<2>, several<3>,
                   several<7>) {
  constexpr std::size_t n = sizeof(T) / sizeof(int);
  const auto value_of = [](unsigned i) {
    T x{};
    for (std::size_t k = 0; k < n; ++k) x.x[k] = static_cast<int>((i % 5) * (k + 1));
    return x;
  };
  const T sum = combined(wf::fold<plus, T>{}, {40, 96}, value_of);
  for (std::size_t k = 0; k < n; ++k) CHECK(sum.x[k] == static_cast<int>(7680 * (k + 1)));
}

TEST_CASE("a cell without states is the state of no elements") {
  using fold_type = wf::fold<test::add_only, int>;
  std::vector<atomic_cell<fold_type>::memory> memory(1);
  std::vector<fold_type::state> result(1, fold_type::state{5});
  test::emulated_launch on;
  on.array(memory);
  const auto out = on.array(result);
  on.run({1, 32}, [=, at = memory.data()] {
    if (threadIdx.x != 0) return;
    const atomic_cell<fold_type> cell(at);
    cell.start({});
    out.store(0, cell.load({}));
  });
  CHECK(!result[0].engaged());
}

namespace {

/// Too large for an atomic.
struct two_numbers {
  double x, y;
  friend two_numbers operator+(const two_numbers& a, const two_numbers& b) {
    return {a.x + b.x, a.y + b.y};
  }
};

}  // namespace

TEST_CASE("a lock lets one thread in at a time") {
  const std::vector<two_numbers> values(20'000, two_numbers{1, 2});
  const auto policy = wf::emulated.counting().with_kernel(wf::kernel::atomic{.block = 64});
  for (int run = 0; run < 3; ++run) {
    const two_numbers sum = wf::reduce(policy, values);
    CHECK(sum.x == 20'000);
    CHECK(sum.y == 40'000);
  }
}
