// wf::baseline::thrust on the few elements and ops that the baselines are built for.
#include <warpfold/policy/thrust.hpp>

#include "device_engines.hpp"

namespace warpfold::program {

const engine thrust_engine{"wf::baseline::thrust", "thrust::reduce", true,
                           [](const array& a, op o) { return has_case<baseline_cases>(a.type, o); },
                           [](const array& whole, op o, std::optional<value>& total) {
                             fold_on_device<baseline_cases>(baseline::thrust, whole, o, total);
                           }};

}  // namespace warpfold::program
