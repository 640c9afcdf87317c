/// @file
/// needs: cuda
/// What an element's file includes. The file is compiled twice, with the toolkit's CUB into the
/// grid and with the newest into a library of its own.
#pragma once

#if defined(GRID_NEWEST_CUB_LIBRARY)
#include "grid/newest_cub/calls.hpp"
#else
#include "grid/grid.hpp"
#endif
