// transform, copy and transform_reduce with the host policies.
// needs: tbb
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>

#include <atomic>

#include "contract/transform_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;
using std_par = fixture<wf::baseline::std_par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(transformed, test::conversions<seq>);
TEST_CASE_TEMPLATE_APPLY(transformed, test::conversions<par>);
TEST_CASE_TEMPLATE_INVOKE(transformed, test::conversion<std_par, float, float>);
TEST_CASE_TEMPLATE_INVOKE(transformed_views, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(transformed_in_place, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(transformed_forms, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(transform_reduced, seq, par);
TEST_CASE_TEMPLATE_INVOKE(bad_transformations, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(transform_exceptions, seq, par);

TEST_CASE("seq transforms from the first element to the last") {
  const std::vector<int> in = {4, 5, 6};
  std::vector<int> order, out(3);
  wf::transform(wf::seq, in, out, [&](int x) {
    order.push_back(x);
    return -x;
  });
  CHECK(order == in);
  CHECK(out == std::vector<int>{-4, -5, -6});
}

TEST_CASE("par calls the function once for each element") {
  const std::vector<int> in(300000, 1);
  std::vector<int> out(in.size());
  std::atomic<int> calls = 0;
  wf::transform(wf::par, in, out, [&](int x) {
    ++calls;
    return x;
  });
  CHECK(calls == 300000);
  CHECK(out == in);
}

TEST_CASE("containers, C arrays and the caller's views as outputs") {
  const int in[3] = {1, 2, 3};
  int out[3] = {};
  wf::transform(wf::seq, in, out, test::plus_one{});
  CHECK(out[2] == 4);
  std::vector<double> v(3);
  wf::transform(wf::seq, in, v, test::plus_one{});
  CHECK(v == std::vector<double>{2, 3, 4});
  wf::transform(wf::seq, in, v.begin(), test::square{});
  CHECK(v == std::vector<double>{1, 4, 9});
  wf::copy(wf::seq, in, wf::contiguous_output<double>(v.data(), v.size()));
  CHECK(v == std::vector<double>{1, 2, 3});
}
