// expect: the elements that aligned was given are not trivially copyable
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

auto call(const std::vector<std::string>& v) { return warpfold::aligned<8>(v); }
