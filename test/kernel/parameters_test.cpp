// What kernels say to parameters, states and GPUs that they cannot take, and that nothing is launched then.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <array>

#include <warpfold/kernel/cluster.hpp>

#include "kernel/ladder.hpp"

namespace {

/// A launcher that says which GPU there is, and counts.
struct counting_launcher {
  wf::runtime::device_info info = wf::emulation::default_gpu;
  int launches = 0;

  const wf::runtime::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    return {nullptr, count};
  }
  template <class Body>
  void launch(const char* kernel, const Body&, const wf::runtime::launch_shape& shape) {
    wf::runtime::check_shape(kernel, Body::max_block, shape);
    ++launches;
  }
};

/// What `kernel` says to `values`; it must not have launched anything.
template <class Kernel, class Values>
std::string refusal_of(const Kernel& kernel, const Values& values, int compute_capability = 90) {
  const auto view = wf::as_view(values);
  const wf::reduction<std::remove_const_t<decltype(view)>, wf::plus> r{view, {}, {}};
  counting_launcher on;
  on.info.compute_capability = compute_capability;
  try {
    kernel.enqueue(r, wf::collective::result_sink<typename decltype(r)::result_type>{}, on);
    return "";
  } catch (const wf::unsupported_kernel& e) {
    CHECK(on.launches == 0);
    return e.what();
  }
}

#define CHECK_REFUSED(part, ...)                      \
  {                                                   \
    const std::string said = refusal_of(__VA_ARGS__); \
    INFO(said);                                       \
    CHECK(said.find(part) != std::string::npos);      \
  }

struct wide {
  std::array<double, 128> x;
  friend WARPFOLD_HD wide operator+(const wide& a, const wide&) { return a; }
};

const std::vector<float> floats(100000);

}  // namespace

TEST_CASE("blocks that a kernel does not take") {
  namespace k = wf::kernel;
  using k::shared_memory;
  for (const unsigned block : {0u, 1u, 48u, 96u, 2048u}) {
    INFO("blocks of ", block);
    CHECK_REFUSED("it takes 32, 64, 128, 256, 512 or 1024", k::block_tree<>{.block = block},
                  floats);
    CHECK_REFUSED("it takes 32, 64, 128, 256, 512 or 1024",
                  k::block_tree<shared_memory::dynamic_size>{.block = block}, floats);
  }
  CHECK_REFUSED("multiple of 32", k::atomic{.block = 100}, floats);
  CHECK_REFUSED("multiple of 32", (k::thread_unrolled<4>{.block = 1056}), floats);
  CHECK_REFUSED("multiple of 32", (k::single_pass<>{100, 7}), floats);
  CHECK_REFUSED("it takes 1 to 65535", k::grid_2d<>{.most_side = 0}, floats);
}

TEST_CASE("states that do not fit a block's shared memory") {
  namespace k = wf::kernel;
  const std::vector<wide> values(1000);
  CHECK_REFUSED("smaller blocks", k::sequential_addressing<128>{}, values);
  CHECK_REFUSED("smaller blocks", k::completely_unrolled<1024>{}, values);
  CHECK_REFUSED("smaller blocks", k::serial_tail<>{}, values);
  CHECK_REFUSED("static shared memory holds", k::block_tree<>{}, values);
  CHECK_REFUSED("a block of this GPU has 232448",
                k::block_tree<k::shared_memory::dynamic_size>{.block = 256}, values);
  CHECK(refusal_of(k::block_tree<k::shared_memory::dynamic_size>{.block = 128}, values) == "");
  CHECK(refusal_of(k::sequential_addressing<32>{}, values) == "");
}

TEST_CASE("GPUs that lack what a kernel needs") {
  namespace k = wf::kernel;
  CHECK_REFUSED("kernel cluster needs clusters of blocks", k::cluster<8>{}, floats, 80);
  CHECK_REFUSED("this one is of 8.6", k::cluster<2>{}, floats, 86);
  CHECK(refusal_of(k::cluster<8>{}, floats, 90) == "");
  CHECK_REFUSED("kernel bulk_copy needs bulk copies", k::bulk_copy{}, floats, 89);
  CHECK(refusal_of(k::bulk_copy{}, floats, 90) == "");
  CHECK_REFUSED("it takes 1 to 8", k::bulk_copy{.stages = 9}, floats);
  CHECK_REFUSED("a multiple of 128", k::bulk_copy{.stage_bytes = 1000}, floats);
  CHECK_REFUSED("more than the 232448", (k::bulk_copy{.stages = 4, .stage_bytes = 64 * 1024}),
                floats);
}

TEST_CASE("thread_unrolled in place, on request and where it can") {
  using kernel = wf::kernel::thread_unrolled<4>;
  const auto policy = wf::emulated.with_kernel(kernel{.in_place = true});
  std::vector<double> values = test::real_data<double>(5000);
  const std::vector<double> before = values;
  const double sum = wf::reduce(wf::emulated.with_kernel(kernel{}), std::span<double>(values));
  CHECK(values == before);
  CHECK(test::same_bits(wf::reduce(policy, std::span<double>(values)), sum));
  CHECK(values != before);
  CHECK_REFUSED("works in place where", kernel{.in_place = true}, std::span<const double>(values));
  const std::vector<int> ints(100);  // sums are of 64 bits
  CHECK_REFUSED("works in place where", kernel{.in_place = true}, ints);
}

TEST_CASE("block_tree from dynamic shared memory, and in every size of block") {
  namespace k = wf::kernel;
  const auto values = test::whole_data<wf::plus, int>(5001);
  const long long want = wf::reduce(wf::seq, values);
  for (const unsigned block : {32u, 64u, 128u, 256u, 512u, 1024u}) {
    INFO("blocks of ", block);
    CHECK(wf::reduce(wf::emulated.with_kernel(k::block_tree<>{.block = block}), values) == want);
    CHECK(wf::reduce(wf::emulated.with_kernel(
                         k::block_tree<k::shared_memory::dynamic_size>{.block = block}),
                     values) == want);
  }
}

TEST_CASE("every block that the rungs of the ladder take") {
  namespace k = wf::kernel;
  const auto values = test::whole_data<wf::plus, int>(5001);
  const long long want = wf::reduce(wf::seq, values);
  const auto check_one = [&](const auto& kernel) {
    INFO(kernel.name());
    CHECK(wf::reduce(wf::emulated.with_kernel(kernel), values) == want);
  };
  const auto check = [&](const auto&... kernels) { (check_one(kernels), ...); };
  check(k::interleaved_addressing<32>{}, k::interleaved_contiguous<32>{},
        k::sequential_addressing<32>{}, k::first_add_during_load<32>{}, k::unroll_last_warp<32>{},
        k::completely_unrolled<32>{}, k::warp_shuffle<32>{}, k::serial_tail<32>{},
        k::two_pass<32>{}, k::grid_stride<32>{});
  check(k::interleaved_addressing<1024>{}, k::interleaved_contiguous<1024>{},
        k::sequential_addressing<1024>{}, k::first_add_during_load<1024>{},
        k::unroll_last_warp<1024>{}, k::completely_unrolled<1024>{}, k::warp_shuffle<1024>{},
        k::serial_tail<1024>{}, k::two_pass<1024>{}, k::grid_stride<1024>{});
  check(k::unroll_last_warp<64>{}, k::completely_unrolled<64>{}, k::completely_unrolled<256>{},
        k::completely_unrolled<512>{}, k::thread_unrolled<2>{}, k::thread_unrolled<64>{},
        k::grid_2d<8>{}, k::grid_2d<32>{.most_side = 3});
}
