#include <cuda_bf16.h>

#include "grid/element.hpp"

static const grid::element bf16("bf16",
                                [](grid::table& t) { grid::number<__nv_bfloat16>(t, "bf16"); });
