// sharded_reduction: the work of all parts has the types of one part and the views of all.
#include <warpfold/work/sharded_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/view/shards.hpp>

namespace wf = warpfold;

TEST_CASE("reduce makes one work object of shards") {
  const std::vector<float> a{1, 2, 3}, b{4, 5};
  wf::detail::with_reduction(wf::shards(a, b), wf::plus{}, 10.0f, [&](const auto& work) {
    using type = std::remove_cvref_t<decltype(work)>;
    static_assert(wf::sharded_work<type>);
    static_assert(!wf::reduction_work<type>);  // for policies of one GPU or host
    static_assert(!wf::sharded_work<typename type::of_part>);
    static_assert(wf::sharded_work<wf::finished_reduction<type>>);
    static_assert(!wf::reduction_work<wf::finished_reduction<type>>);
    CHECK(work.size() == 5);
    REQUIRE(work.views.size() == 2);
    CHECK(work.views[0].data() == a.data());
    CHECK(work.views[1].data() == b.data());
    CHECK(work.empty_result() == 10);
    return 0;
  });
}
