#include "grid/element.hpp"

static const grid::element i32("i32", [](grid::table& t) { grid::number<int>(t, "i32"); });
