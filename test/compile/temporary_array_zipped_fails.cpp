// expect: zip would refer to a temporary
#include <array>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/view/zip.hpp>

std::size_t call(const std::vector<int>& v) { return warpfold::zip(v, std::array{1, 2, 3}).size(); }
