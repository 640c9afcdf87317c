// The functions that the library exports (interface.hpp): the calls of all elements, by name.
#include <cub/version.cuh>

#include "grid/newest_cub/calls.hpp"

extern "C" int grid_newest_cub_version() { return CUB_VERSION; }

extern "C" const grid::newest_cub_calls* grid_newest_cub_find(const char* element, const char* op) {
  static const grid::table all = [] {
    grid::table t;
    for (const grid::element* e = grid::element::first(); e != nullptr; e = e->next) e->run(t);
    return t;
  }();
  for (const grid::table::row& r : all.rows) {
    if (r.element == element && r.op == op) return &r.calls;
  }
  return nullptr;
}
