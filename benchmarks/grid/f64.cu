#include "grid/element.hpp"

static const grid::element f64("f64", [](grid::table& t) { grid::number<double>(t, "f64"); });
