// expect: staged would refer to a temporary
#include <array>

#include <warpfold/view/staged.hpp>

std::size_t call() { return warpfold::staged(std::array{1, 2, 3}).size(); }
