// Ops with finish, on the GPU: what their outputs hold.
#include "contract/device_memory.hpp"
#include "contract/finish_contract.hpp"

namespace {

template <class Result>
struct fixture : test::device_memory, test::target_in<test::device_memory> {
  using result = Result;
  static auto policy() { return wf::device; }
};
using same = fixture<float>;
using wider = fixture<double>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(finish_results, same, wider);
TEST_CASE_TEMPLATE_INVOKE(finish_states, same);
