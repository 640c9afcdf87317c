// What `across` needs of host memory is that memory itself. On the GPU:
// test/policy/sharded_groups_test.cu.
#include <warpfold/policy/local_memory.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_segments.hpp>

namespace wf = warpfold;
using local = wf::seq_policy;

TEST_CASE("a host policy accesses the host's memory") {
  static_assert(!wf::detail::folds_on_gpu<local>);
  std::vector<int> v{1, 2, 3};
  const wf::detail::local_copy<int, local> there(wf::seq, v.data(), v.size());
  CHECK(there.data() == v.data());
  there.data()[1] = 5;
  there.to_host();
  CHECK(v[1] == 5);
  there.from_host();
  CHECK(v[1] == 5);
}

TEST_CASE("a host policy reads the bounds of segments where they are") {
  const std::vector<int> offsets{0, 2, 5};
  const wf::segments_by_offsets segments(wf::as_view(offsets));
  const wf::detail::local_segments<std::remove_const_t<decltype(segments)>, local> bounds(wf::seq,
                                                                                          segments);
  CHECK(bounds.get().size() == 2);
  CHECK(bounds.get().begin(1) == 2);
  CHECK(bounds.get().end(1) == 5);
}

TEST_CASE("work whose output overlaps its input is refused") {
  std::vector<int> v{1, 2, 3, 4};
  const std::vector<int> offsets{0, 2, 4};
  using view = std::remove_cvref_t<decltype(wf::as_view(v))>;
  using segments = wf::segments_by_offsets<std::remove_cvref_t<decltype(wf::as_view(offsets))>>;
  using work =
      wf::segmented_reduction<view, segments, wf::plus, wf::no_init, wf::contiguous_output<int>>;
  const auto into = [&](int* out) {
    return work{wf::as_view(v),
                segments(wf::as_view(offsets)),
                {},
                {},
                {wf::contiguous_output<int>(out, 2)}};
  };
  CHECK_THROWS_AS(wf::detail::check_local_memory(wf::seq, into(v.data())), wf::invalid_range);
  std::vector<int> out(2);
  CHECK_NOTHROW(wf::detail::check_local_memory(wf::seq, into(out.data())));
}
