// A transformation of strings into another array.
// needs: boost_context
// expect: not trivially copyable.*wf::seq or wf::par
#include <string>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/policy/emulated.hpp>

void call(const std::vector<std::string>& v, std::vector<std::size_t>& out) {
  const auto size = [](const std::string& s) { return s.size(); };
  warpfold::copy(warpfold::emulated, warpfold::project(v, size), out);
}
