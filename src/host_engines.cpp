#include "host_engines.hpp"

#include <array>

namespace warpfold::program {

std::span<const engine> host_engines() {
  static const std::array all{
#if WARPFOLD_PROGRAM_TBB
      par_engine,
#endif
      seq_engine,
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
