// Tables of classes of several parts of the values.
#include <warpfold/host/host_classes.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

struct last_of {
  int operator()(int, int b) const { return b; }
};

template <class Op>
auto work_of(const std::vector<int>& labels, const std::vector<int>& values,
             std::vector<int>& out) {
  using ints = wf::contiguous_view<const int>;
  using to = wf::contiguous_output<int>;
  return wf::class_reduction<ints, ints, Op, to>{ints(labels.data(), labels.size()),
                                                 ints(values.data(), values.size()),
                                                 {},
                                                 out.size(),
                                                 to(out.data(), out.size())};
}

}  // namespace

TEST_CASE("the tables of all parts are combined, in their order") {
  const std::vector<int> labels{0, 2, 2, 0, 1}, values{1, 2, 3, 4, 5};
  std::vector<int> out(3, -1);
  const auto sums = work_of<wf::plus>(labels, values, out);
  const wf::host::host_classes<std::remove_const_t<decltype(sums)>> two(sums, 2);
  CHECK(two.fold(1, 2, 5) == 5);
  CHECK(two.fold(0, 0, 2) == 2);
  two.add(1);
  two.write_all();
  CHECK(out == std::vector<int>{5, 5, 5});

  const auto last = work_of<last_of>(labels, values, out);
  const wf::host::host_classes<std::remove_const_t<decltype(last)>> three(last, 3);
  CHECK(three.fold(2, 4, 5) == 5);
  CHECK(three.fold(1, 2, 4) == 4);
  CHECK(three.fold(0, 0, 2) == 2);
  three.add(1);
  three.add(2);
  three.write_all();
  CHECK(out == std::vector<int>{4, 5, 3});
}

TEST_CASE("a wrong label ends the part; a class without values writes nothing") {
  const std::vector<int> labels{0, 1, 3, -1}, values{1, 2, 3, 4};
  std::vector<int> out(3, -1);
  const auto last = work_of<last_of>(labels, values, out);
  const wf::host::host_classes<std::remove_const_t<decltype(last)>> classes(last, 1);
  CHECK(classes.fold(0, 0, 4) == 2);
  CHECK(classes.fold(0, 3, 4) == 3);
  CHECK(classes.fold(0, 0, 2) == 2);
  CHECK_THROWS_WITH_AS(classes.write_all(), doctest::Contains("class 2 has no values"),
                       wf::empty_range);
  CHECK(out == std::vector<int>(3, -1));
}
