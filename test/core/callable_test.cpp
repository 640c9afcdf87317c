// What is asked of a caller's functions: result types, conversions that keep a number, members as
// functions.
#include <warpfold/core/callable.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>

namespace {

namespace detail = warpfold::detail;

struct particle {
  float mass;
  int history[2];
  int age() const { return history[0]; }
};

struct by_reference {
  const int& operator()(const int& a, const int&) const { return a; }
};

template <class T>
constexpr auto to_void = [](const T&) {};
template <class T>
constexpr auto to_pointer = [](const T&) { return std::unique_ptr<int>(); };
template <class T>
constexpr auto to_text = [](const T&) { return std::string(); };

}  // namespace

// A value, whatever the function returns: an accumulator cannot be a reference.
static_assert(std::is_same_v<detail::op_result_t<by_reference, int, int>, int>);
static_assert(std::is_same_v<detail::op_result_t<std::plus<>, short, long>, long>);
static_assert(!detail::is_device_lambda<by_reference>());

// Widening keeps a number, narrowing does not; other types are the caller's affair.
static_assert(detail::keeps_value<short, int>());
static_assert(detail::keeps_value<float, double>());
static_assert(detail::keeps_value<int, float>());  // the common type of both is float
static_assert(!detail::keeps_value<double, float>());
static_assert(!detail::keeps_value<long long, int>());
static_assert(!detail::keeps_value<float, int>());
static_assert(detail::keeps_value<std::string, int>());

static_assert(detail::gives_copyable<decltype(to_text<int>), int>);
static_assert(detail::gives_copyable<decltype(&particle::mass), particle>);
static_assert(!detail::gives_copyable<decltype(to_void<int>), int>);
static_assert(!detail::gives_copyable<decltype(to_pointer<int>), int>);
static_assert(!detail::gives_copyable<decltype(&particle::history), particle>);  // an array
static_assert(!detail::gives_copyable<decltype(&particle::age), particle>);
static_assert(!detail::gives_copyable<decltype(to_text<int>), std::string>);

// How functions that are not const are called, and functions of a tuple's elements.
namespace {

struct next {
  int calls = 0;
  int operator()(int x) { return x + ++calls; }
};
struct overloaded {
  int operator()(int) const { return 1; }
  int operator()(int) { return 2; }
};
struct of_both {
  int operator()(const warpfold::tuple<int, int>&) const { return 1; }
  int operator()(int, int) const { return 2; }
};
const warpfold::tuple<int, int> pair{3, {4}};

}  // namespace

static_assert(detail::takes_by_copy<next, int>);
static_assert(!detail::takes_by_copy<overloaded, int>);
static_assert(detail::callable<next, int> && !detail::callable<next, const char*>);
static_assert(detail::callable<std::plus<>, warpfold::tuple<int, int>>);
static_assert(!detail::callable<std::plus<>, warpfold::tuple<int, int, int>>);
static_assert(!detail::callable<std::plus<>, int>);
static_assert(
    std::is_same_v<detail::op_result_t<std::plus<>, warpfold::tuple<int, double>>, double>);
static_assert(std::is_same_v<detail::op_result_t<next, short>, int>);
static_assert(std::is_same_v<detail::call_result_t<of_both, warpfold::tuple<int, int>>, int>);

TEST_CASE("call: a function that is not const gets a copy for each call") {
  const next f;
  CHECK(detail::call(f, 5) == 6);
  CHECK(detail::call(f, 5) == 6);
  CHECK(detail::call(overloaded{}, 5) == 1);
  CHECK(detail::call([sum = 0](int a, int b) mutable { return sum += a * b; }, 2, 3) == 6);
}

TEST_CASE("call: the elements of a tuple as arguments, unless the function takes the tuple") {
  CHECK(detail::call(std::minus<>{}, pair) == -1);
  CHECK(detail::call(of_both{}, pair) == 1);
  CHECK(detail::call([last = 0](int a, int b) mutable { return last = a * b; }, pair) == 12);
  CHECK(detail::call(&warpfold::tuple<int, int>::head, pair) == 3);
}

TEST_CASE("call: a function of the element, or a member of it, by reference") {
  const particle p{2.5f, {7, 8}};
  CHECK(detail::call([](const particle& x) { return x.age() + 1; }, p) == 8);
  CHECK(&detail::call(&particle::mass, p) == &p.mass);
  CHECK(&detail::call(&particle::history, p)[1] == &p.history[1]);
  static_assert(std::is_same_v<decltype(detail::call(&particle::mass, p)), const float&>);
}
