// A list: one error of few lines, for every use of the result.
// expect: copy it into a std::vector
// lines: 20
#include <iostream>
#include <list>

#include <warpfold/reduce.hpp>

void print(const std::list<float>& v) {
  std::cout << warpfold::reduce(warpfold::seq, v) / 2 << '\n';
}
