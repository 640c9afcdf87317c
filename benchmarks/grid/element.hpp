/// @file
/// needs: cuda
/// The includes of an element's file. The file is compiled twice: with the toolkit's CUB for the
/// grid, and with the newest CUB for a separate library.
#pragma once

#if defined(GRID_NEWEST_CUB_LIBRARY)
#include "grid/newest_cub/calls.hpp"
#else
#include "grid/grid.hpp"
#endif
