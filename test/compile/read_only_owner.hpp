// A container with read-only elements.
#pragma once

#include <cstddef>

struct read_only {
  float at[4];
  const float* data() const { return at; }
  std::size_t size() const { return 4; }
};
