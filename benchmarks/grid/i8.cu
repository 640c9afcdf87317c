#include "grid/element.hpp"

static const grid::element i8("i8", [](grid::table& t) { grid::number<signed char>(t, "i8"); });
