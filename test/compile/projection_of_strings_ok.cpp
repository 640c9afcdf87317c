// Host threads read the elements where they are, so these need not be trivially copyable.
// needs: tbb
// expect: ok
#include <string>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

auto call(const std::vector<std::string>& v, std::vector<std::size_t>& out) {
  const auto size = [](const std::string& s) { return s.size(); };
  const auto sizes = warpfold::project(v, size);
  warpfold::copy(warpfold::par, sizes, out);
  return warpfold::reduce(warpfold::seq, sizes, warpfold::plus{}) +
         warpfold::reduce(warpfold::par, sizes, warpfold::plus{});
}
