// Elements that own memory cannot be copied as bytes.
// expect: not trivially copyable
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

struct person {
  std::string name;

  friend bool operator<(const person& a, const person& b) { return a.name < b.name; }
};

auto last(const std::vector<person>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::maximum{});
}
