// The loop of transform_axis: its two parts, with memory for the folds between them.
#include <warpfold/host/host_axis_transformation.hpp>

#include <doctest/doctest.h>

namespace {

struct part_kind {};
// Counts its runs: the first one writes each fold, and the second one reads it.
struct part {
  using kind = part_kind;
  int* runs;
  int* sum;
  int* folds;
};
struct part_loop {
  template <class Threads>
  static void run(const part& p, const Threads&) {
    for (int i = 0; i < 3; ++i) {
      if (*p.runs == 0) p.folds[i] = i + 1;
      if (*p.runs == 1) *p.sum += p.folds[i];
    }
    ++*p.runs;
  }
};

struct work_of_two {
  using folded_type = int;
  part reduction, transformation;
  std::size_t folds;

  work_of_two(int* runs, int* sum, std::size_t n)
      : reduction{runs, sum, nullptr}, transformation{runs, sum, nullptr}, folds(n) {}
  std::size_t size() const { return folds; }
  bool is_empty() const { return folds == 0; }
  void use_folds(int* memory) { reduction.folds = transformation.folds = memory; }
};

}  // namespace

template <>
struct warpfold::host::loop_of<part_kind> {
  using type = part_loop;
};

TEST_CASE("the transformation reads what the reduction has written; nothing runs without folds") {
  int runs = 0, sum = 0;
  warpfold::host::axis_transformation_loop::run(work_of_two(&runs, &sum, 0), 0);
  CHECK(runs == 0);
  warpfold::host::axis_transformation_loop::run(work_of_two(&runs, &sum, 3), 0);
  CHECK(runs == 2);
  CHECK(sum == 6);
}
