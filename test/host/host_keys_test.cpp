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
  const auto counts = [&](std::size_t first, std::size_t last, std::size_t count,
                          std::size_t begin) {
    const auto runs = wf::host::count_runs(work, first, last);
    return runs.count == count && runs.first == begin;
  };
  CHECK(counts(0, 8, 4, 0));
  CHECK(counts(0, 2, 1, 0));
  CHECK(counts(1, 3, 1, 2));
  CHECK(counts(3, 5, 0, 5));
  CHECK(counts(2, 6, 2, 2));
  CHECK(counts(5, 5, 0, 5));

  CHECK(wf::host::write_runs_in_order(work) == 4);
  CHECK(keys_out == std::vector<int>{1, 2, 3, 1, -1, -1, -1, -1});
  CHECK(sums == std::vector<float>{3, 12, 6, 15, -1, -1, -1, -1});
}

TEST_CASE("the runs that begin in a part are handed out in their order, with their ends") {
  std::vector<int> keys, out(1);
  std::vector<std::size_t> begins;
  const std::size_t lengths[] = {1, 1, 700, 2, 512, 1, 3, 513};
  for (std::size_t r = 0; keys.size() < 5000; ++r) {
    begins.push_back(keys.size());
    keys.insert(keys.end(), lengths[r % 8], static_cast<int>(r));
  }
  begins.push_back(keys.size());
  using output = wf::contiguous_output<int>;
  const wf::key_reduction<wf::contiguous_view<const int>, wf::detail::no_values,
                          wf::detail::no_values, wf::equal_keys, output, output>
      work{wf::as_view(keys), {}, {}, {}, output(out.data(), 1), output(out.data(), 1)};
  const std::size_t middle[] = {0, 1, 2, 500, 703, 705, 1216, keys.size()};
  for (const std::size_t cut : middle) {
    std::vector<std::size_t> seen;
    const auto take = [&](const wf::host::some_runs& runs, std::size_t count) {
      CHECK(runs.number == seen.size());
      for (std::size_t r = runs.number; r < runs.number + count; ++r) {
        seen.push_back(runs.begin(r));
        CHECK(runs.end(r) == begins[r + 1]);
      }
    };
    const auto before = wf::host::count_runs(work, 0, cut).count;
    const auto after = wf::host::count_runs(work, cut, keys.size());
    wf::host::for_runs(work, 0, cut, 0, after.count == 0 ? keys.size() : after.first, take);
    CHECK(seen.size() == before);
    wf::host::for_runs(work, cut, keys.size(), before, keys.size(), take);
    seen.push_back(keys.size());
    CHECK(seen == begins);
  }
}
