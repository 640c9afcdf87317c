// node_frames, fold_node_frames and exchange_node_frames: ranks that know only their own place in
// the whole make its tree, and report ranks that failed or are elsewhere.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/collective/node_frame.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <warpfold/kernel/rank_nodes.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

#include "contract/mailbox_group.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

using report = wf::collective::rank_report;
using header = wf::collective::node_header;
using spoil_header = std::function<void(header&, std::size_t)>;
const spoil_header as_they_are = [](header&, std::size_t) {};

/// What the ranks found.
template <class T>
struct found {
  report of;
  T result;
};

/// Ranks that have parts of `values`.
template <class T, class Op>
struct parted {
  using view_type = wf::contiguous_view<const T>;
  using work = wf::reduction<view_type, Op>;
  using result_type = typename work::result_type;
  using sink_type = wf::collective::result_sink<wf::collective::unless_fault<result_type>>;

  const std::vector<T>& values;
  std::vector<std::size_t> bounds;
  Op op;
  spoil_header spoil = as_they_are;

  std::size_t ranks() const { return bounds.size() - 1; }
  work part(std::size_t r) const {
    return {view_type(values.data() + bounds[r], bounds[r + 1] - bounds[r]), op, {}};
  }
  header header_of(std::size_t r) const {
    const std::size_t n = values.size();
    header h{1, 2, 0, bounds[r], bounds[r + 1] - bounds[r], n, {bounds[r], bounds[r + 1], n}};
    spoil(h, r);
    return h;
  }
  /// Launches the kernel of a rank.
  template <class Reduction, class Finish>
  void launch(std::size_t r, const Reduction& reduction,
              const wf::collective::global_array<typename work::accumulator>& own,
              const Finish& finish, wf::emulation::launcher& launcher) const {
    launcher.allow(values.data(), values.size() * sizeof(T), false);
    const auto parts =
        wf::kernel::nodes::parts_of(reduction, bounds[r], values.size(), launcher.gpu());
    const auto folds = launcher.template scratch<typename work::accumulator>(parts.size());
    wf::kernel::rank_nodes::enqueue("rank_nodes", reduction, parts, header_of(r).nodes, 0, folds,
                                    own, finish, launcher);
  }

  found<result_type> by_all_gather() const {
    using frames_type = wf::collective::node_frames<typename work::accumulator>;
    std::vector<unsigned char> bytes(ranks() * frames_type::bytes + 64);
    const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
    const frames_type frames{bytes.data() + (64 - at % 64)};
    const work whole{view_type(values.data(), values.size()), op, {}};
    std::vector<result_type> out(1);
    std::vector<report> reports(1, report{99, 99});
    unsigned flag = 0;
    wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
    launcher.allow(bytes.data(), bytes.size(), true);
    launcher.allow(out.data(), sizeof(result_type), true);
    launcher.allow(reports.data(), sizeof(report), true);
    for (std::size_t r = 0; r < ranks(); ++r) {
      wf::emulation::launcher own(wf::emulation::default_gpu, nullptr);
      own.allow(bytes.data(), bytes.size(), true);
      launch(r, wf::collective::rank_state_reduction(part(r)), frames.nodes(r),
             wf::collective::store_header{header_of(r), frames.header(r)}, own);
    }
    launcher.launch("fold_node_frames",
                    wf::collective::fold_node_frames<work, result_type>{
                        whole, header_of(0), frames, static_cast<int>(ranks()),
                        sink_type{out.data(), reports.data(), &flag, 1}},
                    {1, 32});
    CHECK(flag == 1);
    return {reports[0], out[0]};
  }

  std::vector<found<result_type>> by_mailboxes() const {
    using exchange = wf::collective::exchange_node_frames<work, result_type>;
    test::mailbox_group group(static_cast<int>(ranks()));
    std::vector<found<result_type>> all(ranks());
    {
      std::vector<std::jthread> gpus;
      for (std::size_t r = 0; r < ranks(); ++r) {
        gpus.emplace_back([&, r] {
          std::vector<typename work::accumulator> received(ranks() * header::most_nodes);
          unsigned flag = 0;
          wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
          for (auto& m : group.memory) launcher.allow(m.data(), m.size() * sizeof m[0], true);
          launcher.allow(received.data(), received.size() * sizeof received[0], true);
          launcher.allow(&all[r], sizeof all[r], true);
          const exchange e{group.of(static_cast<int>(r), 20),
                           header_of(r),
                           {received.data(), received.size()},
                           sink_type{&all[r].result, &all[r].of, &flag, 1}};
          if (e.mine.failed != 0) {
            launcher.launch("post_node_failure",
                            wf::collective::post_node_failure<work, exchange>{part(r), e}, {1, 32});
          } else {
            launch(r, part(r), e.values_of(static_cast<int>(r)), e, launcher);
          }
          CHECK(flag == 1);
        });
      }
    }
    return all;
  }
};

template <class T, class Op>
void check_both_ways(const std::vector<T>& values, const std::vector<std::size_t>& bounds, Op op) {
  const parted<T, Op> p{values, bounds, op};
  const auto expected = wf::reduce(wf::seq, values, op);
  const auto gathered = p.by_all_gather();
  CHECK(gathered.of.fault == report::no_fault);
  CHECK(gathered.of.elements == values.size());
  CHECK(gathered.result == expected);
  for (const auto& of_rank : p.by_mailboxes()) {
    CHECK(of_rank.of.fault == report::no_fault);
    CHECK(of_rank.result == expected);
  }
}

}  // namespace

TEST_CASE("any parts of the whole make its tree") {
  std::mt19937 random(5);
  for (const std::size_t ranks : {1u, 2u, 3u, 5u}) {
    for (const std::size_t n : {1u, 6u, 64u, 1001u, 20'000u}) {
      std::vector<std::size_t> bounds{0};
      for (std::size_t r = 1; r < ranks; ++r) bounds.push_back(random() % (n + 1));
      bounds.push_back(n);
      std::sort(bounds.begin(), bounds.end());
      CAPTURE(ranks);
      CAPTURE(n);
      check_both_ways(test::ordered_elements(n), bounds, test::ordered_hash{});
      if (n > 1001) continue;
      std::vector<test::wide_hash> wide(n);
      for (std::size_t i = 0; i < n; ++i) wide[i].of[i % 13] = i + 1;
      check_both_ways(wide, bounds, test::hash_each{});
    }
  }
}

TEST_CASE("faults reach every rank, the first kind first") {
  const auto v = test::ordered_elements(1000);
  const auto fault = [&](const spoil_header& spoil) {
    const parted<std::uint64_t, test::ordered_hash> p{v, {0, 300, 301, 1000}, {}, spoil};
    const std::uint64_t gathered = p.by_all_gather().of.fault;
    for (const auto& of_rank : p.by_mailboxes()) CHECK(of_rank.of.fault == gathered);
    return gathered;
  };
  CHECK(fault(as_they_are) == report::no_fault);
  CHECK(fault([](header& h, std::size_t r) { h.failed = r == 1 ? 1 : 0; }) == report::failed);
  CHECK(fault([](header& h, std::size_t r) {
          if (r == 0) h = {1, 2, 2, 0, 0, 1000, {}};
        }) == report::earlier);
  CHECK(fault([](header& h, std::size_t r) { h.call += r == 2 ? 1 : 0; }) == report::other_call);
  CHECK(fault([](header& h, std::size_t r) { h.init += r == 1 ? 1 : 0; }) == report::other_init);
  CHECK(fault([](header& h, std::size_t r) { h.first += r == 1 ? 1 : 0; }) ==
        report::not_the_whole);
  CHECK(fault([](header& h, std::size_t) { h.whole += 1; }) == report::not_the_whole);
  CHECK(fault([](header& h, std::size_t r) { h.whole += r == 2 ? 1 : 0; }) ==
        report::not_the_whole);
  CHECK(fault([](header& h, std::size_t r) {
          h.first += r == 1 ? 1 : 0;
          h.failed = r == 2 ? 1 : 0;
        }) == report::failed);
}

TEST_CASE("no elements at all") {
  const std::vector<std::uint64_t> none;
  const parted<std::uint64_t, test::ordered_hash> p{none, {0, 0, 0}, {}};
  CHECK(p.by_all_gather().of.fault == report::empty);
  for (const auto& of_rank : p.by_mailboxes()) CHECK(of_rank.of.fault == report::empty);
  const std::vector<float> no_floats;
  const parted<float, wf::plus> sum{no_floats, {0, 0, 0}, {}};
  CHECK(sum.by_all_gather().of.fault == report::no_fault);
  CHECK(sum.by_all_gather().result == 0);
  for (const auto& of_rank : sum.by_mailboxes()) CHECK(of_rank.result == 0);
}
