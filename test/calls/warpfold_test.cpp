// warpfold.hpp alone: it includes every call, op, view and kernel that needs no other library, and
// no other library.
#include <warpfold/warpfold.hpp>

#if defined(CCCL_VERSION) || defined(TBB_VERSION_MAJOR) || defined(TBB_INTERFACE_VERSION) || \
    defined(BOOST_VERSION) || defined(BOOST_HANA_MAJOR_VERSION)
#error "warpfold.hpp includes another library"
#endif

#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;

TEST_CASE("every call is here") {
  const std::vector<float> v = {3, -4, 0, 12};
  std::vector<float> out(4);
  const auto is_negative = [](float x) { return x < 0; };
  const auto twice = [](float x) { return 2 * x; };
  CHECK(wf::reduce(wf::seq, v) == 11);
  CHECK(wf::sum(wf::seq, v) == 11);
  CHECK(wf::product(wf::seq, v) == 0);
  CHECK(wf::min(wf::seq, v) == -4);
  CHECK(wf::argmax(wf::seq, v).index == 3);
  CHECK(wf::count_if(wf::seq, v, is_negative) == 1);
  CHECK(wf::any_of(wf::seq, v, is_negative));
  CHECK(wf::dot(wf::seq, v, v) == 169);
  CHECK(wf::norm_2(wf::seq, v) == 13);
  CHECK(wf::mean(wf::seq, v) == 2.75);
  CHECK(wf::transform_reduce(wf::seq, v, wf::plus{}, twice) == 22);
  wf::transform(wf::seq, v, out, twice);
  CHECK(out == std::vector<float>{6, -8, 0, 24});
  wf::copy(wf::seq, v, out);
  CHECK(out == v);
  CHECK(wf::explain(wf::seq, v).bytes == 16);
  wf::device_info gpu;
  gpu.compute_capability = 90;
  gpu.multiprocessors = 132;
  CHECK(wf::to_text(wf::tuning::of(gpu)).starts_with("warpfold tuning 1\n"));
}

TEST_CASE("every op and view is here") {
  const std::vector<int> v = {6, 3};
  CHECK(wf::reduce(wf::seq, v, wf::bit_and{}) == 2);
  CHECK(wf::reduce(wf::seq, v, wf::logical_and{}));
  CHECK(wf::reduce(wf::seq, v, wf::multiplies{}) == 18);
  CHECK(wf::reduce(wf::seq, v, wf::squares_op{}) == 45);
  CHECK(wf::reduce(wf::seq, v, wf::moments_op{}).mean == 4.5);
  CHECK(wf::reduce(wf::seq, std::vector<double>{1, 1e100, 1, -1e100}, wf::plus{}.compensated()) ==
        2);
  CHECK(wf::get<1>(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::maximum{}))) == 6);
  CHECK(wf::sum(wf::seq, wf::counting(1, 4)) == 10);
  CHECK(wf::sum(wf::seq, wf::project(wf::zip(v, v), [](const auto& p) {
                  return wf::get<0>(p) * wf::get<1>(p);
                })) == 45);
  CHECK(wf::sum(wf::seq, wf::staged(v)) == 9);
  const std::vector<signed char> chars(32, 1);
  CHECK(wf::sum(wf::seq, wf::packed(chars)) == 32);
  struct pair {
    float a, b;
  };
  const float a[] = {1, 2}, b[] = {3, 5};
  CHECK(wf::soa_view<pair, &pair::a, &pair::b>(2, a, b)[1].b == 5);
}

TEST_CASE("every kernel is here") {
  namespace k = wf::kernel;
  const auto is_kernel = []<class... Kernel>(Kernel...) {
    return (wf::kernel::reduction_kernel<Kernel> && ...);
  };
  CHECK(is_kernel(k::automatic{}, k::single_block{}, k::single_pass<>{}, k::staged<>{},
                  k::bulk_copy{}, k::cluster<>{}));
  CHECK(is_kernel(k::atomic{}, k::block_tree<>{}, k::completely_unrolled<>{},
                  k::first_add_during_load<>{}, k::grid_2d<>{}, k::grid_stride<>{},
                  k::interleaved_addressing<>{}, k::interleaved_contiguous<>{},
                  k::sequential_addressing<>{}, k::serial_tail<>{}, k::thread_unrolled<>{},
                  k::two_pass<>{}, k::unroll_last_warp<>{}, k::warp_shuffle<>{}));
}
