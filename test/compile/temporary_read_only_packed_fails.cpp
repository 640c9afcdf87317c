// expect: packed would refer to a temporary container
#include <warpfold/reduce.hpp>

struct text {
  char at[32];
  const char* data() const { return at; }
  std::size_t size() const { return 32; }
};

auto call() { return warpfold::packed(text{}); }
