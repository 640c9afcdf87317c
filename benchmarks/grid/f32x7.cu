#include "grid/element.hpp"

static const grid::element f32x7("f32x7", [](grid::table& t) { grid::structure<7>(t, "f32x7"); });
