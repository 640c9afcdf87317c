// What kernels say to parameters, states and GPUs that they cannot take, and that nothing is
// launched then.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <array>
#include <cstdint>

#include <warpfold/kernel/cluster.hpp>

#include "kernel/kernel_groups.hpp"

namespace {

/// A launcher that says which GPU there is, and counts.
struct counting_launcher {
  wf::device_info info = wf::emulation::default_gpu;
  int launches = 0;

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    return {nullptr, count};
  }
  template <class Body>
  void launch(const char* kernel, const Body&, const wf::launch_shape& shape) {
    wf::check_shape(kernel, Body::max_block, shape);
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
  CHECK_REFUSED("this GPU has 8.6", k::cluster<2>{}, floats, 86);
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
  CHECK_REFUSED("works in place only on", kernel{.in_place = true},
                std::span<const double>(values));
  const std::vector<int> ints(100);  // sums are of 64 bits
  CHECK_REFUSED("works in place only on", kernel{.in_place = true}, ints);
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

namespace {

/// A launcher that notes each launch's shape, and the states that ladder kernels read and write.
struct noting_launcher {
  struct area {
    std::uintptr_t first = 0, last = 0;
    bool meets(const area& b) const { return first < b.last && b.first < last; }
  };
  struct noted {
    wf::launch_shape shape;
    area from, to;
  };
  wf::device_info info = wf::emulation::default_gpu;
  std::vector<noted> launches;
  std::vector<std::size_t> scratches;  ///< counts

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class T>
  wf::collective::global_array<T> scratch(std::size_t count) {
    scratches.push_back(count);
    return {reinterpret_cast<T*>(std::uintptr_t{1} << 40), count};
  }
  template <class Body>
  void launch(const char* kernel, const Body& body, const wf::launch_shape& shape) {
    wf::check_shape(kernel, Body::max_block, shape);
    noted n{shape, {}, {}};
    if constexpr (requires { body.from; }) n.from = area_of(body.from);
    if constexpr (requires { body.to; }) n.to = area_of(body.to);
    launches.push_back(n);
  }

 private:
  template <class T>
  static area area_of(const wf::collective::global_array<T>& a) {
    const auto first = reinterpret_cast<std::uintptr_t>(a.data);
    return {first, first + a.size * sizeof(T)};
  }
};

/// The launches of `kernel` for `n` floats, none of which is read.
template <class Kernel>
noting_launcher launches_of(const Kernel& kernel, std::size_t n) {
  const wf::contiguous_view<float> view(reinterpret_cast<const float*>(std::uintptr_t{1} << 41), n);
  const wf::reduction<wf::contiguous_view<float>, wf::plus> r{view, {}, {}};
  noting_launcher on;
  kernel.enqueue(r, wf::collective::result_sink<float>{}, on);
  return on;
}

template <std::size_t Bytes>
struct state_of_bytes {
  std::array<double, Bytes / 8> x;
  friend WARPFOLD_HD state_of_bytes operator+(const state_of_bytes& a, const state_of_bytes&) {
    return a;
  }
};

}  // namespace

TEST_CASE("grid_2d: rows of about the square root, and blocks for all of them") {
  const auto grid = [](std::size_t n, unsigned most_side = 64) {
    return launches_of(wf::kernel::grid_2d<>{.most_side = most_side}, n).launches.at(0).shape.grid;
  };
  using wf::launch_extent;
  CHECK(grid(0) == launch_extent(1, 1));
  CHECK(grid(1) == launch_extent(1, 1));
  CHECK(grid(256) == launch_extent(1, 1));  // a block's worth
  CHECK(grid(257) == launch_extent(2, 1));  // rows of 32
  CHECK(grid(512) == launch_extent(2, 1));
  CHECK(grid(513) == launch_extent(2, 2));  // the 17th row has one element
  CHECK(grid(1024) == launch_extent(2, 2));
  CHECK(grid(1025) == launch_extent(3, 2));
  CHECK(grid(1'000'000) == launch_extent(63, 63));
  CHECK(launches_of(wf::kernel::grid_2d<>{}, 10'000'000).launches.at(0).shape.grid ==
        launch_extent(64, 64));
  CHECK(grid(10'000'000, 3) == launch_extent(3, 3));
  CHECK(grid(10'000'000, 65535) == launch_extent(198, 198));
  CHECK_REFUSED("it takes 1 to 65535", wf::kernel::grid_2d<>{.most_side = 65536}, floats);
  // More rows than the grid is high.
  const auto values = test::whole_data<wf::plus, int>(5001);
  CHECK(wf::reduce(wf::emulated.with_kernel(wf::kernel::grid_2d<8>{.most_side = 2}), values) ==
        wf::reduce(wf::seq, values));
}

TEST_CASE("passes never write where the same launch reads") {
  const auto check = [](const auto& kernel, std::size_t n, std::size_t launches) {
    INFO(kernel.name());
    const noting_launcher on = launches_of(kernel, n);
    REQUIRE(on.launches.size() == launches);
    for (std::size_t i = 0; i < launches; ++i) {
      INFO("launch ", i);
      CHECK_FALSE(on.launches[i].from.meets(on.launches[i].to));
      const bool is_last = i + 1 == launches;
      CHECK((on.launches[i].to.first == on.launches[i].to.last) == is_last);
      if (is_last) continue;
      CHECK(on.launches[i + 1].from.first == on.launches[i].to.first);
      CHECK(on.launches[i + 1].from.last == on.launches[i].to.last);
    }
  };
  check(wf::kernel::interleaved_addressing<32>{}, 32 * 32 * 32 * 32 + 1, 5);
  check(wf::kernel::first_add_during_load<32>{}, 64 * 64 * 64, 3);
  check(wf::kernel::warp_shuffle<32>{}, 32, 1);
}

TEST_CASE("thread_unrolled and atomic launch as often as it takes") {
  const auto launches = [](std::size_t n) {
    return launches_of(wf::kernel::thread_unrolled<4>{}, n).launches.size();
  };
  CHECK(launches(7) == 1);
  CHECK(launches(8) == 2);  // two threads of four
  CHECK(launches(11) == 2);
  CHECK(launches(32) == 3);
  const noting_launcher atomic = launches_of(wf::kernel::atomic{}, 1000);
  REQUIRE(atomic.launches.size() == 3);
  CHECK(atomic.launches[0].shape.grid.count() == 1);
  CHECK(atomic.launches[1].shape.grid.count() == 4);
  CHECK(atomic.launches[2].shape.grid.count() == 1);
  CHECK(atomic.scratches == std::vector<std::size_t>{1});
}

TEST_CASE("block_tree takes states that fill the static shared memory") {
  namespace k = wf::kernel;
  CHECK(refusal_of(k::block_tree<>{.block = 1024}, std::vector<state_of_bytes<48>>(10)) == "");
  CHECK_REFUSED("static shared memory holds 512", k::block_tree<>{.block = 1024},
                std::vector<state_of_bytes<56>>(10));
  CHECK(refusal_of(k::block_tree<>{.block = 512}, std::vector<state_of_bytes<96>>(10)) == "");
}

TEST_CASE("strided kernels launch by default what the GPU holds") {
  const auto blocks = [](const auto& kernel) {
    return launches_of(kernel, 10'000'000).launches.at(0).shape.grid.x;
  };
  const wf::device_info gpu = wf::emulation::default_gpu;
  const auto resident =
      static_cast<unsigned>(gpu.multiprocessors * (gpu.threads_per_multiprocessor / 256));
  CHECK(blocks(wf::kernel::grid_stride<>{}) == resident);
  CHECK(blocks(wf::kernel::warp_shuffle<>{}) == resident);
  CHECK(blocks(wf::kernel::serial_tail<>{}) == resident);
  CHECK(blocks(wf::kernel::serial_tail<>{.grid = 5}) == 5);
}

TEST_CASE("block_tree asks for the dynamic shared memory that it uses, and may use all") {
  namespace k = wf::kernel;
  using dynamic_tree = k::block_tree<k::shared_memory::dynamic_size>;
  CHECK(launches_of(k::block_tree<>{}, 100).launches.at(0).shape.shared_bytes == 0);
  CHECK(launches_of(dynamic_tree{.block = 64}, 100).launches.at(0).shape.shared_bytes == 256);
  CHECK(refusal_of(dynamic_tree{.block = 128}, std::vector<state_of_bytes<1816>>(10)) == "");
  CHECK_REFUSED("whose states are 233472 bytes", dynamic_tree{.block = 128},
                std::vector<state_of_bytes<1824>>(10));
}

TEST_CASE("what is refused is refused before anything is asked of it") {
  namespace k = wf::kernel;
  CHECK_REFUSED("blocks of 0 threads", k::thread_unrolled<4>{.block = 0}, floats);
  CHECK_REFUSED("blocks of 0 threads", k::atomic{.block = 0}, floats);
  CHECK_REFUSED("keeps 131072 bytes in the static shared memory of a block of up to 128 threads",
                k::sequential_addressing<128>{}, std::vector<wide>(1000));
}
