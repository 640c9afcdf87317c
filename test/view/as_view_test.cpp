// as_view: what becomes of the ranges and iterators that users have.
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <iterator>
#include <span>

#include "contract/oracle.hpp"

TEST_CASE("contiguous ranges and iterators become a pointer and a size") {
  std::vector<int> v = {1, 2, 3, 4};
  const std::vector<int>& constant = v;
  const auto check = [&](const auto& view, std::size_t size) {
    static_assert(std::is_same_v<std::decay_t<decltype(view)>, wf::contiguous_view<const int>> ||
                  std::is_same_v<std::decay_t<decltype(view)>, wf::contiguous_view<int>>);
    CHECK(view.data() == v.data());
    CHECK(view.size() == size);
  };
  check(wf::as_view(v), 4);
  check(wf::as_view(constant), 4);
  check(wf::as_view(std::span(v)), 4);
  check(wf::as_view(std::span<int, 4>(v)), 4);
  check(wf::as_view(v.begin(), v.end()), 4);
  check(wf::as_view(v.cbegin(), v.cend() - 1), 3);
  check(wf::as_view(v.data(), v.data() + 2), 2);
  check(wf::as_view(v.begin(), v.begin()), 0);
  check(wf::as_view(wf::as_view(v)), 4);

  const int in_c[] = {5, 6, 7};
  CHECK(wf::as_view(in_c).data() == in_c);
  CHECK(wf::reduce(wf::seq, in_c) == 18);
  CHECK(wf::reduce(wf::seq, std::array{5, 6, 7}) == 18);
}

TEST_CASE("other random-access iterators are read one element at a time") {
  const std::deque<int> d = {1, 2, 3, 4};
  CHECK(wf::reduce(wf::seq, d) == 10);
  CHECK(wf::reduce(wf::seq, d.begin() + 1, d.end()) == 9);
  const std::vector<int> v = {1, 2, 3};
  const auto subtract = [](int a, int b) { return a - b; };
  CHECK(wf::reduce(wf::seq, v.rbegin(), v.rend(), 10, subtract) == 10 - ((3 - 2) - 1));
  static_assert(std::is_same_v<decltype(wf::as_view(v.rbegin(), v.rend())),
                               wf::iterator_view<std::vector<int>::const_reverse_iterator>>);
}

TEST_CASE("iterators the wrong way round are invalid_range that says by how far") {
  const std::vector<int> v = {1, 2, 3, 4};
  try {
    (void)wf::as_view(v.end(), v.begin());
    FAIL_CHECK("nothing was thrown");
  } catch (const wf::invalid_range& e) {
    CHECK(std::string(e.what()).find("4 elements before") != std::string::npos);
  }
}

TEST_CASE("more elements than there are addresses are invalid_range") {
  const std::vector<float> v = {1};
  constexpr std::size_t most = static_cast<std::size_t>(-1) / 2 / sizeof(float);
  CHECK(wf::as_view(std::span(v.data(), most)).size() == most);
  try {
    (void)wf::as_view(std::span(v.data(), std::size_t{1} << 63));
    FAIL_CHECK("nothing was thrown");
  } catch (const wf::invalid_range& e) {
    CHECK(std::string(e.what()).find(
              "9223372036854775808 elements of 4 bytes is larger than the address space") !=
          std::string::npos);
  }
}

TEST_CASE("a range larger than the address space throws, for elements of any size") {
  const std::vector<double> v = {1};
  constexpr std::size_t most = static_cast<std::size_t>(-1) / 2 / sizeof(double);
  CHECK(wf::as_view(std::span(v.data(), most)).size() == most);
  CHECK_THROWS_AS((void)wf::as_view(std::span(v.data(), most + 1)), wf::invalid_range);
}

TEST_CASE("types that are not ranges") {
  static_assert(!wf::reducible_range<int>);
  static_assert(!wf::reducible_range<int*>);
  static_assert(!wf::reducible_iterator<int>);
  static_assert(wf::reducible_range<std::vector<double>>);
  static_assert(wf::reducible_range<const std::deque<char>>);
  static_assert(wf::reducible_range<int[3]>);
}

TEST_CASE("a pointer and a count of any integer type are contiguous") {
  const int v[] = {4, 5, 6};
  const auto view = wf::as_view(&v[1], static_cast<signed char>(2));
  static_assert(std::is_same_v<decltype(view), const wf::contiguous_view<const int>>);
  CHECK(view.data() == &v[1]);
  CHECK(view.size() == 2);
  CHECK(wf::as_view(static_cast<const int*>(nullptr), 0u).size() == 0);
  CHECK_THROWS_AS(wf::as_view(&v[0], -1), wf::invalid_range);
}
