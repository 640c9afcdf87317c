// kernel::automatic_classes: which kernel runs counts, and which run other folds.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/automatic.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

namespace wf = warpfold;

namespace {

/// Takes the names of launches, and runs none.
struct named_launches {
  std::vector<std::string_view> names;

  static const wf::device_info& gpu() { return wf::emulation::default_gpu; }
  static wf::collective::grid_storage grid() { return {}; }
  template <class T>
  static wf::collective::global_array<T> scratch(std::size_t count) {
    return {nullptr, count};
  }
  template <class Body>
  void launch(const char* kernel, const Body&, const wf::launch_shape&) {
    names.emplace_back(kernel);
  }
};

}  // namespace

TEST_CASE("counts and sums have kernels of their own") {
  const std::vector<int> labels{1, 0, 1}, values{4, 5, 6};
  std::vector<int> out(2);
  const auto kernel = [] {
    return std::string_view(wf::emulation::last_report().launches.at(0).launch.kernel);
  };
  wf::count_by_class(wf::emulated.counting(), labels, 2, out);
  CHECK(kernel() == "class_counts");
  CHECK(out == std::vector<int>{1, 2});
  wf::reduce_by_class(wf::emulated.counting(), labels, values, 2, wf::plus{}, out);
  CHECK(kernel() == "class_tables");
  CHECK(out == std::vector<int>{5, 10});
}

TEST_CASE("buckets, if tables would read the data more than once") {
  const std::vector<int> labels{1, 7300, 1}, values{4, 5, 6};
  const auto kernel_of = [&](std::size_t classes, const wf::device_info& gpu) {
    std::vector<long long> out(classes);
    wf::reduce_by_class(wf::emulated.emulating(gpu).counting(), labels, values, classes, wf::plus{},
                        out);
    CHECK(out[1] == 10);
    CHECK(out[7300] == 5);
    return std::string_view(wf::emulation::last_report().launches.at(0).launch.kernel);
  };
  wf::device_info gpu = wf::emulation::default_gpu;
  CHECK(kernel_of(7301, gpu) == "class_buckets");
  // Eight tables of 7301 sums of 8 bytes, and then not even a tile of buckets.
  gpu.shared_bytes_per_block = 8 * 8 * 7301 + wf::kernel::detail::bytes_before_tables;
  CHECK(kernel_of(7301, gpu) == "class_tables");
  gpu.shared_bytes_per_block = 16 * 1024;
  CHECK(kernel_of(7301, gpu) == "class_tables");
}

TEST_CASE("buckets, for many values of many classes") {
  constexpr std::size_t n = wf::kernel::automatic_classes::many_values;
  constexpr std::size_t classes = wf::kernel::automatic_classes::many_classes;
  const auto kernel_of = [](std::size_t values, std::size_t count) {
    std::vector<std::size_t> out(count);
    const auto numbers = wf::counting(std::size_t{0}, values);
    named_launches on;
    wf::detail::with_classes(
        wf::emulated, numbers, numbers, count, wf::plus{}, out,
        [&](const auto&, const auto& work) { wf::kernel::automatic_classes{}.enqueue(work, on); });
    return on.names.at(0);
  };
  CHECK(kernel_of(n, classes) == "class_buckets");
  CHECK(kernel_of(n - 1, classes) == "class_tables");
  CHECK(kernel_of(n, classes - 1) == "class_tables");
}
