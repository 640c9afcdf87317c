// Sums of segments in vector registers: the bits of a recursive sum, with vectors of any width.
// gcc: it has vectors of 64 bytes
#include <warpfold/host/vector_segments.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_segments.hpp>

namespace wf = warpfold;

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
namespace {

using namespace wf::host::detail;

/// The sum of `n` numbers in the declared order; zero if there are none.
template <class T>
T sum_of(const T* x, std::size_t n) {
  if (n < 2) return n == 0 ? T{0} : *x;
  std::size_t left = 1;
  while (2 * left < n) left *= 2;
  return sum_of(x, left) + sum_of(x + left, n - left);
}

template <class T>
bool same_bits(T a, T b) {
  using bits = wf::detail::bits_of<T>;
  return __builtin_bit_cast(bits, a) == __builtin_bit_cast(bits, b);
}

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> v(n);
  std::mt19937 random(5);
  for (T& x : v) x = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1.0);
  return v;
}

/// The lengths of many segments, of which `n` numbers are the last one's end.
std::vector<std::size_t> lengths_below(std::size_t most, std::size_t n) {
  std::vector<std::size_t> lengths;
  std::mt19937 random(static_cast<unsigned>(most));
  for (std::size_t all = 0; all < n;) {
    std::size_t length = random() % most;
    if (length > n - all) length = n - all;
    lengths.push_back(length);
    all += length;
  }
  return lengths;
}

/// Compares batches of `some` segments, of fewer than `most` elements, with vectors of one width.
template <int Bytes, class T>
void check_batches(std::size_t most, std::size_t some) {
  using batch_type = segment_batch<sum_node<T>, numbers_source<T>>;
  const auto v = numbers<T>(6001);  // no element behind the last one: a sanitizer would see it
  const auto lengths = lengths_below(most, v.size());
  std::size_t at = 0;
  for (std::size_t s = 0; s < lengths.size();) {
    batch_type batch;
    batch.from.from = v.data();
    batch.limit = v.size();
    for (std::size_t k = s, begin = at; k < lengths.size() && batch.size < some; ++k) {
      batch.add(begin, static_cast<std::uint32_t>(lengths[k]));
      begin += lengths[k];
    }
    wf::detail::run_in_vectors_of<batch_kernel<sum_node<T>, numbers_source<T>>, Bytes>(batch);
    CHECK(batch.longest == 4 * (Bytes / sizeof(T)) * (Bytes / sizeof(T)));
    for (std::size_t j = 0; j < batch.size; ++j, ++s) {
      INFO("segment ", s, " of ", lengths[s], " elements below ", most, ", ", Bytes, " bytes");
      if (lengths[s] <= batch.longest) {
        CHECK(same_bits(batch.value(j), sum_of(v.data() + at, lengths[s])));
      }
      at += lengths[s];
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("segments of any length, in vectors of any width", T, float, double) {
  for (const std::size_t most : {2u, 4u, 9u, 18u, 40u, 70u, 140u, 256u, 1100u}) {
    for (const std::size_t some : {1u, 7u, 256u}) {
      check_batches<16, T>(most, some);
      if (wf::detail::has_vectors_of<32>()) check_batches<32, T>(most, some);
      if (wf::detail::has_vectors_of<64>()) check_batches<64, T>(most, some);
    }
  }
}

TEST_CASE_TEMPLATE("a batch on this processor, and many", T, float, double) {
  const auto v = numbers<T>(200'000);
  for (const std::size_t most : {2u, 4u, 9u, 18u, 40u, 70u, 256u, 700u, 5000u, 100000u}) {
    std::vector<std::size_t> ends{0};
    for (const std::size_t length : lengths_below(most, v.size())) {
      ends.push_back(ends.back() + length);
    }
    std::vector<T> out(ends.size() - 1);
    wf::reduce_segments(wf::seq, v, ends, wf::plus{}, out);
    bool all = true;
    for (std::size_t s = 0; s < out.size(); ++s) {
      all = all && same_bits(out[s], sum_of(v.data() + ends[s], ends[s + 1] - ends[s]));
    }
    CHECK_MESSAGE(all, "lengths below ", most);
  }
}

TEST_CASE_TEMPLATE("equal lengths", T, float, double) {
  const auto v = numbers<T>(50'000);
  for (std::size_t length = 1; length < 300; ++length) {
    std::vector<std::size_t> ends{0};
    while (ends.back() + length <= v.size()) ends.push_back(ends.back() + length);
    std::vector<T> out(ends.size() - 1);
    wf::reduce_segments(wf::seq, v, ends, wf::plus{}, out);
    bool all = true;
    for (std::size_t s = 0; s < out.size(); ++s) {
      all = all && same_bits(out[s], sum_of(v.data() + ends[s], length));
    }
    CHECK_MESSAGE(all, "length ", length);
  }
}

TEST_CASE_TEMPLATE("negative zeros stay, and an empty segment has a zero", T, float, double) {
  const std::vector<T> v(100, -T{0});
  const std::vector<int> ends{0, 0, 1, 4, 4, 20, 100};
  std::vector<T> out(ends.size() - 1, T{7});
  wf::reduce_segments(wf::seq, v, ends, wf::plus{}, out);
  for (std::size_t s = 0; s < out.size(); ++s) {
    INFO("segment ", s);
    CHECK(same_bits(out[s], ends[s] == ends[s + 1] ? T{0} : -T{0}));
  }
}
#endif
