#include "processes.hpp"

#include <cstdlib>
#include <string_view>

namespace warpfold::program {
namespace {

std::string_view environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : text;
}

}  // namespace

std::optional<int> rank_from_launcher() {
  struct variables {
    const char *rank, *size;
  };
  // Of Open MPI, of MPICH and its relatives, and of PMIx, which does not tell the size.
  for (const variables& of : {variables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                              variables{"PMI_RANK", "PMI_SIZE"}, variables{"PMIX_RANK", ""}}) {
    const std::string_view rank = environment(of.rank);
    if (rank.empty()) continue;
    if (environment(of.size) == "1") return {};
    return std::atoi(rank.data());
  }
  return {};
}

}  // namespace warpfold::program
