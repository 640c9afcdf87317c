// The work object of transform_axis: its memory, and what it refuses.
// needs: cccl
#include <warpfold/work/axis_transformation.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

namespace {

struct add {
  WARPFOLD_HD int operator()(int x, long long sum) const { return x + static_cast<int>(sum); }
};
using matrix = cuda::std::mdspan<const int, cuda::std::dextents<int, 2>>;

// Calls `use(work)` with the work of a matrix of three columns.
template <class Use>
void with_work(const int* in, int rows, int* out, const Use& use) {
  const auto size = static_cast<std::size_t>(rows) * 3;
  std::span<int> to(out, size);
  wf::detail::with_axis_transformation<1>(wf::seq, matrix(in, rows, 3), wf::plus{}, to, add{},
                                          [&](const auto&, const auto& work) { use(work); });
}

}  // namespace

TEST_CASE("the folds are in memory that a policy provides") {
  const std::vector<int> in{1, 2, 3, 10, 20, 30};
  std::vector<int> out(6);
  with_work(in.data(), 2, out.data(), [&](const auto& work) {
    using work_type = std::remove_cvref_t<decltype(work)>;
    static_assert(wf::axis_transformation_work<work_type>);
    static_assert(!wf::transformation_work<work_type>);
    static_assert(std::is_same_v<typename work_type::folded_type, long long>);
    CHECK(work.size() == 2);
    CHECK(!work.is_empty());
    std::vector<long long> folds(2);
    work_type ready = work;
    ready.use_folds(folds.data());
    wf::seq.run(ready.reduction);
    CHECK(folds == std::vector<long long>{6, 60});
    wf::seq.run(ready.transformation);
    CHECK(out == std::vector<int>{7, 8, 9, 70, 80, 90});

    // One launch takes the same elements.
    const auto& rows = work.rows;
    CHECK(rows.size() == 2);
    CHECK(rows.layout.kept.place(1).of[1] == 3);
    CHECK(rows.out_step == 1);
    CHECK(rows.apply(5, 7ll) == 12);
  });
}

TEST_CASE("overlaps are refused, and no rows are no work") {
  std::vector<int> memory(9);
  const auto check = [&](int* out) {
    with_work(memory.data(), 2, out, [](const auto& work) { work.require_valid(); });
  };
  CHECK_NOTHROW(check(memory.data()));
  CHECK_THROWS_AS(check(memory.data() + 3), wf::invalid_range);
  with_work(memory.data(), 0, memory.data(), [](const auto& work) { CHECK(work.is_empty()); });
}
