// drop_in/thrust.hpp in device code: every policy of Thrust runs Thrust's own code there, and the
// same calls run as wf::device on the host.
#include <warpfold/drop_in/thrust.hpp>

#include <thrust/device_vector.h>
#include <thrust/sequence.h>

#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

namespace {

namespace t = wf::drop_in::thrust;

struct positive {
  WARPFOLD_HD bool operator()(int x) const { return x > 0; }
};
struct negated {
  WARPFOLD_HD int operator()(int x) const { return -x; }
};

/// Calls each function, and returns a bit for each right result. `v` holds 1, 2, ..., n.
template <class... Policy>
WARPFOLD_HD int right_results(int* v, int n, int* out, const Policy&... policy) {
  int* const end = v + n;
  const int sum = n * (n + 1) / 2;
  int right = 0;
  right |= int{t::reduce(policy..., v, end) == sum} << 0;
  right |= int{t::reduce(policy..., v, end, 5) == sum + 5} << 1;
  right |= int{t::reduce(policy..., v, end, 5, t::maximum<int>()) == n} << 2;
  right |= int{t::transform_reduce(policy..., v, end, negated{}, 0, t::plus<int>()) == -sum} << 3;
  right |= int{t::inner_product(policy..., v, v + 2, v, 0) == 5} << 4;
  right |= int{t::inner_product(policy..., v, end, v, 0, t::maximum<int>(), t::minus<int>()) == 0}
           << 5;
  right |= int{t::count(policy..., v, end, 2) == 1} << 6;
  right |= int{t::count_if(policy..., v, end, positive{}) == n} << 7;
  right |= int{t::min_element(policy..., v, end) == v} << 8;
  right |= int{t::max_element(policy..., v, end) == end - 1} << 9;
  right |= int{t::minmax_element(policy..., v, end).second == end - 1} << 10;
  right |= int{t::all_of(policy..., v, end, positive{})} << 11;
  right |= int{t::any_of(policy..., v, end, positive{})} << 12;
  right |= int{!t::none_of(policy..., v, end, positive{})} << 13;
  right |= int{t::equal(policy..., v, end, v)} << 14;
  right |= int{t::mismatch(policy..., v, end, v).first == end} << 15;
  right |= int{t::is_sorted(policy..., v, end)} << 16;
  right |= int{t::is_partitioned(policy..., v, end, positive{})} << 17;
  right |= int{t::transform(policy..., v, end, out, negated{}) == out + n} << 18;
  right |= int{t::transform(policy..., v, end, v, out, t::plus<int>()) == out + n} << 19;
  right |= int{t::copy(policy..., v, end, out) == out + n} << 20;
  t::reduce_into(policy..., v, end, out);
  t::reduce_into(policy..., v, end, out + 1, 5);
  t::reduce_into(policy..., v, end, out + 2, 5, t::plus<int>());
  return right;
}
constexpr int calls = (1 << 21) - 1;

template <class... Policy>
__global__ void run(int* v, int n, int* out, int* right, Policy... policy) {
  *right = right_results(v, n, out, policy...);
}

template <class... Policy>
void check_in_kernel(const Policy&... policy) {
  constexpr int n = 1000;
  thrust::device_vector<int> v(n), out(n), right(1);
  thrust::sequence(v.begin(), v.end(), 1);
  run<<<1, 1>>>(thrust::raw_pointer_cast(v.data()), n, thrust::raw_pointer_cast(out.data()),
                thrust::raw_pointer_cast(right.data()), policy...);
  wf::runtime::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  CHECK(right[0] == calls);
  CHECK(out[0] == n * (n + 1) / 2);
  CHECK(out[1] == out[0] + 5);
  CHECK(out[2] == out[0] + 5);
}

}  // namespace

TEST_CASE("in a kernel, every policy of Thrust runs Thrust") {
  check_in_kernel(thrust::device);
  check_in_kernel(thrust::cuda::par);
  check_in_kernel(thrust::cuda::par_nosync);
  check_in_kernel(thrust::seq);
  check_in_kernel();  // by the pointers
}

TEST_CASE("a function for both sides runs wf::device on the host") {
  constexpr int n = 1000;
  thrust::device_vector<int> v(n), out(n);
  thrust::sequence(v.begin(), v.end(), 1);
  int* const data = thrust::raw_pointer_cast(v.data());
  CHECK(right_results(data, n, thrust::raw_pointer_cast(out.data()), thrust::device) == calls);
  CHECK(out[2] == n * (n + 1) / 2 + 5);
}
