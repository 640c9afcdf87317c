// fold_tree: operands in order, a balanced tree, and the first of the values only.
#include <warpfold/op/fold_tree.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace wf = warpfold;

namespace {

/// What was combined, in parentheses, and how deep.
struct term {
  std::string text;
  int depth = 0;
};

const auto combined = [](const term& a, const term& b) {
  return term{"(" + a.text + b.text + ")", 1 + std::max(a.depth, b.depth)};
};
const auto letter = [](int k) { return term{std::string(1, static_cast<char>('a' + k))}; };

std::string without_parentheses(std::string text) {
  std::erase_if(text, [](char c) { return c == '(' || c == ')'; });
  return text;
}

template <int N>
void check_first() {
  for (int present = 1; present <= N; ++present) {
    INFO(present, " of ", N);
    const term of_first =
        wf::fold_tree_of_first<2, N>(combined, letter, [&](int k) { return k < 2 + present; });
    CHECK(without_parentheses(of_first.text) ==
          std::string("cdefghijklmnopqr").substr(0, static_cast<std::size_t>(present)));
  }
}

}  // namespace

TEST_CASE("values are combined in their order, as a balanced tree") {
  CHECK(wf::fold_tree<0, 1>(combined, letter).text == "a");
  CHECK(wf::fold_tree<0, 2>(combined, letter).text == "(ab)");
  CHECK(wf::fold_tree<0, 4>(combined, letter).text == "((ab)(cd))");
  CHECK(wf::fold_tree<3, 3>(combined, letter).text == "(d(ef))");
  const term of_sixteen = wf::fold_tree<0, 16>(combined, letter);
  CHECK(without_parentheses(of_sixteen.text) == "abcdefghijklmnop");
  CHECK(of_sixteen.depth == 4);
  CHECK(wf::fold_tree<0, 9>(combined, letter).depth == 4);
}

TEST_CASE("of the first values: those that are there, and no other") {
  check_first<1>();
  check_first<2>();
  check_first<3>();
  check_first<8>();
  check_first<16>();
}

TEST_CASE("of the first values: all are read, so that no load is behind a branch") {
  int reads = 0;
  const auto counted = [&](int k) {
    ++reads;
    return k;
  };
  const auto add = [](int a, int b) { return a + b; };
  CHECK(wf::fold_tree_of_first<0, 8>(add, counted, [](int k) { return k < 3; }) == 3);
  CHECK(reads == 8);
}
