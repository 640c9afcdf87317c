// Folds of segments on host threads: how they are divided, and what a part writes.
#include <warpfold/host/host_segments.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/as_view.hpp>

namespace wf = warpfold;

namespace {

template <class Segments>
auto sums(const std::vector<float>& v, const Segments& segments, std::vector<float>& out) {
  using output = wf::contiguous_output<float>;
  return wf::segmented_reduction<wf::contiguous_view<const float>, Segments, wf::plus, wf::no_init,
                                 output>{
      wf::as_view(v), segments, {}, {}, {output(out.data(), out.size())}};
}

struct split {};

// Divides as oneTBB does, down to parts that are not divisible.
template <class Part>
void divide(Part p, std::vector<Part>& parts) {
  if (!p.is_divisible()) {
    parts.push_back(p);
    return;
  }
  Part second(p, split{});
  divide(p, parts);
  divide(second, parts);
}

template <class Host>
std::size_t check_parts(const Host& host, std::size_t segments, std::size_t least) {
  std::vector<wf::host::segments_part<Host>> parts;
  divide(wf::host::segments_part<Host>(host, 0, segments, least), parts);
  std::size_t next = 0, wrong = 0;
  for (const auto& p : parts) {
    wrong += p.begin() != next || p.empty();
    wrong += p.size() > 1 && host.weight(p.begin(), p.end()) > least;
    next = p.end();
  }
  CHECK(next == segments);
  CHECK(wrong == 0);
  return parts.size();
}

}  // namespace

TEST_CASE("segments are divided evenly, whatever their lengths") {
  const std::vector<float> v(200000);
  for (const int kind : {0, 1, 2, 3}) {
    INFO("kind ", kind);
    std::vector<int> offsets{0};
    for (int s = 0; s < 10000; ++s) {
      const bool is_long = kind == 1 ? s == 5000 : kind == 2 && s % 1000 == 999;
      const int n = kind == 3 ? 0 : is_long ? 15000 : s % 4;
      offsets.push_back(offsets.back() + n);
    }
    std::vector<float> out(10000);
    const wf::host::host_segments<decltype(sums(v, wf::segments_by_offsets(wf::as_view(offsets)),
                                                out))>
        host(sums(v, wf::segments_by_offsets(wf::as_view(offsets)), out));
    const auto total = static_cast<std::size_t>(offsets.back()) + 10000;
    CHECK(host.weight(0, 10000) == total);
    const std::size_t parts = check_parts(host, 10000, 1000);
    // No more than twice as many as needed, and a few around each long one.
    CHECK(parts >= total / 1000 - (kind == 1 ? 14 : kind == 2 ? 140 : 0));
    CHECK(parts <= 2 * total / 1000 + 10);
  }
}

TEST_CASE("segments anywhere are divided by their number, and then by their lengths") {
  const std::vector<float> v(20000);
  std::vector<int> begins(9000, 100), ends(9000, 101);
  ends[40] = ends[41] = 15000;
  std::vector<float> out(9000);
  const auto work = sums(v, wf::segments_between(begins, ends), out);
  const wf::host::host_segments<std::remove_const_t<decltype(work)>> host(work);
  CHECK(host.weight(0, 40) == 80);
  CHECK(host.weight(40, 42) == 2 * 14901);
  CHECK(host.weight(0, 9000) > 9000 * 15000UL);
  CHECK(check_parts(host, 9000, 5000) < 40);
}

TEST_CASE("a part writes its own results only") {
  const std::vector<float> v(300, 1);
  const std::vector<int> offsets{0, 0, 100, 200, 300};
  const auto segments = wf::segments_by_offsets(wf::as_view(offsets));
  std::vector<float> out(4, -1);
  const auto work = sums(v, segments, out);
  using work_type = std::remove_const_t<decltype(work)>;
  wf::host::host_segments<work_type>(work).write(0, 2);
  CHECK(out == std::vector<float>{0, 100, -1, -1});
  wf::host::host_segments<work_type>(work).write(2, 3);
  CHECK(out == std::vector<float>{0, 100, 100, -1});
}

TEST_CASE("short segments of uneven lengths are folded like each alone, to the sign of a zero") {
  // Their memory ends with the last element.
  const std::vector<int> lengths{0, 1, 2, 1, 3, 0, 4, 1, 5, 7, 6, 8, 9, 0, 1, 2, 1};
  std::vector<float> v;
  std::vector<int> offsets{0};
  for (const int n : lengths) {
    for (int i = 0; i < n; ++i) {
      v.push_back(n == 1 || v.size() % 5 == 0 ? -0.0f : static_cast<float>(v.size() * 37 % 23 + 1));
    }
    offsets.push_back(static_cast<int>(v.size()));
  }
  v[6] = std::numeric_limits<float>::quiet_NaN();
  v.shrink_to_fit();
  const auto segments = wf::segments_by_offsets(wf::as_view(offsets));
  const auto check = [&](const auto& op, std::size_t count) {
    using op_type = std::remove_cvref_t<decltype(op)>;
    std::vector<float> out(count, -7);
    using output = wf::contiguous_output<float>;
    using work_type = wf::segmented_reduction<wf::contiguous_view<const float>, decltype(segments),
                                              op_type, wf::no_init, output>;
    static_assert(wf::host::detail::folds_segments_in_vectors<work_type>);
    const work_type work{wf::as_view(v), segments, op, {}, {output(out.data(), count)}};
    wf::host::host_segments<work_type>(work).write(0, count);
    for (std::size_t s = 0; s < count; ++s) {
      float want = op.template identity<float>();
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) {
        want = i == offsets[s] ? v[static_cast<std::size_t>(i)]
                               : op(want, v[static_cast<std::size_t>(i)]);
      }
      INFO("segment ", s);
      CHECK((out[s] == want || (out[s] != out[s] && want != want)));
      CHECK(std::signbit(out[s]) == std::signbit(want));
    }
  };
  for (const std::size_t count : {8, 9, 12, 13, 17}) {  // up to 4, 5, 8 and 9 elements
    check(wf::plus{}, count);
    check(wf::minimum{}, count);
    check(wf::maximum{}, count);
  }
}
