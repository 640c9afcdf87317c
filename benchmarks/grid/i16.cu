#include "grid/element.hpp"

static const grid::element i16("i16", [](grid::table& t) { grid::number<short>(t, "i16"); });
