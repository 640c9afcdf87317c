// Folds of classes on the GPU.
#include <cmath>
#include <cstdint>
#include <limits>

#include <warpfold/reduce_by_class.hpp>

#include "contract/classes_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(class_folds, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_states, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_clusters, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_depths, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_labels, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_addresses, fixture);

TEST_CASE("many values, and more classes than one block has room for") {
  test::check_classes<fixture>(test::labeling::uniform, 3'000'001, 64);
  test::check_classes<fixture>(test::labeling::equal, 3'000'001, 64);
  test::check_classes<fixture>(test::labeling::skewed, 1'000'000, 65536);
  test::check_clusters<fixture>(test::labeling::uniform, 100'000, 32);
  test::check_clusters<fixture>(test::labeling::uniform, 1'000'000, 100);
  test::check_clusters<fixture>(test::labeling::equal, 1'000'000, 100);
}

TEST_CASE("values with wrong labels are left out, and empty classes may stay as they are") {
  const std::vector<int> labels{0, 3, -1, 2, 1000, 2, std::numeric_limits<int>::min()};
  const std::vector<int> values{1, 2, 4, 8, 16, 32, 64};
  const wf::device_buffer<int> l(labels), v(values);
  wf::device_buffer<int> out(std::vector<int>(3, 7));
  wf::reduce_by_class(wf::device, l, v, 3, wf::plus{}, out);
  CHECK(out.to_host() == std::vector<int>{1, 0, 40});
  wf::count_by_class(wf::device, l, 3, out);
  CHECK(out.to_host() == std::vector<int>{1, 0, 2});
  out = wf::device_buffer<int>(std::vector<int>(3, 7));
  wf::reduce_by_class(wf::device, l, v, 3, test::larger_of_two{}, out);
  CHECK(out.to_host() == std::vector<int>{1, 7, 32});
}

TEST_CASE("captured in a graph and replayed with other labels") {
  cudaStream_t stream{};
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  wf::device_buffer<int> labels(std::vector<int>{0, 1, 1, 1});
  wf::device_buffer<int> out(std::vector<int>(2, -1));
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::count_by_class_async(wf::device.on(stream), labels, 2, out);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(out.to_host() == std::vector<int>{1, 3});
  REQUIRE(cudaMemset(labels.data(), 0, 4 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(out.to_host() == std::vector<int>{4, 0});
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("many bytes and shorts of every distribution") {
  using test::labeling;
  for (const labeling how :
       {labeling::uniform, labeling::equal, labeling::skewed, labeling::sorted}) {
    test::check_labels_of<fixture, std::uint8_t>(how, 10'000'003, 256, 1);
    test::check_labels_of<fixture, std::uint8_t>(how, 10'000'003, 64, 0);
    test::check_labels_of<fixture, std::uint16_t>(how, 3'000'001, 1000, 2);
    test::check_labels_of<fixture, std::uint16_t>(how, 3'000'001, 65536, 0);
    test::check_labels_of<fixture, int>(how, 3'000'001, 4096, 4);
    test::check_labels_of<fixture, int>(how, 3'000'001, 7300, 0);
    test::check_labels_of<fixture, int>(how, 3'000'001, 60000, 0);
  }
}

namespace {

struct one_class {
  WARPFOLD_HD int operator()(std::size_t) const { return 1; }
};

}  // namespace

TEST_CASE("more labels than 32 bits count") {
  const std::size_t n = (std::size_t{1} << 32) + 12345;
  const auto labels = wf::project(wf::counting(std::size_t{0}, n), one_class{});
  wf::device_buffer<std::size_t> out(std::vector<std::size_t>(3, 9));
  wf::count_by_class(wf::device, labels, 3, out);
  CHECK(out.to_host() == std::vector<std::size_t>{0, n, 0});
}

TEST_CASE("calls one after the other begin with cleared counters") {
  std::vector<std::uint8_t> labels(200'000);
  std::vector<int> counts(200);
  for (std::size_t i = 0; i < labels.size(); ++i) ++counts[labels[i] = i * i % 200];
  const wf::device_buffer<std::uint8_t> l(labels);
  wf::device_buffer<int> out(200);
  for (int k = 0; k < 20; ++k) {
    wf::count_by_class(wf::device, l, 200, out);
    REQUIRE(out.to_host() == counts);
  }
}

TEST_CASE("millions of values of many classes, in buckets") {
  using test::labeling;
  for (const labeling how :
       {labeling::uniform, labeling::equal, labeling::skewed, labeling::runs, labeling::sorted}) {
    test::check_classes<fixture>(how, 2'000'003, 5000);
    test::check_classes<fixture>(how, 2'000'003, 70'000);
    test::check_clusters<fixture>(how, 1'000'000, 30'000);
    test::check_labels_of<fixture, std::uint16_t>(how, 3'000'001, 40'000, 2);
  }
  test::check_classes<fixture>(labeling::skewed, 2'000'003, 300'000);
  test::check_classes<fixture>(labeling::uniform, 100, 2'000'000);
}

TEST_CASE("buckets in a graph, with other labels at the second replay") {
  constexpr std::size_t n = 50'000, classes = 20'000;
  cudaStream_t stream{};
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  std::vector<int> labels(n), values(n, 1), counts(classes);
  for (std::size_t i = 0; i < n; ++i) ++counts[labels[i] = static_cast<int>(i * i % 19'997)];
  wf::device_buffer<int> l(labels), v(values), out(classes);
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::reduce_by_class_async(wf::device.on(stream), l, v, classes, wf::plus{}, out);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  for (int k = 0; k < 2; ++k) {
    REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(out.to_host() == counts);
    REQUIRE(cudaMemset(l.data(), 0, n * sizeof(int)) == cudaSuccess);
    counts.assign(classes, 0);
    counts[0] = n;
  }
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("sums of floats have the same bits on every run") {
  for (const std::size_t classes : {2, 32, 100, 200, 400, 1000, 20'000}) {
    for (const std::size_t n : {1000, 100'000, 3'000'000}) {
      INFO(n, " values of ", classes, " classes");
      const auto labels = test::labels_of(test::labeling::skewed, n, classes);
      test::random_bits random;
      std::vector<float> values(n);
      std::vector<double> sums(classes);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<float>(random() % 1000003) / 1000;
        sums[labels[i]] += values[i];
      }
      const wf::device_buffer<unsigned> l(labels);
      const wf::device_buffer<float> v(values);
      wf::device_buffer<float> out(classes);
      wf::reduce_by_class(wf::device, l, v, classes, wf::plus{}, out);
      const auto first = out.to_host();
      std::size_t wrong = 0;
      for (std::size_t c = 0; c < classes; ++c)
        wrong += std::abs(first[c] - sums[c]) > 1e-4 * sums[c];
      CHECK(wrong == 0);
      for (int k = 0; k < 10; ++k) {
        wf::reduce_by_class(wf::device, l, v, classes, wf::plus{}, out);
        REQUIRE(out.to_host() == first);
      }
    }
  }
}
