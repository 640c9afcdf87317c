// Elements that a kernel loads must be trivially copyable, even if their projection is.
// needs: boost_context
// expect: not trivially copyable.*wf::seq or wf::par
#include <string>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

auto call(const std::vector<std::string>& v) {
  const auto size = [](const std::string& s) { return s.size(); };
  return warpfold::reduce(warpfold::emulated, warpfold::project(v, size), warpfold::plus{});
}
