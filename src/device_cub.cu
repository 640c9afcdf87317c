// wf::baseline::cub on the few elements and ops that the baselines are built for.
#include <warpfold/policy/cub.hpp>

#include "device_engines.hpp"

namespace warpfold::program {

const engine cub_engine{"wf::baseline::cub", "cub::DeviceReduce", true,
                        [](const array& a, op o) { return has_case<baseline_cases>(a.type, o); },
                        [](const array& whole, op o, std::optional<value>& total) {
                          fold_on_device<baseline_cases>(baseline::cub, whole, o, total);
                        }};

}  // namespace warpfold::program
