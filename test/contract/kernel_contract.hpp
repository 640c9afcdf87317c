/// @file
/// The test suite for kernels, on a GPU and in the emulation. A test file names fixtures (see
/// policy_contract.hpp) and kernels:
///
///     using on_host = test::kernel_subject<fixture, wf::kernel::sequential_addressing<128>>;
///     TEST_CASE_TEMPLATE_INVOKE(kernel_types, on_host);
#pragma once

#include <warpfold/kernel/concept.hpp>

#include "contract/policy_contract.hpp"

namespace test {

/// A fixture and a kernel. `Fixture::policy()` takes kernels.
template <class Fixture, class Kernel>
struct kernel_subject {
  using fixture = Fixture;
  static auto policy() { return Fixture::policy().with_kernel(Kernel{}); }
  /// Whether the kernel gives the same bits on every run.
  static constexpr bool repeatable = wf::kernel::is_repeatable_v<Kernel>;
  /// The longest range to test: if the order is that of arrival, each element waits for all others.
  static constexpr std::size_t longest = repeatable ? static_cast<std::size_t>(-1) : 4095;
};

/// One subject for each kernel.
template <class Fixture, class... Kernels>
using kernel_subjects = std::tuple<kernel_subject<Fixture, Kernels>...>;

/// Zero, one, and sizes around warps, blocks, and the limits of one, two and three passes of 128.
inline const std::vector<std::size_t>& kernel_lengths() {
  static const std::vector<std::size_t> all = {0,   1,   2,   3,   31,   32,   33,    127,   128,
                                               129, 255, 256, 257, 1000, 4095, 16384, 16385, 70001};
  return all;
}

/// Checks that `op` gives the result of wf::seq for every length, aligned and misaligned by one
/// element, and that the range does not change.
template <class Subject, class Op, class T>
void check_kernel(const std::vector<T>& values, Op op = {}) {
  using fixture = typename Subject::fixture;
  using result_type = decltype(wf::reduce(wf::seq, std::span<const T>(values), op));
  constexpr bool has_identity = wf::op_traits<Op, T>::has_identity;
  for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
    const typename fixture::template array<T> placed(values, offset);
    for (const std::size_t n : kernel_lengths()) {
      if (n > values.size() || n > Subject::longest) break;
      INFO(n, " elements, ", offset, " bytes from alignment");
      const auto range = range_of<fixture, T>(placed, n);
      const std::span<const T> host(values.data(), n);
      if (n == 0 && !has_identity) {
        check_throws<wf::empty_range>([&] { (void)wf::reduce(Subject::policy(), range, op); },
                                      "no identity");
        continue;
      }
      const result_type want = wf::reduce(wf::seq, host, op);
      const result_type got = wf::reduce(Subject::policy(), range, op);
      INFO(show(got), ", not ", show(want));
      CHECK(same(got, want));
      if (n <= 1) {  // an empty range is launched only by this call
        typename fixture::template slot<result_type> slot;
        wf::reduce_async(Subject::policy(), range, op, slot.pointer());
        CHECK(same(slot.value(), want));
      }
    }
  }
}

/// A hash of a (value, index) pair, which changes if the value changes or moves.
struct hash_of_place {
  template <class Pair>
  WARPFOLD_HD std::uint64_t operator()(const Pair& p) const {
    return (static_cast<std::uint64_t>(wf::get<0>(p)) ^ wf::get<1>(p)) * 0x9e3779b97f4a7c15u;
  }
};

template <class T>
std::vector<T> kernel_data() {
  return whole_data<wf::plus, T>(kernel_lengths().back());
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("a kernel sums, on elements of one to eight bytes", Subject,
                          kernel_types) {
  test::check_kernel<Subject, wf::plus>(test::kernel_data<signed char>());
  test::check_kernel<Subject, wf::plus>(test::kernel_data<int>());
  test::check_kernel<Subject, wf::plus>(test::kernel_data<float>());
  test::check_kernel<Subject, wf::plus>(test::kernel_data<double>());
}

TEST_CASE_TEMPLATE_DEFINE("a kernel takes ops without identity, structs, and an init", Subject,
                          kernel_ops) {
  using fixture = typename Subject::fixture;
  test::check_kernel<Subject, wf::maximum>(test::kernel_data<short>());
  test::check_kernel<Subject, test::add_only>(test::kernel_data<float>());
  test::check_kernel<Subject, test::add_only>(test::kernel_data<double>());

  test::random_bits random;
  std::vector<test::sample> samples;
  for (int i = 0; i < 5000; ++i) {
    const auto word = [&] { return static_cast<unsigned>(random()); };
    samples.push_back({word(), {word(), word(), word() >> 1, 1u << (word() >> 25) % 32}});
  }
  test::check_kernel<Subject, test::merge_samples>(samples);

  std::vector<test::particle> particles;
  for (int i = 0; i < 5000; ++i) {
    particles.push_back({static_cast<float>(random() % 1000), i / 3.0, i});
  }
  test::check_kernel<Subject, test::heavier>(particles);

  const auto ints = test::kernel_data<int>();
  const typename fixture::template array<int> placed(ints, 4);
  const auto range = test::range_of<fixture, int>(placed, 4095);
  const std::span<const int> host(ints.data(), 4095);
  CHECK(wf::reduce(Subject::policy(), range, 17, wf::plus{}) ==
        wf::reduce(wf::seq, host, 17, wf::plus{}));
}

TEST_CASE_TEMPLATE_DEFINE("a kernel reads through views", Subject, kernel_views) {
  using fixture = typename Subject::fixture;
  constexpr std::size_t n = 16385;
  const auto bytes = test::whole_data<wf::plus, unsigned char>(n);
  const auto shorts = test::whole_data<wf::plus, short>(n);
  const auto ints = test::whole_data<wf::plus, int>(n);
  const typename fixture::template array<unsigned char> b(bytes, 3);
  const typename fixture::template array<short> s(shorts, 14);
  const typename fixture::template array<int> i(ints, 4);
  for (const std::size_t length : {std::size_t{1}, std::size_t{129}, std::size_t{1000}, n}) {
    INFO(length, " elements");
    const auto triples = [length](const auto& x, const auto& y, const auto& z) {
      return wf::project(wf::zip(std::span(x.data(), length), std::span(y.data(), length),
                                 std::span(z.data(), length)),
                         test::sum_of_triple{});
    };
    CHECK(wf::reduce(Subject::policy(), triples(b, s, i), wf::plus{}) ==
          wf::reduce(wf::seq, triples(bytes, shorts, ints), wf::plus{}));
    CHECK(wf::reduce(Subject::policy(), wf::counting(std::uint64_t{5}, length), wf::plus{}) ==
          5 * length + length * (length - 1) / 2);
    // The index of the greatest element: indices from zip, and the op takes the lowest of equal
    // ones.
    const auto placed = [length](const auto& x) {
      return wf::zip(std::span(x.data(), length), wf::counting(std::uint64_t{0}, length));
    };
    const auto found = wf::reduce(Subject::policy(), placed(s), test::first_greatest{});
    const auto want = wf::reduce(wf::seq, placed(shorts), test::first_greatest{});
    CHECK(wf::get<0>(found) == wf::get<0>(want));
    CHECK(wf::get<1>(found) == wf::get<1>(want));
  }
}

TEST_CASE_TEMPLATE_DEFINE("a kernel leaves its input alone, and gives the same bits on every run",
                          Subject, kernel_bits) {
  using fixture = typename Subject::fixture;
  const auto values = test::real_data<float>(test::kernel_lengths().back());
  const typename fixture::template array<float> placed(values, 4);
  for (const std::size_t n : test::kernel_lengths()) {
    INFO(n, " elements");
    const auto range = test::range_of<fixture, float>(placed, n);
    const float first = wf::reduce(Subject::policy(), range, wf::plus{});
    INFO(test::show(first));
    CHECK(test::sum_of<float>(values.data(), n).admits(first));
    if constexpr (Subject::repeatable) {
      int different = 0;
      for (int k = 0; k < 3; ++k) {
        different += !test::same_bits(wf::reduce(Subject::policy(), range, wf::plus{}), first);
      }
      CHECK(different == 0);
    }
  }

  const auto ints = test::kernel_data<int>();
  const typename fixture::template array<int> ints_placed(ints, 4);
  const auto hash = [](const auto& v) {
    return wf::project(wf::zip(v, wf::counting(std::uint64_t{1}, v.size())), test::hash_of_place{});
  };
  const auto range = test::range_of<fixture, int>(ints_placed, ints.size());
  (void)wf::reduce(Subject::policy(), range, wf::plus{});
  CHECK(wf::reduce(fixture::policy(), hash(range), wf::plus{}) ==
        wf::reduce(wf::seq, hash(std::span<const int>(ints)), wf::plus{}));
}
