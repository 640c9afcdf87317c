// Folds along axes and of segments whose elements lie in shards on two GPUs, or on ranks with a GPU
// each, give what the host gives for the whole. With one GPU, that GPU has two ranks.
#include <warpfold/policy/sharded_groups.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cuda/std/mdspan>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <warpfold/explain_axis.hpp>
#include <warpfold/explain_segments.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/devices.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "contract/ranks.hpp"
#include "contract/two_gpus.hpp"

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using matrix = cs::mdspan<const float, cs::dextents<std::size_t, 2>>;

using test::check_cuda;
using test::two_gpus;

// Two parts of values of the host, one on each GPU.
template <class T>
std::vector<wf::device_buffer<T>> in_two_parts(const two_gpus& t, const std::vector<T>& v,
                                               std::size_t at) {
  std::vector<wf::device_buffer<T>> all(2);
  for (int i = 0; i < 2; ++i) {
    const wf::runtime::device_guard on(t.id[i]);
    all[static_cast<std::size_t>(i)] = i == 0 ? wf::device_buffer<T>(v.data(), at)
                                              : wf::device_buffer<T>(v.data() + at, v.size() - at);
  }
  return all;
}

template <class T>
std::vector<T> on_host(const wf::device_buffer<T>& there) {
  std::vector<T> v(there.size());
  check_cuda(cudaMemcpy(v.data(), there.data(), v.size() * sizeof(T), cudaMemcpyDefault));
  return v;
}
template <class T>
std::span<const T> span_of(const wf::device_buffer<T>& b) {
  return {b.data(), b.size()};
}

std::vector<float> some_floats(std::size_t n, std::mt19937& random) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return v;
}

// Without an identity.
struct mean_of {
  struct state {
    double sum, count;
  };
  WARPFOLD_HD static state lift(float x) { return {static_cast<double>(x), 1}; }
  WARPFOLD_HD state operator()(const state& a, const state& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  WARPFOLD_HD double finish(const state& a) const { return a.sum / a.count; }
};

std::vector<int> some_offsets(std::size_t segments, std::mt19937& random) {
  std::vector<int> offsets{static_cast<int>(random() % 3)};
  for (std::size_t s = 0; s < segments; ++s) {
    const auto length = random() % 16 == 0 ? random() % 5000 : 1 + random() % 9;
    offsets.push_back(offsets.back() + static_cast<int>(length));
  }
  return offsets;
}

}  // namespace

TEST_CASE("shards of the folded axis") {
  std::mt19937 random(2);
  const two_gpus t;
  for (const std::size_t rows : {1ul, 40ul, 3000ul}) {
    const std::size_t columns = 1 + random() % 300, first = random() % (rows + 1);
    const auto v = some_floats(rows * columns, random);
    const auto parts = in_two_parts(t, v, first * columns);
    const auto shards = wf::shards(matrix(parts[0].data(), first, columns),
                                   matrix(parts[1].data(), rows - first, columns));
    CAPTURE(rows);
    CAPTURE(columns);
    const auto agrees = [&](auto expected, const auto& op) {
      expected.resize(columns);
      wf::device_buffer<typename decltype(expected)::value_type> out(columns);
      wf::reduce_axis<0>(wf::across(t.gpus()), shards, op, out);
      wf::reduce_axis<0>(wf::seq, matrix(v.data(), rows, columns), op, expected);
      return on_host(out) == expected;
    };
    CHECK(agrees(std::vector<float>(), wf::plus{}));
    CHECK(agrees(std::vector<std::size_t>(), wf::arg(wf::maximum{})));
    CHECK(agrees(std::vector<double>(), mean_of{}));
  }
}

TEST_CASE("shards of segments") {
  std::mt19937 random(3);
  const two_gpus t;
  for (const std::size_t segments : {1ul, 50ul, 20000ul}) {
    const auto offsets = some_offsets(segments, random);
    const auto v = some_floats(static_cast<std::size_t>(offsets.back()), random);
    const auto parts = in_two_parts(t, v, random() % (v.size() + 1));
    const wf::device_buffer<int> there(offsets);
    const auto shards = wf::shards(span_of(parts[0]), span_of(parts[1]));
    CAPTURE(segments);
    const auto agrees = [&](auto expected, const auto&... op_and_init) {
      expected.resize(segments);
      wf::device_buffer<typename decltype(expected)::value_type> out(segments);
      wf::reduce_segments_async(wf::across(t.gpus()), shards, there, op_and_init..., out);
      check_cuda(cudaStreamSynchronize(t.stream[0]));
      wf::reduce_segments(wf::seq, v, offsets, op_and_init..., expected);
      return on_host(out) == expected;
    };
    CHECK(agrees(std::vector<float>(), wf::plus{}, 2.0f));
    CHECK(agrees(std::vector<std::size_t>(), wf::arg(wf::minimum{})));
    CHECK(agrees(std::vector<double>(), mean_of{}));
  }
}

TEST_CASE("ranks with a GPU each: an axis and segments") {
  std::mt19937 random(4);
  const std::size_t rows = 500, columns = 37;
  const auto v = some_floats(rows * columns, random);
  const wf::device_buffer<float> whole(v);
  const auto bounds = test::dealt(rows, 3, random);
  auto offsets = some_offsets(200, random);
  for (auto& o : offsets) o %= static_cast<int>(v.size());
  std::sort(offsets.begin(), offsets.end());
  const wf::device_buffer<int> there(offsets);

  std::vector<float> sums(columns), folds(200);
  std::vector<std::size_t> places(columns);
  wf::reduce_axis<0>(wf::seq, matrix(v.data(), rows, columns), wf::plus{}, sums);
  wf::reduce_axis<0>(wf::seq, matrix(v.data(), rows, columns), wf::arg(wf::minimum{}), places);
  wf::reduce_segments(wf::seq, v, offsets, wf::plus{}, 3.0f, folds);
  const auto all = test::on_ranks(3, [&](auto rank) {
    const auto r = static_cast<std::size_t>(rank.rank());
    const float* const first = whole.data() + bounds[r] * columns;
    const std::size_t own = bounds[r + 1] - bounds[r];
    const auto policy = wf::across(rank, wf::device);
    wf::device_buffer<float> out(columns), out_folds(200);
    wf::device_buffer<std::size_t> out_places(columns);
    wf::reduce_axis<0>(policy, matrix(first, own, columns), wf::plus{}, out);
    wf::reduce_axis<0>(policy, matrix(first, own, columns), wf::arg(wf::minimum{}), out_places);
    wf::reduce_segments(policy, std::span<const float>(first, own * columns), there, wf::plus{},
                        3.0f, out_folds);
    return on_host(out) == sums && on_host(out_places) == places && on_host(out_folds) == folds;
  });
  CHECK(all.all_are(true));
}

TEST_CASE("a rank that passes a null pointer makes the call throw on every rank") {
  std::vector<float> host(12);
  const wf::device_buffer<float> there(host);
  const auto failed = test::on_ranks(2, [&](auto rank) {
    wf::device_buffer<float> out(4);
    const float* const in = rank.rank() == 1 ? nullptr : there.data();
    wf::reduce_axis<0>(wf::across(rank, wf::device), matrix(in, 3, 4), wf::plus{}, out);
    return 0;
  });
  CHECK(failed.thrown_by<wf::invalid_range>(1).find("null pointer") != std::string::npos);
  CHECK(failed.thrown_by<wf::rank_error>(0).find("null pointer") != std::string::npos);
}

TEST_CASE("explain tells what the GPUs run and what travels") {
  const two_gpus t;
  const std::vector<float> v(70);
  const auto parts = in_two_parts(t, v, 20);
  const auto gpus = wf::across(t.gpus());
  const auto axis = wf::explain_axis<0>(
      gpus, wf::shards(matrix(parts[0].data(), 2, 10), matrix(parts[1].data(), 5, 10)), wf::plus{});
  CHECK(axis.ranks == 2);
  CHECK(axis.local == "device");
  CHECK(axis.bytes_sent == 10 * sizeof(float));
  CHECK(axis.bytes == 280);
  CHECK(axis.shard_bytes == 200);
  CHECK(axis.on_gpu);
  {
    const wf::runtime::device_guard on(t.gpus().id(1));
    const auto largest =
        wf::explain_axis<0>(wf::device, matrix(parts[1].data(), 5, 10), wf::plus{});
    CHECK(axis.launches == largest.launches + 1);  // and the one that combines
  }
  const wf::device_buffer<int> offsets(std::vector<int>{0, 10, 70});
  const auto segments = wf::explain_segments(gpus, wf::shards(span_of(parts[0]), span_of(parts[1])),
                                             span_of(offsets), wf::plus{});
  CHECK(segments.ranks == 2);
  CHECK(segments.bytes_sent == 2 * sizeof(float));
  CHECK(segments.launches == 2);
  CHECK(segments.on_gpu);
}
