// No warning in calls of host threads.
// expect: ok
// warnings: none
// needs: tbb
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>

#include "compile/warnings_calls.hpp"

namespace warnings {

void all() {
  every_number(wf::par, std::span<const short>(), {});
  every_number(wf::par, std::span<const unsigned>(), {});
  every_number(wf::par, std::span<const float>(), {});
  every_view(wf::par, std::span<const signed char>(), {});
  every_complex(wf::par, std::span<const std::complex<double>>(), {});
  every_element(wf::par, std::span<const bool>(), {});
  every_element(wf::par, std::span<const pair_of>(), {});
  wf::sum(wf::baseline::std_par, std::span<const float>());
}

}  // namespace warnings
