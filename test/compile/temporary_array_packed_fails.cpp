// expect: packed would refer to a temporary
#include <array>

#include <warpfold/reduce.hpp>
#include <warpfold/view/packed.hpp>

std::size_t call() { return warpfold::packed(std::array<char, 3>{1, 2, 3}).size(); }
