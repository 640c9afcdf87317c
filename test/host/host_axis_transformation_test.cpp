// fold_then_transform: the two parts of transform_axis, with memory for the folds between them.
#include <warpfold/host/host_axis_transformation.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

struct part {
  int* folds;
};
struct work_of_two {
  using folded_type = int;
  part reduction{}, transformation{};
  std::size_t folds;
  bool is_valid = true;

  std::size_t size() const { return folds; }
  bool is_empty() const { return folds == 0; }
  void require_valid() const {
    if (!is_valid) throw 1;
  }
  void use_folds(int* memory) { reduction.folds = transformation.folds = memory; }
};
// Writes each fold first, and reads it then.
struct policy {
  int* runs;
  int* sum;
  void run(const part& p) const {
    for (int i = 0; i < 3; ++i) {
      if (*runs == 0) p.folds[i] = i + 1;
      if (*runs == 1) *sum += p.folds[i];
    }
    ++*runs;
  }
};

}  // namespace

TEST_CASE("the transformation reads what the reduction has written") {
  int runs = 0, sum = 0;
  warpfold::host::fold_then_transform(policy{&runs, &sum}, work_of_two{{}, {}, 3});
  CHECK(runs == 2);
  CHECK(sum == 6);
}

TEST_CASE("nothing runs without folds, or if the work is not valid") {
  int runs = 0, sum = 0;
  warpfold::host::fold_then_transform(policy{&runs, &sum}, work_of_two{{}, {}, 0});
  CHECK_THROWS(
      warpfold::host::fold_then_transform(policy{&runs, &sum}, work_of_two{{}, {}, 3, false}));
  CHECK(runs == 0);
}
