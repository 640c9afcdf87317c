// Wrong uses of wf::emulated.
// needs: boost_context
#include <string>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

// expect: not trivially copyable.*wf::seq or wf::par
// Elements that a kernel loads must be trivially copyable, even if their projection is.
namespace projection_of_strings_emulated {
auto call(const std::vector<std::string>& v) {
  const auto size = [](const std::string& s) { return s.size(); };
  return warpfold::reduce(warpfold::emulated, warpfold::project(v, size), warpfold::plus{});
}
}  // namespace projection_of_strings_emulated

// expect: not trivially copyable.*wf::seq or wf::par
// A transformation of strings into another array.
namespace transformed_strings_emulated {
void call(const std::vector<std::string>& v, std::vector<std::size_t>& out) {
  const auto size = [](const std::string& s) { return s.size(); };
  warpfold::copy(warpfold::emulated, warpfold::project(v, size), out);
}
}  // namespace transformed_strings_emulated
