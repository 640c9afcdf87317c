// kernel::automatic_elementwise: which kernel transforms, and that each moves every element once.
// needs: boost_context
#include <warpfold/kernel/elementwise/automatic.hpp>

#include <string>
#include <type_traits>
#include <vector>

#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/staged.hpp>

#include "kernel/elementwise/transformations.hpp"

namespace {

struct three_floats {
  float x, y, z;
  friend bool operator==(const three_floats&, const three_floats&) = default;
};
struct rotated {
  WARPFOLD_HD three_floats operator()(const three_floats& v) const { return {v.y, v.z, -v.x}; }
};

/// Transforms 1001 elements in the emulation, checks them, and returns the name of the kernel.
template <class AsIn, class AsOut>
std::string kernel_for(const AsIn& as_in, const AsOut& as_out) {
  constexpr std::size_t n = 1001;
  std::vector<three_floats> in(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<float>(i);
    in[i] = {x, 2 * x, x + 1};
  }
  const auto from = as_in(in);
  const auto to = as_out(out);
  const wf::transformation<std::remove_const_t<decltype(from)>, std::remove_const_t<decltype(to)>,
                           rotated>
      t{from, to, {}};
  wf::emulation::report counted;
  wf::emulation::launcher on(wf::emulation::default_gpu, &counted);
  on.allow(in.data(), n * sizeof(three_floats), false);
  on.allow(out.data(), n * sizeof(three_floats), true);
  wf::kernel::automatic_elementwise{}.enqueue(t, on);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += out[i] != rotated{}(in[i]);
  CHECK(wrong == 0);
  REQUIRE(counted.launches.size() == 1);
  return counted.launches[0].launch.kernel;
}

const auto plain_in = [](const std::vector<three_floats>& v) { return wf::as_view(v); };
const auto plain_out = [](std::vector<three_floats>& v) {
  return wf::contiguous_output<three_floats>(v.data(), v.size());
};
const auto staged = [](auto& v) { return wf::staged(v); };

}  // namespace

TEST_CASE("staged inputs and outputs use shared memory, others do not") {
  CHECK(kernel_for(plain_in, plain_out) == "elementwise");
  CHECK(kernel_for(staged, plain_out) == "staged_elementwise");
  CHECK(kernel_for(plain_in, staged) == "staged_elementwise");
  CHECK(kernel_for(staged, staged) == "staged_elementwise");
}

TEST_CASE("an empty range launches nothing") {
  CHECK(test::transform_of<wf::kernel::automatic_elementwise, float, float>({}, 0).kernel == "");
  CHECK(test::transform_of<wf::kernel::automatic_elementwise, float, float>({}, 1).kernel ==
        "elementwise");
}
