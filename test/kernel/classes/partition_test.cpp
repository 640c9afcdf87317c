// kernel::detail::enqueue_partition in the emulation: the stored values are in the order of the
// buckets, and within a bucket in that of the range.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/partition.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

#include "contract/classes_contract.hpp"
#include "contract/emulated_launch.hpp"

namespace {

namespace detail = wf::kernel::detail;
using detail::bucket_division;
using detail::bucket_share;

template <class T>
struct partitioned {
  std::vector<T> values;
  std::vector<unsigned> rows;  ///< the class in the bucket
  std::vector<std::size_t> begins;
  std::vector<bucket_share> shares;
};

/// @param tiles of a block of the partition
template <class T>
partitioned<T> partition(const std::vector<unsigned>& labels, const std::vector<T>& values,
                         std::size_t classes, unsigned class_bits, std::size_t tiles,
                         std::size_t share_size) {
  partitioned<T> result;
  std::vector<T> out(classes);
  wf::detail::with_classes(
      wf::emulated, labels, values, classes, wf::plus{}, out, [&](const auto&, const auto& work) {
        using scatter = detail::scatter_to_buckets<std::remove_cvref_t<decltype(work)>>;
        static_assert(std::is_same_v<typename scatter::stored, T>);
        const std::size_t n = labels.size();
        bucket_division how;
        how.classes = static_cast<unsigned>(classes);
        how.class_bits = class_bits;
        how.buckets = static_cast<unsigned>((classes - 1) >> class_bits) + 1;
        how.part_size = tiles * scatter::tile;
        how.blocks = n == 0 ? 1 : static_cast<unsigned>((n - 1) / how.part_size) + 1;
        how.share_size = share_size;
        test::emulated_launch on;
        (void)on.read_only(labels);
        (void)on.read_only(values);
        result.values.resize(n);
        result.begins.resize(how.buckets + 1);
        result.shares.resize(how.most_shares(n), {99, 99});
        std::vector<std::uint8_t> bytes(class_bits <= 8 ? n : 0);
        std::vector<std::uint16_t> shorts(class_bits <= 8 ? 0 : n);
        std::vector<std::size_t> counts(std::size_t{how.buckets} * how.blocks);
        std::vector<unsigned> share_count(1);
        const detail::bucket_memory<T> memory{on.array(result.values), on.array(bytes),
                                              on.array(shorts),        on.array(counts),
                                              on.array(result.begins), on.array(result.shares),
                                              on.array(share_count)};
        detail::enqueue_partition("partition", work, how, memory, on.launcher());
        on.launcher().finish();
        result.rows.assign(bytes.begin(), bytes.end());
        result.rows.insert(result.rows.end(), shorts.begin(), shorts.end());
        result.shares.resize(share_count[0]);
      });
  return result;
}

/// Value `i` is `i`, so that the order of the stored values shows.
template <class T>
void check(test::labeling how, std::size_t n, std::size_t classes, unsigned class_bits,
           std::size_t tiles, std::size_t share_size, bool has_wrong = false) {
  INFO(n, " values of ", classes, " classes, 2^", class_bits, " in a bucket");
  auto labels = test::labels_of(how, n, classes);
  if (has_wrong) {
    for (std::size_t i = 0; i < n; i += 3) labels[i] += static_cast<unsigned>(classes);
  }
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T{0});
  const auto found = partition(labels, values, classes, class_bits, tiles, share_size);

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] < classes) order.push_back(i);
  }
  const auto bucket_of = [&](std::size_t i) { return labels[i] >> class_bits; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bucket_of(a) < bucket_of(b); });
  std::size_t wrong = 0;
  std::vector<std::size_t> begins(found.begins.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    wrong += found.values[k] != values[order[k]];
    wrong += found.rows[k] != (labels[order[k]] & ((1u << class_bits) - 1));
    ++begins[bucket_of(order[k]) + 1];
  }
  CHECK(wrong == 0);
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  CHECK(found.begins == begins);
  std::size_t share = 0;
  for (unsigned b = 0; b + 1 < begins.size(); ++b) {
    const std::size_t size = begins[b + 1] - begins[b];
    for (unsigned k = 0; k == 0 || k * share_size < size; ++k, ++share) {
      REQUIRE(share < found.shares.size());
      wrong += found.shares[share].bucket != b || found.shares[share].number != k;
    }
  }
  CHECK(wrong == 0);
  CHECK(share == found.shares.size());
}

}  // namespace

TEST_CASE("values of 4 bytes, in buckets of every number") {
  using test::labeling;
  for (const labeling how : {labeling::uniform, labeling::equal, labeling::skewed}) {
    check<float>(how, 9000, 5, 1, 1, 1000);
    check<float>(how, 9000, 300, 0, 2, 100);
    check<float>(how, 9000, 4000, 3, 1, 5000);
    check<float>(how, 9000, 512, 0, 3, 10);
  }
  for (const std::size_t n : {0, 1, 255, 4095, 4096, 4097}) {
    check<float>(labeling::skewed, n, 70, 4, 1, 64);
  }
}

TEST_CASE("wrong labels are left out") {
  check<float>(test::labeling::uniform, 9000, 300, 2, 1, 100, true);
  check<float>(test::labeling::equal, 9000, 300, 2, 1, 100, true);
}

TEST_CASE("values of 8 bytes, and more than 256 classes in a bucket") {
  check<double>(test::labeling::uniform, 9000, 3000, 9, 1, 1000);
}

namespace {

template <class T, class Op>
using stored = typename detail::stored_values<wf::class_reduction<
    wf::contiguous_view<const int>, wf::contiguous_view<const T>, Op, wf::contiguous_output<int>>>;

}  // namespace

TEST_CASE("stored are elements, or accumulators if they are smaller or have an index") {
  static_assert(std::is_same_v<stored<int, wf::plus>::type, int>);
  static_assert(std::is_same_v<stored<float, wf::moments_op>::type, float>);
  using places = decltype(wf::arg(wf::maximum{}));
  static_assert(std::is_same_v<stored<int, places>::type, wf::indexed<int>>);
  static_assert(std::is_same_v<stored<long long, test::deepest>::type, test::depth>);
}
