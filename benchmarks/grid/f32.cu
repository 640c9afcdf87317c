#include "grid/element.hpp"

static const grid::element f32("f32", [](grid::table& t) { grid::number<float>(t, "f32"); });
