// wf::device on integers: every size at every misalignment.
#include "contract/device_memory.hpp"
#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

using every = std::tuple<signed char, unsigned char, short, unsigned short, int, unsigned, long,
                         unsigned long, long long, unsigned long long>;
// One type of each size, and both kinds of sign.
using some = std::tuple<signed char, unsigned short, int, unsigned long long>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<fixture, every>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(
    extrema, test::subjects<fixture, std::tuple<signed char, unsigned char, short, unsigned short,
                                                int, unsigned, long long, unsigned long long>>);
TEST_CASE_TEMPLATE_APPLY(bits, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(logic, test::subjects<fixture, std::tuple<unsigned char, int>>);
