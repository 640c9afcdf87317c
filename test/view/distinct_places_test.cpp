// strided_places against a search through all places.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include <warpfold/view/distinct_places.hpp>

#include "contract/oracle.hpp"

namespace {

bool are_distinct(const std::vector<std::size_t>& extents,
                  const std::vector<std::size_t>& strides) {
  return wf::detail::strided_places(static_cast<int>(extents.size()), extents.data(),
                                    strides.data())
      .are_distinct();
}

bool are_distinct_one_by_one(const std::vector<std::size_t>& extents,
                             const std::vector<std::size_t>& strides) {
  std::vector<std::size_t> places = {0};
  for (std::size_t k = 0; k < extents.size(); ++k) {
    std::vector<std::size_t> all;
    for (const std::size_t p : places) {
      for (std::size_t i = 0; i < extents[k]; ++i) all.push_back(p + i * strides[k]);
    }
    places = all;
  }
  return std::set<std::size_t>(places.begin(), places.end()).size() == places.size();
}

}  // namespace

TEST_CASE("layouts of which the answer is known") {
  CHECK(are_distinct({}, {}));
  CHECK(are_distinct({5}, {1}));
  CHECK(are_distinct({1}, {0}));
  CHECK(!are_distinct({2}, {0}));
  CHECK(!are_distinct({2, 2}, {1, 1}));
  CHECK(!are_distinct({4, 3}, {2, 3}));
  CHECK(are_distinct({3, 2}, {2, 3}));  // interleaved: 0 2 4, 3 5 7
  CHECK(are_distinct({3, 1, 2}, {2, 0, 3}));
  CHECK(are_distinct({4, 5, 6}, {30, 6, 1}));
  CHECK(are_distinct({4, 5, 6}, {1, 4, 20}));
  CHECK(!are_distinct({4, 5, 6}, {30, 6, 6}));
}

TEST_CASE("all small layouts, and random ones of up to four dimensions") {
  for (std::size_t a = 1; a <= 5; ++a) {
    for (std::size_t b = 1; b <= 5; ++b) {
      for (std::size_t s = 0; s <= 8; ++s) {
        for (std::size_t t = 0; t <= 8; ++t) {
          if (are_distinct({a, b}, {s, t}) != are_distinct_one_by_one({a, b}, {s, t})) {
            CHECK_MESSAGE(false, a, " x ", b, ", strides ", s, " and ", t);
          }
        }
      }
    }
  }
  test::random_bits random;
  int distinct = 0, shared = 0;
  for (int round = 0; round < 60000; ++round) {
    const std::size_t rank = 2 + random() % 3;
    const std::size_t most_stride = round % 3 == 0 ? 12 : round % 3 == 1 ? 60 : 600;
    std::vector<std::size_t> extents, strides;
    std::string text;
    for (std::size_t k = 0; k < rank; ++k) {
      extents.push_back(1 + random() % (rank == 4 ? 5 : 8));
      strides.push_back(random() % 20 == 0 ? 0 : 1 + random() % most_stride);
      text += std::to_string(extents[k]) + " by " + std::to_string(strides[k]) + ", ";
    }
    const bool expected = are_distinct_one_by_one(extents, strides);
    (expected ? distinct : shared) += 1;
    if (are_distinct(extents, strides) != expected) CHECK_MESSAGE(false, text);
  }
  CHECK(distinct > 5000);
  CHECK(shared > 5000);
}

TEST_CASE("layouts of up to eight dimensions") {
  CHECK(are_distinct({2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 128}));
  CHECK(!are_distinct({2, 2, 2, 2, 2, 2, 2, 2}, {1, 2, 4, 8, 16, 32, 64, 127}));
  test::random_bits random;
  int wrong = 0, distinct = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::size_t> extents, strides;
    for (std::size_t k = 0, rank = 5 + random() % 4; k < rank; ++k) {
      extents.push_back(1 + random() % 3);
      strides.push_back(1 + random() % 400);
    }
    const bool expected = are_distinct_one_by_one(extents, strides);
    distinct += expected;
    wrong += are_distinct(extents, strides) != expected;
  }
  CHECK(wrong == 0);
  CHECK(distinct > 200);
}

TEST_CASE("interleaved layouts of many places are decided at once") {
  // a * b and b * a steps apart: coprime, and as many of each as fit.
  const std::size_t a = 1000003, b = 999983;
  CHECK(are_distinct({b, a}, {a, b}));
  CHECK(!are_distinct({b + 1, a + 1}, {a, b}));
  const std::size_t far = std::size_t{1} << 40;
  CHECK(are_distinct({b, a, 3, 2}, {a, b, far * 3, far * 11}));
  CHECK(!are_distinct({b, a, 3, 3}, {a, b, far, 2 * far}));
  // About 2^40 places of three and of four dimensions that nothing but the search decides.
  CHECK(are_distinct({10007, 10009, 101}, {10009 * 101, 10007 * 101, 10007 * 10009}));
  CHECK(!are_distinct({10008, 10010, 102}, {10009 * 101, 10007 * 101, 10007 * 10009}));
  CHECK(are_distinct({1009, 1013, 1019, 1021},
                     {std::size_t{1013} * 1019 * 1021, std::size_t{1009} * 1019 * 1021,
                      std::size_t{1009} * 1013 * 1021, std::size_t{1009} * 1013 * 1019}));
  // Of these some hundred thousand steps are tried.
  const std::size_t p = 1000000002013, q = 1034567890127, r = 1078912345693;
  CHECK(are_distinct({301, 303, 305, 307}, {p, q, r, 1112345678987}));
  CHECK(!are_distinct({301, 303, 305, 307}, {p, q, r, 250 * p - 201 * q - 30 * r}));
  // To the end of what can be addressed.
  const std::size_t top = (std::size_t{1} << 62) - 1;
  CHECK(are_distinct({2, 2}, {top, top - 1}));
  CHECK(!are_distinct({2, 2}, {top, top}));
  CHECK(are_distinct({2, 2, 2}, {top / 2, top / 2 - 1, 3}));
  CHECK(!are_distinct({2, 2, 2}, {top / 2, top / 2 - 3, 3}));
}
