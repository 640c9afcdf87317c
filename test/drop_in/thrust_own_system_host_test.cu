// drop_in/thrust.hpp with a system of the program's own: each call goes to the program's overload.
#include <warpfold/drop_in/thrust.hpp>

#include <vector>

#include <thrust/device_vector.h>

#include "contract/policy_contract.hpp"

namespace own {

/// A system on top of one of Thrust's. Each overload counts its calls and takes any arguments.
template <template <class> class Base>
struct tag : Base<tag<Base>> {
  int calls = 0;
};

// What Thrust returns for these arguments, without a look at the elements.
#define OWN_OVERLOAD(result, function)                       \
  template <template <class> class Base, class... Arguments> \
  result function(tag<Base>& system, const Arguments&...) {  \
    ++system.calls;                                          \
    return {};                                               \
  }
OWN_OVERLOAD(int, reduce)
OWN_OVERLOAD(int, transform_reduce)
OWN_OVERLOAD(int, inner_product)
OWN_OVERLOAD(long, count)
OWN_OVERLOAD(long, count_if)
OWN_OVERLOAD(int*, min_element)
OWN_OVERLOAD(int*, max_element)
OWN_OVERLOAD(bool, all_of)
OWN_OVERLOAD(bool, any_of)
OWN_OVERLOAD(bool, none_of)
OWN_OVERLOAD(bool, equal)
OWN_OVERLOAD(bool, is_sorted)
OWN_OVERLOAD(bool, is_partitioned)
OWN_OVERLOAD(int*, transform)
OWN_OVERLOAD(int*, copy)
#undef OWN_OVERLOAD
template <template <class> class Base, class... Arguments>
thrust::pair<int*, int*> mismatch(tag<Base>& system, const Arguments&...) {
  ++system.calls;
  return {};
}

/// A system that finds its overload from iterators. This one is called by value.
template <template <class> class Base>
struct place : Base<place<Base>> {};
template <template <class> class Base, class I>
int reduce(place<Base>, I, I last) {
  return *last.get();
}

}  // namespace own

namespace {

struct predicate {};  // no overload calls it

template <template <class> class Base>
void check_calls() {
  namespace t = wf::drop_in::thrust;
  own::tag<Base> system;
  std::vector<int> values(4);
  int* const first = values.data();
  int* const last = first + 4;
  int expected = 0;
  const auto is_called = [&](const auto&) { return system.calls == ++expected; };
  CHECK(is_called(t::reduce(system, first, last)));
  CHECK(is_called(t::reduce(system, first, last, 1)));
  CHECK(is_called(t::reduce(system, first, last, 1, t::plus<int>())));
  CHECK(is_called(t::transform_reduce(system, first, last, predicate{}, 1, t::plus<int>())));
  CHECK(is_called(t::inner_product(system, first, last, first, 1)));
  CHECK(is_called(t::count(system, first, last, 1)));
  CHECK(is_called(t::count_if(system, first, last, predicate{})));
  CHECK(is_called(t::min_element(system, first, last)));
  CHECK(is_called(t::max_element(system, first, last)));
  CHECK(is_called(t::all_of(system, first, last, predicate{})));
  CHECK(is_called(t::any_of(system, first, last, predicate{})));
  CHECK(is_called(t::none_of(system, first, last, predicate{})));
  CHECK(is_called(t::equal(system, first, last, first)));
  CHECK(is_called(t::mismatch(system, first, last, first)));
  CHECK(is_called(t::is_sorted(system, first, last)));
  CHECK(is_called(t::is_partitioned(system, first, last, predicate{})));
  CHECK(is_called(t::transform(system, first, last, first, predicate{})));
  CHECK(is_called(t::copy(system, first, last, first)));
}

template <template <class> class Base>
void check_iterators() {
  namespace t = wf::drop_in::thrust;
  int values[] = {1, 2, 3};
  const thrust::pointer<int, own::place<Base>> from(&values[0]), to(&values[2]);
  CHECK(t::reduce(from, to) == 3);
}

}  // namespace

TEST_CASE("a system that derives from one of Thrust's gets the calls") {
  check_calls<thrust::device_execution_policy>();
  check_calls<thrust::host_execution_policy>();
  check_calls<thrust::cpp::execution_policy>();
  check_calls<thrust::execution_policy>();
}

TEST_CASE("iterators of a system of the program's own find its overload") {
  check_iterators<thrust::device_execution_policy>();
  check_iterators<thrust::host_execution_policy>();
  check_iterators<thrust::cpp::execution_policy>();
}

TEST_CASE("policies and systems of Thrust's own run as wf::device") {
  using wf::detail::thrust_cuda_policy;
  static_assert(thrust_cuda_policy<thrust::device_system_tag>);
  static_assert(thrust_cuda_policy<std::remove_cvref_t<decltype(thrust::device)>>);
  static_assert(thrust_cuda_policy<std::remove_cvref_t<decltype(thrust::cuda::par_nosync)>>);
  static_assert(thrust_cuda_policy<decltype(thrust::cuda::par.on(nullptr))>);
  static_assert(thrust_cuda_policy<decltype(thrust::cuda::par_nosync.on(nullptr))>);
  static_assert(thrust_cuda_policy<decltype(thrust::cuda::par(std::allocator<char>{}))>);
  static_assert(
      thrust_cuda_policy<decltype(thrust::cuda::par_nosync(std::allocator<char>{}).on(nullptr))>);
  static_assert(!thrust_cuda_policy<own::tag<thrust::device_execution_policy>>);
}
