// An identity of another type is an error; it does not make an op without identity.
// expect: with_identity was given a value that does not convert
#include <vector>

#include <warpfold/reduce.hpp>

struct text {
  char at[8];
};

float call(const std::vector<float>& v) {
  const auto larger = [](float a, float b) { return a < b ? b : a; };
  return warpfold::reduce(warpfold::seq, v, warpfold::with_identity(larger, text{}));
}
