#include "grid/element.hpp"

static const grid::element u8("u8", [](grid::table& t) { grid::number<unsigned char>(t, "u8"); });
