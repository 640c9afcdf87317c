// exchanged_reduction: the result of a kernel is that of all ranks; the sink writes it only if
// every frame came. policy/emulated_devices_test.cpp runs it with several ranks.
// needs: boost_context
#include <warpfold/collective/exchanged_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;

}  // namespace

TEST_CASE("the sink writes a complete result, and signals in any case") {
  std::vector<double> out(1, -1.0);
  unsigned flag = 0;
  test::emulated_launch on;
  on.array(out);
  const result_sink<if_complete<double>> sink{out.data(), &flag, 5};
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) sink.in_registers().deliver(exchanged_result<float>{2.5f, false});
  });
  CHECK(out[0] == -1);
  CHECK(flag == 5);
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) sink.deliver(exchanged_result<float>{2.5f, true});
  });
  CHECK(out[0] == 2.5);
  const result_sink<if_complete<double>> nowhere{nullptr, nullptr, 0};
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) nowhere.deliver(exchanged_result<float>{1, true});
  });
  CHECK(sink.memory() == out.data());
}
