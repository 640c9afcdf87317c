// Functions of elements and of a value of their segment, with the host policies.
// needs: tbb
#include <warpfold/transform_segments.hpp>

#include "calls/host_segments.hpp"
#include "contract/transform_segments_contract.hpp"

using par = test::segments_par;
using seq = test::segments_seq;

namespace {

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const wf::invalid_range& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE_TEMPLATE("each element and the value of its segment, in segments of any length", Fixture,
                   seq, par) {
  const auto policy = Fixture::policy();
  test::random_bits random;
  for (const int kind : {0, 1, 2}) {
    std::vector<int> offsets{2};
    for (int s = 0; s < 4000; ++s) {
      const bool is_long = kind == 1 ? s % 1000 == 7 : kind == 2 && s == 2000;
      offsets.push_back(offsets.back() +
                        (is_long ? 40000 : static_cast<int>(random() % 4 * (kind != 2))));
    }
    const auto n = static_cast<std::size_t>(offsets.back()) + 3;
    std::vector<int> in(n), values(4000), out(n + 1, -1), want(n + 1, -1);
    for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<int>(i);
    std::vector<int> once = in;
    for (std::size_t s = 0; s < values.size(); ++s) {
      values[s] = static_cast<int>(s) * 7;
      for (auto i = static_cast<std::size_t>(offsets[s]);
           i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
        want[i] = once[i] = in[i] - values[s];
      }
    }
    wf::transform_segments(policy, in, offsets, values, out, [](int x, int v) { return x - v; });
    CHECK((out == want));
    // In place.
    wf::transform_segments(policy, in, offsets, values, in, [](int x, int v) { return x - v; });
    CHECK((in == once));
  }
}

TEST_CASE_TEMPLATE("views, and segments by bounds and of one size", Fixture, seq, par) {
  const auto policy = Fixture::policy();
  const std::vector<float> in{1, 2, 3, 4};
  std::vector<double> out(4, -1);
  const std::vector<unsigned char> begins{3, 0}, ends{4, 2};
  wf::transform_segments(policy, wf::project(in, [](float x) { return x * 10; }),
                         wf::segments_between(begins, ends), wf::counting(5, 2), out,
                         [](float x, int v) { return x + v; });
  CHECK(out == std::vector<double>{16, 26, -1, 45});
  wf::transform_segments(policy, in, wf::segments_of_size(2), std::vector<float>{1, 2}, out,
                         [](float x, float v) { return x / v; });
  CHECK(out == std::vector<double>{1, 2, 1.5, 2});
}

TEST_CASE_TEMPLATE("wrong bounds, sizes and outputs", Fixture, seq, par) {
  const auto policy = Fixture::policy();
  std::vector<int> in(10, 1), out(10, 8), offsets{0, 5, 4};
  std::vector<int> values(2);
  const auto first = [](int x, int) { return x; };
  const auto call = [&](const auto& segments, std::span<int> v, std::span<int> to) {
    return message_of([&] { wf::transform_segments(policy, in, segments, v, to, first); });
  };
  const auto has = [](const std::string& text, const char* part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) MESSAGE(text);
    return found;
  };
  CHECK(has(call(offsets, values, out), "segment 1 begins at 5 and ends at 4"));
  offsets[2] = 11;
  CHECK(has(call(offsets, values, out), "ends at 11, but the range has 10"));
  CHECK(has(call(offsets, std::span(out).first(3), out),
            "the range of values has 3 elements, but 3 offsets make only 2 segments; pass S + 1"));
  const auto halves = wf::segments_of_size(5);
  CHECK(has(call(halves, std::span(values).first(1), out), "there are 2 segments and 1 values"));
  CHECK(has(call(halves, values, std::span(out).first(9)), "the output has 9 elements"));
  CHECK(has(call(halves, std::span(out).subspan(3, 2), out), "overlaps the input"));
  std::vector<int> bounds(13);
  bounds[12] = bounds[11] = 10;
  CHECK(has(call(std::span(bounds).subspan(10), values, std::span(bounds).first(11)),
            "overlaps the input"));
  CHECK(out == std::vector<int>(10, 8));
}

TEST_CASE_TEMPLATE("the asynchronous form writes the same", Fixture, seq, par) {
  std::vector<int> v{1, 3, 5, 5}, offsets{0, 2, 4}, add{10, 20};
  wf::transform_segments_async(Fixture::policy(), v, offsets, add, v, std::plus<>{});
  CHECK(v == std::vector<int>{11, 13, 25, 25});
}

TEST_CASE_TEMPLATE_INVOKE(transform_segments_folds, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_results, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_bounds, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_wrong_bounds, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_views, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_forms, seq, par);
