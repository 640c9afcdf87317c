#include "grid/element.hpp"

static const grid::element f32x5("f32x5", [](grid::table& t) { grid::structure<5>(t, "f32x5"); });
