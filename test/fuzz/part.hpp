/// @file
/// main() of a part that test/fuzz/fuzz.py generates: PART SEED [FIRST] runs its combinations from
/// number FIRST on.
#pragma once

#include <cstdlib>
#include <iterator>

#include "fuzz/session.hpp"

namespace fuzz {

struct combination {
  const char* name;
  void (*run)(session&, const char*);
};

template <std::size_t N>
int run_all(const combination (&all)[N], int argc, char** argv) {
  session s;
  if (argc > 1) s.seed = std::strtoull(argv[1], nullptr, 10);
  for (std::size_t k = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0; k < N; ++k) {
    all[k].run(s, all[k].name);
  }
  return s.failures == 0 ? 0 : 1;
}

}  // namespace fuzz
