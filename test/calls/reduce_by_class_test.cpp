// Folds and counts of classes with the host policies, beside a plain loop.
// needs: tbb
#include <warpfold/reduce_by_class.hpp>

#include "calls/host_segments.hpp"
#include "contract/classes_contract.hpp"

using par = test::segments_par;
using seq = test::segments_seq;

namespace {

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const wf::error& e) {
    return e.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE(text);
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(class_folds, seq, par);
TEST_CASE_TEMPLATE_INVOKE(class_states, seq, par);
TEST_CASE_TEMPLATE_INVOKE(class_clusters, seq, par);
TEST_CASE_TEMPLATE_INVOKE(class_depths, seq, par);
TEST_CASE_TEMPLATE_INVOKE(class_labels, seq, par);
TEST_CASE_TEMPLATE_INVOKE(class_addresses, seq, par);

// The largest sums of reduce_by_class_test.cu: the loop and the policy round differently if floats
// do not hold them.
TEST_CASE("sums of ten million values of one class") {
  test::check_labels_of<par, std::uint8_t>(test::labeling::equal, 10'000'003, 64, 0);
}

TEST_CASE_TEMPLATE("ops without an identity, and labels of other types", Fixture, seq, par) {
  const auto policy = Fixture::policy();
  const std::vector<int> labels{2, 0, 2, 1}, values{5, 6, -7, 8};
  const auto lesser = [](int a, int b) { return b < a ? b : a; };
  std::vector<int> out(3), more(4, 9);
  wf::reduce_by_class(policy, labels, values, 3, lesser, out);
  CHECK(out == std::vector<int>{6, 8, -7});
  CHECK(has(message_of([&] { wf::reduce_by_class(policy, labels, values, 4, lesser, more); }),
            "class 3 has no values"));
  CHECK(more == std::vector<int>(4, 9));
  const std::vector<char> text{'b', 'a', 'd'};
  wf::count_by_class(policy, wf::project(text, [](char c) { return c - 'a'; }), 4, more);
  CHECK(more == std::vector<int>{1, 1, 0, 1});
}

TEST_CASE("a projection is called once for each value") {
  const std::vector<int> labels{1, 0, 1}, values{1, 2, 3};
  int calls = 0;
  const auto counting = [&calls](int x) {
    ++calls;
    return x;
  };
  const auto lesser = [](int a, int b) { return b < a ? b : a; };
  std::vector<int> out(2);
  wf::reduce_by_class(wf::seq, labels, wf::project(values, counting), 2, wf::plus{}, out);
  CHECK(calls == 3);
  wf::reduce_by_class(wf::seq, labels, wf::project(values, counting), 2, lesser, out);
  CHECK(calls == 6);
}

TEST_CASE_TEMPLATE("wrong labels, sizes and outputs", Fixture, seq, par) {
  const auto policy = Fixture::policy();
  std::vector<long> labels(100000, 2);
  std::vector<int> out(3, 9);
  const auto count = [&](std::size_t classes) {
    return message_of([&] { wf::count_by_class(policy, labels, classes, out); });
  };
  labels[70000] = -1;
  labels[90000] = 3;
  CHECK(has(count(3), "the label at index 70000 is -1, but there are 3 classes"));
  labels[4] = 3;
  CHECK(has(count(3), "the label at index 4 is 3,"));
  CHECK(has(count(2), "the output has 3 elements, but there are 2 classes"));
  std::vector<int> nothing;
  CHECK(has(message_of([&] { wf::count_by_class(policy, labels, 0, nothing); }),
            "the label at index 0"));
  const std::vector<int> few(5);
  CHECK(has(message_of([&] { wf::reduce_by_class(policy, labels, few, 3, wf::plus{}, out); }),
            "there are 100000 labels and 5 values"));
  std::vector<int> own(6);
  CHECK(has(message_of([&] { wf::count_by_class(policy, own, 1, std::span(own).first(1)); }),
            "overlaps the input"));
  CHECK(out == std::vector<int>(3, 9));
}

TEST_CASE_TEMPLATE("a number of classes that no memory has is refused", Fixture, seq, par) {
  const std::vector<char> labels(3, 1);
  int counts[4] = {};
  CHECK_THROWS_WITH_AS(wf::count_by_class(Fixture::policy(), labels, std::size_t{1} << 62,
                                          static_cast<int*>(counts)),
                       doctest::Contains("more than memory has room for"), wf::invalid_range);
}

TEST_CASE("the values of a class in order; the same bits from seq and par") {
  const std::vector<int> labels{0, 1, 0, 0}, values{1, 2, 3, 4};
  std::vector<int> out(2);
  const auto digits = [](int a, int b) { return a * 10 + b; };
  wf::reduce_by_class(wf::seq, labels, values, 2, digits, out);
  CHECK(out == std::vector<int>{134, 2});
  std::vector<float> many(200000), by_par(3), by_seq(3);
  std::vector<unsigned char> classes(many.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = 1 / static_cast<float>(i + 1);
    classes[i] = static_cast<unsigned char>(i * i % 3);
  }
  wf::reduce_by_class(wf::par, classes, many, 3, wf::plus{}, by_par);
  wf::reduce_by_class(wf::seq, classes, many, 3, wf::plus{}, by_seq);
  CHECK(by_par == by_seq);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (std::size_t i = 0; i < many.size(); ++i) sum += classes[i] == c ? double{many[i]} : 0;
    CHECK(by_seq[c] == doctest::Approx(sum));
  }
}

TEST_CASE_TEMPLATE("asynchronous forms write the same", Fixture, seq, par) {
  const std::vector<int> labels{1, 0, 1, 1}, values{1, 2, 3, 4};
  std::vector<int> sums(3), counts(3);
  wf::reduce_by_class_async(Fixture::policy(), labels, values, 3, wf::plus{}, sums);
  CHECK(sums == std::vector<int>{2, 8, 0});
  wf::count_by_class_async(Fixture::policy(), labels, 3, counts);
  CHECK(counts == std::vector<int>{1, 3, 0});
}
