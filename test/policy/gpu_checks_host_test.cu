// Which lambdas nvcc accepts in a kernel. nvcc has no trait for the others, so the library reads a
// type's name.
#include <warpfold/policy/gpu_checks.hpp>

#include <doctest/doctest.h>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/work/reduction.hpp>

namespace wf = warpfold;

namespace {

struct function {};
// Names that begin like a lambda's.
struct lambda {};
template <class T>
struct lambda_of {};

template <class... Ts>
struct holds {};

using ints = wf::contiguous_view<int>;

}  // namespace

// The names are those of nvcc's front end, which evaluates the library's assertions. The compiler
// of the host spells them in another way.
#if defined(__CUDA_ARCH__)
#define CHECK_PLAIN(...) static_assert(wf::detail::has_plain_lambda<__VA_ARGS__>)
#define CHECK_MARKED(...) static_assert(!wf::detail::has_plain_lambda<__VA_ARGS__>)
#else
#define CHECK_PLAIN(...)
#define CHECK_MARKED(...) CHECK_FALSE(wf::detail::has_plain_lambda<__VA_ARGS__>)
#endif

TEST_CASE("a lambda without __device__ is found, also inside other types") {
  [[maybe_unused]] auto plain = [](int x) { return -x; };
  [[maybe_unused]] auto marked = [] __host__ __device__(int x) { return -x; };
  [[maybe_unused]] auto device_only = [] __device__(int x) { return -x; };
  CHECK_PLAIN(decltype(plain));
  CHECK_MARKED(decltype(marked));
  CHECK_MARKED(decltype(device_only));
  CHECK_MARKED(function);
  CHECK_MARKED(lambda);
  CHECK_MARKED(lambda_of<int>);
  CHECK_MARKED(int);
  CHECK_PLAIN(wf::transform_view<ints, decltype(plain)>);
  CHECK_MARKED(wf::transform_view<ints, decltype(marked)>);
  CHECK_PLAIN(holds<int, holds<decltype(plain), wf::plus>>);
}

TEST_CASE("work without such a lambda passes the check") {
  CHECK(wf::detail::check_lambdas<wf::reduction<wf::contiguous_view<int>, wf::plus>>());
}
