// wf::host_soa on many threads of the host.
// needs: boost tbb
#include <doctest/doctest.h>

#include <warpfold/policy/par.hpp>

#include "view/soa_elements.hpp"

TEST_CASE("wf::par gives of a soa what wf::seq gives of a vector") {
  for (const std::size_t n : test::soa_sizes) {
    INFO(n, " elements");
    const auto flagged = test::elements<test::flagged>(n);
    test::check_reductions<test::flagged, &test::flagged::weight>(
        wf::host_soa<test::flagged>(flagged), flagged, wf::par);
    const auto composed = test::elements<test::composed>(n);
    test::check_reductions<test::composed, &test::composed::third>(
        wf::host_soa<test::composed>(composed), composed, wf::par);
  }
}
