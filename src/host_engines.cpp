#include "host_engines.hpp"

#include <array>

namespace warpfold::program {

std::span<const engine> host_engines() {
  static const std::array all{
#if WARPFOLD_PROGRAM_TBB
      make_engine<engine_of_both<par_folds_engine, par_whole_arrays_engine>>("wf::par", false),
#endif
      make_engine<engine_of_both<seq_folds_engine, seq_whole_arrays_engine>>("wf::seq", false),
#if WARPFOLD_PROGRAM_TBB
      std_par_engine,
#endif
#if WARPFOLD_PROGRAM_CUDA && WARPFOLD_PROGRAM_OPENMP
      thrust_omp_engine,
#endif
#if WARPFOLD_PROGRAM_CUDA && WARPFOLD_PROGRAM_TBB
      thrust_tbb_engine,
#endif
#if WARPFOLD_PROGRAM_CUDA
      thrust_seq_engine,
#endif
  };
  return all;
}

}  // namespace warpfold::program
