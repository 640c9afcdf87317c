/// @file
/// The engines on host threads. Each is compiled in its own file.
#pragma once

#include "engine.hpp"

namespace warpfold::program {

extern const engine seq_folds_engine;
extern const engine seq_whole_arrays_engine;
extern const engine par_folds_engine;
extern const engine par_whole_arrays_engine;
extern const engine std_par_engine;
extern const engine thrust_seq_engine;
extern const engine thrust_omp_engine;
extern const engine thrust_tbb_engine;

}  // namespace warpfold::program
