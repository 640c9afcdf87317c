// fold_lanes and fold_rows in the emulation: the first values of a warp, and all of them, in the
// declared order.
// needs: boost_context
#include <warpfold/collective/row_fold.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

struct long_hash : test::ordered_hash {
  template <class>
  static constexpr bool is_long = true;
};

template <class Op, int Rows>
void check_rows() {
  const std::vector<std::uint64_t> v = test::ordered_elements(32 * Rows);
  std::vector<std::uint64_t> result(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  const std::uint64_t* const in = on.read_only(v);
  const auto run = [&](auto there) {
    on.run({1, 32}, [=] {
      wf::chunk<std::uint64_t, Rows> values;
      for (unsigned u = 0; u < Rows; ++u) {
        values.set(u, in[u * 32 + threadIdx.x]);
      }
      const wf::fold<Op, std::uint64_t> fold{};
      const auto folded = wf::collective::fold_rows<Rows>(fold, values, there);
      if (threadIdx.x == 0) out.store(0, folded);
    });
    return result[0];
  };
  for (unsigned n = 1; n <= 32 * Rows; ++n) {
    CHECK(run(n) == test::ordered_fold(std::vector<std::uint64_t>(v.begin(), v.begin() + n)));
  }
  CHECK(run(wf::collective::all_values{}) == test::ordered_fold(v));
}

}  // namespace

TEST_CASE("rows of 32 values") {
  check_rows<test::ordered_hash, 1>();
  check_rows<test::ordered_hash, 2>();
  check_rows<test::ordered_hash, 4>();
  check_rows<test::ordered_hash, 8>();
  check_rows<long_hash, 4>();
}

TEST_CASE("the lanes of a warp") {
  const std::vector<std::uint64_t> v = test::ordered_elements(32);
  std::vector<std::uint64_t> result(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  const std::uint64_t* const in = on.read_only(v);
  for (unsigned n = 1; n <= 32; ++n) {
    on.run({1, 32}, [=] {
      const wf::fold<test::ordered_hash, std::uint64_t> fold{};
      const auto folded = wf::collective::fold_lanes(fold, in[threadIdx.x], n);
      if (threadIdx.x == 0) out.store(0, folded);
    });
    CHECK(result[0] == test::ordered_fold(std::vector<std::uint64_t>(v.begin(), v.begin() + n)));
  }
}
