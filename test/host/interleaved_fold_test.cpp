// interleaved_fold: runs of every length around the number of accumulators, in the middle of a
// range; sums of narrow integers that do not fit the type they are summed in.
#include <warpfold/host/interleaved_fold.hpp>

#include <doctest/doctest.h>

#include "contract/policy_contract.hpp"

namespace {

template <class T, class Op>
auto reduction_of(const std::vector<T>& v, const Op& op) {
  const auto view = wf::as_view(v);
  return wf::reduction<std::decay_t<decltype(view)>, Op>{view, op, {}};
}

}  // namespace

TEST_CASE_TEMPLATE("every short stretch, from every place", T, signed char, unsigned short, int,
                   unsigned long long, float, double) {
  const auto values = test::whole_data<wf::plus, T>(200);
  for (std::size_t first = 0; first < 40; ++first) {
    for (std::size_t last = first + 1; last <= values.size(); ++last) {
      const std::vector<T> part(values.begin() + static_cast<std::ptrdiff_t>(first),
                                values.begin() + static_cast<std::ptrdiff_t>(last));
      const auto sum = wf::reduce(wf::seq, part);
      const T most = wf::reduce(wf::seq, part, wf::maximum{});
      INFO("elements ", first, " to ", last);
      CHECK(wf::host::interleaved_fold(reduction_of(values, wf::plus{}), first, last) == sum);
      CHECK(wf::host::interleaved_fold(reduction_of(values, wf::maximum{}), first, last) == most);
    }
  }
}

TEST_CASE_TEMPLATE("long sums of the greatest and the least narrow integers are exact", T,
                   signed char, unsigned char, short, unsigned short) {
  constexpr std::size_t n = 300000;  // 300000 * 32767 does not fit 32 bits
  for (const T x : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
    const std::vector<T> values(n, x);
    const auto sum = wf::host::interleaved_fold(reduction_of(values, wf::plus{}), 0, n);
    static_assert(sizeof(sum) == 8);
    CHECK(sum == static_cast<decltype(sum)>(x) * n);
  }
}

TEST_CASE("narrow integers in an accumulator of the other sign wrap as the accumulator does") {
  const std::vector<signed char> values(100000, -3);
  CHECK(wf::host::interleaved_fold(
            wf::reduction<wf::contiguous_view<const signed char>, wf::plus, unsigned long long>{
                wf::as_view(values), {}, 0},
            0, values.size()) == static_cast<unsigned long long>(-300000));
}
