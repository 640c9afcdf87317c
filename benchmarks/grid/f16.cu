#include <cuda_fp16.h>

#include "grid/element.hpp"

static const grid::element f16("f16", [](grid::table& t) { grid::number<__half>(t, "f16"); });
