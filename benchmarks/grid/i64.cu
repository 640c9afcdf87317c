#include "grid/element.hpp"

static const grid::element i64("i64", [](grid::table& t) { grid::number<long long>(t, "i64"); });
