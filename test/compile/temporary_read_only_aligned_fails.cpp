// expect: aligned would refer to a temporary container
#include <warpfold/reduce.hpp>

struct pair {
  float a, b;
};
struct read_only_pairs {
  alignas(8) pair at[4];
  const pair* data() const { return at; }
  std::size_t size() const { return 4; }
};

auto call() { return warpfold::aligned<8>(read_only_pairs{}); }
