#include "grid/element.hpp"

static const grid::element f32x3("f32x3", [](grid::table& t) { grid::structure<3>(t, "f32x3"); });
