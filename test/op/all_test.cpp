// all: each part folds as it does alone, with its own operand order, identity, lift and finish,
// also in runs and states.
#include <warpfold/op/all.hpp>

#include <doctest/doctest.h>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/multiplies.hpp>

#include "contract/oracle.hpp"
#include "op/listed_batch.hpp"

namespace {

/// Neither order nor number of calls is hidden: the digits of what it folded.
struct digits {
  template <class T>
  T identity() const {
    return 0;
  }
  long operator()(long a, long b) const {
    long ten = 10;
    while (ten <= b) ten *= 10;
    return a * ten + b;
  }
  long finish(long a) const { return -a; }
};

struct square {
  template <class T>
  auto operator()(const T& x) const {
    return x * x;
  }
};

}  // namespace

TEST_CASE("all: pairs, lifts, identities and results are the parts'") {
  const auto op =
      wf::all(wf::plus{}, digits{}, wf::projected(wf::plus{}, square{}), wf::arg(wf::maximum{}));
  const auto a = op.lift(3, 5), b = op.lift(4, 6);
  CHECK(wf::get<0>(a) == 3);
  CHECK(wf::get<2>(a) == 9);
  CHECK(wf::get<3>(a) == wf::indexed<int>{3, 5});
  const auto both = op(a, b);
  CHECK(wf::get<0>(both) == 7);
  CHECK(wf::get<1>(both) == 34);
  CHECK(wf::get<2>(both) == 25);
  CHECK(wf::get<3>(both) == wf::indexed<int>{4, 6});
  const auto done = op.finish(both);
  CHECK(wf::get<0>(done) == 7);
  CHECK(wf::get<1>(done) == -34);
  const auto none = op.identity<std::remove_cvref_t<decltype(both)>>();
  CHECK(wf::get<0>(none) == 0);
  CHECK(wf::get<2>(none) == 0);
  CHECK(wf::get<3>(none).index == wf::indexed<int>::nowhere);
  const auto from_all = wf::reduce(wf::seq, std::vector<int>{3, 4, 1}, op);
  CHECK(wf::get<1>(from_all) == -341);
  CHECK(wf::get<3>(from_all) == wf::indexed<int>{4, 1});
  // Without places, `lift` takes none.
  CHECK(wf::get<1>(wf::all(wf::plus{}, wf::projected(wf::bit_xor{}, square{})).lift(3)) == 9);
}

TEST_CASE("all: runs and states are folded by each part") {
  const auto op = wf::all(digits{}, wf::projected(wf::plus{}, square{}), wf::arg(wf::minimum{}),
                          wf::moments_op{});
  const auto seen = op.lift(4, 0);
  const auto all = op.fold_batch(seen, test::run_of<64>(std::vector<int>{3, 1, 2}, 7));
  CHECK(wf::get<0>(all) == 4312);
  CHECK(wf::get<1>(all) == 30);
  CHECK(wf::get<2>(all) == wf::indexed<int>{1, 8});
  CHECK(wf::get<3>(all) == wf::moments{4, 2.5, 5});
  using values = std::remove_const_t<decltype(seen)>;
  const std::vector<values> states = {seen, op.lift(3, 5), op.lift(1, 6), op.lift(2, 7)};
  const auto folded = op.fold_states(test::states_of(states));
  CHECK(wf::get<0>(folded) == 4312);
  CHECK(wf::get<1>(folded) == 30);
  CHECK(wf::get<2>(folded) == wf::indexed<int>{1, 6});
  CHECK(wf::get<3>(folded) == wf::moments{4, 2.5, 5});
}

TEST_CASE("all: neighbors are folded by each part, in their order") {
  const auto op = wf::all(digits{}, wf::projected(wf::moments_op{}, square{}),
                          wf::arg(wf::minimum{}), wf::moments_op{});
  const int x[] = {4, 3, 1, 2};
  int calls = 0;
  const auto folded = op.fold_neighbors<4>(
      [&](int k) {
        ++calls;
        return x[k];
      },
      [&](int k) { return op.lift(x[k], static_cast<std::size_t>(k + 5)); });
  CHECK(calls == 4);  // an element may take long to compute
  CHECK(wf::get<0>(folded) == 4312);
  CHECK(wf::get<1>(folded) == wf::moments{4, 7.5, 129});
  CHECK(wf::get<2>(folded) == wf::indexed<int>{1, 7});
  CHECK(wf::get<3>(folded) == wf::moments{4, 2.5, 5});
}
