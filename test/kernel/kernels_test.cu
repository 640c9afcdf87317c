// The kernels by name, in shapes that the library would not choose.
#include <warpfold/explain.hpp>

#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

namespace {

constexpr unsigned blocks[] = {32, 96, 512, 1024};
constexpr unsigned grids[] = {1, 2, 7, 133, 2048};
const std::vector<std::size_t> lengths = {0, 1, 31, 1000, 4096 * 4 + 3, (1 << 20) + 7};

/// Elements and an op, and so a way for blocks to meet.
template <class T, class Op>
struct with_op {
  using element = T;
  using op = Op;
};
using ints = with_op<int, wf::plus>;              // states of 8 bytes, posted
using small_vectors = with_op<float3, wf::plus>;  // of 12, the most that is posted
using samples =
    with_op<test::sample, test::merge_samples>;      // of 20, by ticket; chunks of one element
using no_identity = with_op<float, test::add_only>;  // of 8 with a flag, posted
using wide_no_identity = with_op<double, test::add_only>;  // of 16 with a flag, by ticket

template <class T>
std::vector<T> data_of(std::size_t n) {
  if constexpr (std::is_same_v<T, test::sample>) {
    test::random_bits random;
    std::vector<T> values;
    for (std::size_t i = 0; i < n; ++i) {
      const auto word = [&] { return static_cast<unsigned>(random()); };
      values.push_back({word(), {word(), word(), word() >> 1, 1u << (word() >> 25) % 32}});
    }
    return values;
  } else {
    return test::whole_data<wf::plus, T>(n);
  }
}

/// One set of data on both sides, with what `wf::seq` makes of its prefixes.
template <class Subject>
class compared {
  using T = typename Subject::element;
  using op = typename Subject::op;
  static constexpr bool has_identity = wf::op_traits<op, T>::has_identity;
  using result_type = decltype(wf::reduce(wf::seq, std::span<const T>(), op{}));

 public:
  compared() {
    for (const std::size_t n : lengths) {
      if (n == 0 && !has_identity) {
        expected_.emplace_back();
      } else {
        expected_.push_back(wf::reduce(wf::seq, std::span<const T>(host_.data(), n), op{}));
      }
    }
  }

  /// Every length, aligned and one element off.
  template <class Kernel>
  void check(const Kernel& kernel, std::size_t longest = lengths.back()) const {
    const auto policy = wf::device.with_kernel(kernel);
    for (const auto* const placed : {&aligned_, &misaligned_}) {
      for (std::size_t k = 0; k < lengths.size() && lengths[k] <= longest; ++k) {
        const std::span<const T> range(placed->data(), lengths[k]);
        INFO(lengths[k], " elements, ", (placed == &aligned_ ? "aligned" : "one element off"));
        if (lengths[k] == 0 && !has_identity) {
          test::check_throws<wf::empty_range>([&] { (void)wf::reduce(policy, range, op{}); },
                                              "no identity");
          continue;
        }
        const result_type got = wf::reduce(policy, range, op{});
        INFO(test::show(got), ", not ", test::show(expected_[k]));
        CHECK(test::same(got, expected_[k]));
        if (lengths[k] <= 1) {  // an empty range is launched only by this call
          test::device_memory::slot<result_type> slot;
          wf::reduce_async(policy, range, op{}, slot.pointer());
          CHECK(test::same(slot.value(), expected_[k]));
        }
      }
    }
  }

 private:
  std::vector<T> host_ = data_of<T>(lengths.back());
  test::device_memory::array<T> aligned_{host_, 0};
  test::device_memory::array<T> misaligned_{host_, sizeof(T)};
  std::vector<result_type> expected_;
};

template <int LoadBytes, class Subject>
void check_shapes(const compared<Subject>& data) {
  for (const unsigned block : blocks) {
    for (const unsigned grid : grids) {
      INFO("single_pass<", LoadBytes, ">{", block, ", ", grid, "}");
      data.check(wf::kernel::single_pass<LoadBytes>{block, grid});
    }
  }
}

/// Of a tuple of three arrays, each with a misalignment of its own.
struct mixed {
  template <class Triple>
  WARPFOLD_HD long long operator()(const Triple& t) const {
    return wf::get<0>(t) * 1000003ll + wf::get<1>(t) * 1009ll + wf::get<2>(t);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("single_pass in any shape gives what seq gives", Subject, ints, small_vectors,
                   samples, no_identity, wide_no_identity) {
  const compared<Subject> data;
  check_shapes<16>(data);
  check_shapes<64>(data);
  check_shapes<128>(data);
}

TEST_CASE_TEMPLATE("single_block gives what seq gives", Subject, ints, small_vectors, samples,
                   no_identity, wide_no_identity) {
  const compared<Subject> data;
  data.check(wf::kernel::single_block{}, 1000);
}

TEST_CASE("single_block refuses what does not fit its block, and takes all that does") {
  const auto policy = wf::device.with_kernel(wf::kernel::single_block{});
  const std::size_t most = 16384;  // ints: 1024 threads, 4 loads of 4
  const auto host = test::whole_data<wf::plus, int>(most + 1);
  for (const std::size_t offset : {0, 4, 12}) {
    const test::device_memory::array<int> placed(host, offset);
    for (const std::size_t n : {most - 1, most}) {
      INFO(n, " elements, ", offset, " bytes from alignment");
      CHECK(wf::reduce(policy, std::span<const int>(placed.data(), n)) ==
            wf::reduce(wf::seq, std::span<const int>(host.data(), n)));
    }
    const std::span<const int> one_more(placed.data(), most + 1);
    test::check_throws<wf::unsupported_kernel>([&] { (void)wf::reduce(policy, one_more); },
                                               "at most 16384");
    test::check_throws<wf::unsupported_kernel>([&] { (void)wf::explain(policy, one_more); },
                                               "single_pass");
    test::device_memory::slot<long long> slot;
    test::check_throws<wf::unsupported_kernel>(
        [&] { wf::reduce_async(policy, one_more, wf::plus{}, slot.pointer()); }, "16385");
    CHECK(wf::reduce(wf::device, one_more) == wf::reduce(wf::seq, host));
  }
}

TEST_CASE("single_pass refuses blocks that are not a multiple of 32 up to 1024") {
  const auto host = test::whole_data<wf::plus, int>(100003);
  const wf::device_buffer<int> v(host);
  const long long sum = wf::reduce(wf::seq, host);
  for (const unsigned block : {1u, 48u, 1025u, 1056u, 2048u}) {
    INFO("blocks of ", block);
    const auto policy = wf::device.with_kernel(wf::kernel::single_pass<>{block, 7});
    test::check_throws<wf::unsupported_kernel>([&] { (void)wf::reduce(policy, v); },
                                               "multiple of 32");
    test::device_memory::slot<long long> slot;
    test::check_throws<wf::unsupported_kernel>(
        [&] { wf::reduce_async(policy, v, wf::plus{}, slot.pointer()); }, "1024");
    CHECK(wf::reduce(wf::device, v) == sum);
    CHECK(cudaGetLastError() == cudaSuccess);
  }
}

TEST_CASE("kernels load a projection of a zip, every array with a misalignment of its own") {
  const auto bytes = test::whole_data<wf::plus, unsigned char>(lengths.back());
  const auto shorts = test::whole_data<wf::plus, short>(lengths.back());
  const auto words = test::whole_data<wf::plus, int>(lengths.back());
  const test::device_memory::array<unsigned char> b(bytes, 3);
  const test::device_memory::array<short> s(shorts, 14);
  const test::device_memory::array<int> i(words, 4);
  for (const std::size_t n : lengths) {
    const auto zipped = [n](const auto& x, const auto& y, const auto& z) {
      return wf::project(
          wf::zip(std::span(x.data(), n), std::span(y.data(), n), std::span(z.data(), n)), mixed{});
    };
    const long long want = wf::reduce(wf::seq, zipped(bytes, shorts, words), wf::plus{});
    const auto on_gpu = zipped(b, s, i);
    INFO(n, " elements");
    for (const unsigned block : blocks) {
      for (const unsigned grid : grids) {
        INFO("{", block, ", ", grid, "}");
        CHECK(wf::reduce(wf::device.with_kernel(wf::kernel::single_pass<128>{block, grid}), on_gpu,
                         wf::plus{}) == want);
      }
    }
    if (n <= 1000) {
      CHECK(wf::reduce(wf::device.with_kernel(wf::kernel::single_block{}), on_gpu, wf::plus{}) ==
            want);
    }
  }
}

TEST_CASE("a kernel in one shape gives the same bits on every run") {
  const auto host = test::real_data<float>(lengths.back());
  const test::device_memory::array<float> placed(host, 4);
  const auto different = [&](const auto& kernel, std::size_t n) {
    const auto policy = wf::device.with_kernel(kernel);
    const std::span<const float> range(placed.data(), n);
    const float first = wf::reduce(policy, range, wf::plus{});
    INFO(n, " elements: ", test::show(first));
    CHECK(test::sum_of<float>(host.data(), n).admits(first));
    int count = 0;
    for (int i = 0; i < 20; ++i) {
      count += !test::same_bits(wf::reduce(policy, range, wf::plus{}), first);
    }
    return count;
  };
  for (const std::size_t n : lengths) {
    for (const unsigned block : blocks) {
      for (const unsigned grid : grids) {
        INFO("{", block, ", ", grid, "}");
        CHECK(different(wf::kernel::single_pass<>{block, grid}, n) == 0);
      }
    }
    if (n <= 1000) CHECK(different(wf::kernel::single_block{}, n) == 0);
  }
}

TEST_CASE("explain says which kernel, and in which shape") {
  const wf::device_buffer<int> v(lengths.back());
  const auto of = [&](const auto& kernel, std::size_t n) {
    return wf::explain(wf::device.with_kernel(kernel), std::span<const int>(v.data(), n));
  };
  const auto check = [](const wf::plan& p, const char* kernel, unsigned grid, unsigned block,
                        int max_block = 1024) {
    CHECK(p.kernel == kernel);
    CHECK(p.grid == grid);
    CHECK(p.block == block);
    CHECK(p.bytes == p.elements * sizeof(int));
    CHECK(p.chunk == 4);
    CHECK(p.load_bytes == 16);
    CHECK(p.registers > 0);
    CHECK(p.max_threads_per_block == max_block);
    CHECK(p.local_bytes == 0);
    CHECK(p.occupancy > 0);
  };
  check(of(wf::kernel::single_block{}, 100), "single_block", 1, 32, 32);
  check(of(wf::kernel::single_block{}, 1000), "single_block", 1, 256, 256);
  check(of(wf::kernel::single_block{}, 16384), "single_block", 1, 1024);
  check(of(wf::kernel::single_pass<>{256, 7}, v.size()), "single_pass", 7, 256);
  check(of(wf::kernel::single_pass<>{32, 2048}, v.size()), "single_pass", 2048, 32);
  check(of(wf::kernel::single_pass<>{32, 3000}, v.size()), "single_pass", 2048, 32);  // posts
  check(of(wf::kernel::single_pass<>{512, 133}, 1000), "single_pass", 1, 512);
  CHECK(of(wf::kernel::automatic{}, 1000).kernel == "single_block");
  CHECK(of(wf::kernel::automatic{}, v.size()).kernel == "single_pass");
}
