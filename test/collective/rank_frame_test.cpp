// rank_frame and fold_frames: one warp folds the frames of any number of ranks, and reports ranks
// that failed or made another call.
// needs: boost_context
#include <warpfold/collective/rank_frame.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/work/state_reduction.hpp>

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
    launcher.launch(
        "fold_frames",
        wf::collective::fold_frames<work, result>{whole, frames.data(), static_cast<int>(ranks),
                                                  false, found.data(), out.data(), &flag, 1},
        {1, 32});
    CHECK(flag == 1);
    if (found[0].fault == report::right) {
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
      CHECK(folded(some(n), ranks, several, as_they_are).fault == report::right);
      CHECK(folded(some(n), ranks, wf::plus{}.exact(), as_they_are).fault == report::right);
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
}
