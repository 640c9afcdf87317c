// Runs of equal keys on host threads, in parts of the keys.
#include <warpfold/host/host_keys.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/as_view.hpp>

namespace wf = warpfold;

TEST_CASE("runs that begin in a part of the keys are counted and written") {
  const std::vector<int> keys{1, 1, 2, 2, 2, 3, 1, 1};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<int> keys_out(8, -1);
  std::vector<float> sums(8, -1);
  using to_keys = wf::contiguous_output<int>;
  using to_sums = wf::contiguous_output<float>;
  const wf::key_reduction<wf::contiguous_view<const int>, wf::contiguous_view<const float>,
                          wf::plus, wf::equal_keys, to_keys, to_sums>
      work{wf::as_view(keys),           wf::as_view(values),    {}, {},
           to_keys(keys_out.data(), 8), to_sums(sums.data(), 8)};
  CHECK(wf::host::count_runs(work, 0, 8) == 4);
  CHECK(wf::host::count_runs(work, 0, 2) == 1);
  CHECK(wf::host::count_runs(work, 3, 5) == 0);
  CHECK(wf::host::count_runs(work, 2, 6) == 2);
  CHECK(wf::host::count_runs(work, 5, 5) == 0);

  const wf::host::host_offsets begins(4);
  for (std::size_t i = 0; i < 4; ++i) begins[i] = 99;
  wf::host::write_runs(work, 3, 8, 2, begins);
  CHECK(begins[0] == 99);
  CHECK(begins[1] == 99);
  CHECK(begins[2] == 5);
  CHECK(begins[3] == 6);
  CHECK(keys_out == std::vector<int>{-1, -1, 3, 1, -1, -1, -1, -1});

  CHECK(wf::host::write_runs_in_order(work) == 4);
  CHECK(keys_out == std::vector<int>{1, 2, 3, 1, -1, -1, -1, -1});
  CHECK(sums == std::vector<float>{3, 12, 6, 15, -1, -1, -1, -1});
}
