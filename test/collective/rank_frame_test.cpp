// rank_frame and fold_frames: one warp folds the frames of any number of ranks, and reports ranks
// that failed or made another call.
// needs: boost_context
#include <warpfold/collective/rank_frame.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/work/state_reduction.hpp>

#include "contract/mailbox_group.hpp"

namespace wf = warpfold;

namespace {

using report = wf::collective::rank_report;

// Folds `values`, dealt to ranks, by frames; `spoil` changes the frames.
template <class Op, class Spoil>
auto folded(const std::vector<float>& values, std::size_t ranks, const Op& op, const Spoil& spoil) {
  return wf::detail::with_reduction(wf::as_view(values), op, wf::no_init{}, [&](const auto& whole) {
    using work = std::remove_cvref_t<decltype(whole)>;
    using result = typename work::result_type;
    using frame = wf::collective::rank_frame<typename work::state>;
    std::vector<frame> frames;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t begin = values.size() * r / ranks, end = values.size() * (r + 1) / ranks;
      const std::vector<float> part(values.begin() + static_cast<long>(begin),
                                    values.begin() + static_cast<long>(end));
      wf::detail::with_reduction(wf::as_view(part), op, wf::no_init{}, [&](const auto& own) {
        frames.push_back(
            {1,
             2,
             0,
             {static_cast<unsigned>(part.size()), 0, wf::seq.run(wf::state_reduction(own))}});
        return 0;
      });
    }
    spoil(frames);
    const result expected = wf::seq.run(whole);
    std::vector<result> out(1, expected);
    std::memset(static_cast<void*>(out.data()), 0xff, sizeof(result));
    const std::vector<unsigned char> untouched(sizeof(result), 0xff);
    std::vector<report> found(1, report{99, 99});
    unsigned flag = 0;
    wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
    launcher.allow(frames.data(), frames.size() * sizeof(frame), false);
    launcher.allow(out.data(), sizeof(result), true);
    launcher.allow(found.data(), sizeof(report), true);
    launcher.launch("fold_frames",
                    wf::collective::fold_frames<work, result>{whole,
                                                              frames.data(),
                                                              static_cast<int>(ranks),
                                                              1,
                                                              2,
                                                              false,
                                                              {out.data(), found.data(), &flag, 1}},
                    {1, 32});
    CHECK(flag == 1);
    if (found[0].fault == report::no_fault) {
      CHECK(wf::finished(op, out[0]) == wf::finished(op, expected));
    } else {
      CHECK(std::memcmp(out.data(), untouched.data(), sizeof(result)) == 0);
    }
    return found[0];
  });
}

std::vector<float> some(std::size_t n) {
  std::mt19937 random(3);
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  return v;
}
const auto as_they_are = [](auto&) {};

}  // namespace

TEST_CASE("any number of ranks, some without elements") {
  for (const std::size_t ranks : {1u, 2u, 31u, 33u, 100u}) {
    CAPTURE(ranks);
    for (const std::size_t n : {1u, 50u, 3000u}) {
      CHECK(folded(some(n), ranks, wf::plus{}, as_they_are).elements == n);
      const auto several = wf::all(wf::arg(wf::minimum{}), wf::maximum{});
      CHECK(folded(some(n), ranks, several, as_they_are).fault == report::no_fault);
      CHECK(folded(some(n), ranks, wf::plus{}.exact(), as_they_are).fault == report::no_fault);
    }
  }
}

TEST_CASE("faults are reported, the first kind first") {
  const auto fault = [](const auto& spoil) {
    return folded(some(100), 5, wf::plus{}, spoil).fault;
  };
  CHECK(fault([](auto& f) { f[3].failed = 1; }) == report::failed);
  CHECK(fault([](auto& f) { f[4].call = 7; }) == report::other_call);
  CHECK(fault([](auto& f) { f[1].init = 7; }) == report::other_init);
  CHECK(fault([](auto& f) { f[1].init = 7, f[2].call = 7, f[4].failed = 1; }) == report::failed);
  CHECK(fault([](auto& f) { f[2].failed = 2; }) == report::earlier);
  CHECK(fault([](auto& f) { f[2].failed = 2, f[3].failed = 1; }) == report::failed);
  CHECK(fault([](auto& f) { f[0].failed = 2, f[0].call = f[0].init = 0; }) == report::earlier);
}

namespace {

struct larger {  // has no identity
  float operator()(float a, float b) const { return a > b ? a : b; }
};

// What one rank of an exchange inside the kernel finds, with the finish of the op.
// @param part its elements. Its call and init have these hashes
template <class Op>
auto exchanged(const wf::collective::mailboxes& boxes, const std::vector<float>& part, const Op& op,
               bool fails = false, std::uint64_t call = 1, std::uint64_t init = 2) {
  return wf::detail::with_reduction(wf::as_view(part), op, wf::no_init{}, [&](const auto& own) {
    using work = std::remove_cvref_t<decltype(own)>;
    const wf::collective::reported_reduction<work> r(own, boxes, call, init, false, 0);
    const auto all = fails ? r.failure(wf::collective::failed_here)
                           : r.result(wf::seq.run(wf::state_reduction(own)));
    return std::pair(wf::finished(op, all.states.result()), all.report);
  });
}

}  // namespace

TEST_CASE("frames are exchanged inside the kernels, by ranks with few elements or none") {
  for (const int ranks : {1, 2, 4}) {
    for (const std::size_t n : {1u, 2u, 1001u}) {
      const auto v = some(n);
      const auto op = wf::all(wf::arg(wf::minimum{}), wf::plus{}, wf::plus{}.exact());
      const auto expected = wf::reduce(wf::seq, v, op);
      test::mailbox_group g(ranks);
      const int right = g.run(20, -1, [&](const wf::collective::mailboxes& m) {
        const auto at = [&](int r) {
          return v.begin() + static_cast<long>(n * static_cast<std::size_t>(r)) / ranks;
        };
        const std::vector<float> part(at(m.rank), at(m.rank + 1));
        const auto o = exchanged(m, part, op);
        return o.second.fault == report::no_fault && o.second.elements == n && o.first == expected;
      });
      CAPTURE(ranks);
      CAPTURE(n);
      CHECK(right == ranks);
    }
  }
}

TEST_CASE("indices are moved by a given first one, where the kernel does not move them") {
  test::mailbox_group g(2);
  const int right = g.run(20, -1, [&](const wf::collective::mailboxes& m) {
    const std::vector<float> part =
        m.rank == 0 ? std::vector<float>{3, 1, 2} : std::vector<float>{5, 4, 9, 7};
    const auto op = wf::all(wf::arg(wf::minimum{}), wf::arg(wf::maximum{}));
    return wf::detail::with_reduction(wf::as_view(part), op, wf::no_init{}, [&](const auto& own) {
      using work = std::remove_cvref_t<decltype(own)>;
      const std::size_t first = m.rank == 0 ? 100 : 5000;
      const wf::collective::reported_reduction<work> r(own, m, 1, 2, true, first);
      const auto all = r.result(wf::seq.run(wf::state_reduction(own))).states.result();
      return wf::get<0>(all).index == 101 && wf::get<1>(all).index == 5002;
    });
  });
  CHECK(right == 2);
}

TEST_CASE("every rank finds the fault of one, also behind a frame of another length") {
  const auto v = some(100);
  const auto faults = [&](const auto& call_of_two) {
    test::mailbox_group g(3);
    std::vector<std::uint64_t> found(3, 99);
    (void)g.run(20, -1, [&](const wf::collective::mailboxes& m) {
      const auto at = static_cast<std::size_t>(m.rank);
      found[at] = m.rank == 2 ? call_of_two(m) : exchanged(m, v, wf::plus{}).second.fault;
      // The mailboxes can be used again.
      return exchanged(m, v, wf::plus{}).second.fault == report::no_fault;
    });
    CHECK(found[0] == found[1]);
    CHECK(found[1] == found[2]);
    return found[0];
  };
  CHECK(faults([&](const auto& m) { return exchanged(m, v, wf::plus{}, true).second.fault; }) ==
        report::failed);
  CHECK(faults([&](const auto& m) {
          return exchanged(m, v, wf::plus{}.exact(), false, 7).second.fault;
        }) == report::other_call);
  CHECK(faults([&](const auto& m) {
          return exchanged(m, v, wf::plus{}, false, 1, 7).second.fault;
        }) == report::other_init);
  CHECK(faults([&](const auto& m) { return exchanged(m, v, wf::plus{}).second.fault; }) ==
        report::no_fault);
}

TEST_CASE("no elements and no identity, and a rank that is missing") {
  test::mailbox_group g(2);
  const std::vector<float> nothing;
  CHECK(g.run(20, -1, [&](const wf::collective::mailboxes& m) {
    return exchanged(m, nothing, larger{}).second.fault == report::empty;
  }) == 2);
  CHECK(g.run(0.1, 1, [&](const wf::collective::mailboxes& m) {
    const auto o = exchanged(m, some(3), wf::plus{});
    return o.second.fault == report::missing && o.second.elements == 1;
  }) == 1);
  CHECK(g.run(20, 1, [&](const wf::collective::mailboxes& m) {  // after the failure
    return exchanged(m, some(3), wf::plus{}).second.elements == report::unknown_rank;
  }) == 1);
}

TEST_CASE("the sink writes a result that is right, and the report for a host that waits") {
  std::vector<double> out(1, -1.0);
  std::vector<report> found(1, report{99, 99});
  unsigned flag = 0;
  test::emulated_launch on;
  on.array(out);
  on.array(found);
  const auto deliver = [&](unsigned* watched, float value, const report& r) {
    const wf::collective::result_sink<wf::collective::unless_fault<double>> sink{
        out.data(), found.data(), watched, 5};
    const std::vector<float> one{value};
    wf::detail::with_reduction(wf::as_view(one), wf::plus{}, wf::no_init{}, [&](const auto& work) {
      using reported = wf::collective::reported_states<std::remove_cvref_t<decltype(work)>>;
      wf::collective::states_in_order states(work, value);
      states.add(value, 1);
      on.run({1, 32}, [&] {
        if (wf::threadIdx.x == 0) {
          sink.in_registers().deliver(reported{states, r});
        }
      });
      return 0;
    });
  };
  deliver(nullptr, 2.5f, {report::no_fault, 3});
  CHECK(out[0] == 2.5);
  deliver(nullptr, 2.0f, {report::earlier, 3});
  CHECK(out[0] == 2.5);
  CHECK(found[0].fault == 99);  // nobody waits, and nothing is wrong that all do not know
  deliver(&flag, 3.5f, {report::failed, 4});
  CHECK(out[0] == 2.5);
  CHECK(found[0].fault == report::failed);
  CHECK(found[0].elements == 4);
  CHECK(flag == 5);
}
