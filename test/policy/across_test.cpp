// wf::across: splits of a range among ranks give what the whole range gives, and faults reach every
// rank.
// needs: tbb boost_context
// slow: runs for seconds
#include <warpfold/policy/across.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/where.hpp>

#include "contract/order_certificate.hpp"
#include "contract/ranks.hpp"

namespace wf = warpfold;
using test::dealt;
using test::on_ranks;
using test::part_of;

namespace {

std::vector<float> some_floats(std::size_t n, std::mt19937& random) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
  return v;
}

// The sum of i * x: its accumulator cannot be moved to other indices.
struct weighted {
  long long lift(const float& x, std::size_t i) const {
    return static_cast<long long>(i) * static_cast<long long>(x * 8);
  }
  long long operator()(long long a, long long b) const { return a + b; }
  long long identity() const { return 0; }
};

// Associative, but not commutative: the first and the last digit, and whether all pairs of
// neighbors ascend.
struct ascending {
  struct state {
    int first, last;
    bool is;
    bool operator==(const state&) const = default;
  };
  template <class>
  using accumulator = state;
  state lift(const float& x) const { return {static_cast<int>(x), static_cast<int>(x), true}; }
  state operator()(const state& a, const state& b) const {
    return {a.first, b.last, a.is && b.is && a.last <= b.first};
  }
};

// A state of 160 bytes, which no frame holds.
struct histogram {
  struct state {
    long long count[20];
    bool operator==(const state&) const = default;
  };
  template <class>
  using accumulator = state;
  state lift(const float& x) const {
    state s{};
    ++s.count[static_cast<int>(std::fabs(x)) % 20];
    return s;
  }
  state operator()(state a, const state& b) const {
    for (int i = 0; i < 20; ++i) a.count[i] += b.count[i];
    return a;
  }
};

// Ops with an order, whose results do not depend on it.
struct sum_of_indices {
  std::uint64_t lift(const double&, std::size_t i) const { return i; }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};
struct last_index {
  std::uint64_t lift(const double&, std::size_t i) const { return i; }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a < b ? b : a; }
  std::uint64_t moved(std::uint64_t a, std::size_t by) const { return a + by; }
};

struct many {
  std::mt19937 random{20};
  std::vector<float> values;
  std::vector<std::size_t> bounds;
  int ranks = 0;

  void draw(std::size_t longest) {
    ranks = 1 + static_cast<int>(random() % 6);
    values = some_floats(random() % longest, random);
    bounds = dealt(values.size(), ranks, random);
  }
  // Whether all ranks get the same value as `seq` of the whole range.
  template <class Local, class Op>
  bool agrees(const Local& local, const Op& op) {
    const auto all = on_ranks(ranks, [&](auto rank) {
      const auto part = part_of(values, bounds, rank.rank());
      return wf::reduce(wf::across(rank, local), part, op);
    });
    return all.all_are(wf::reduce(wf::seq, values, op));
  }
};

}  // namespace

TEST_CASE_TEMPLATE("any split gives the result of the whole range", Local, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  many m;
  constexpr bool is_slow = std::is_same_v<Local, wf::emulated_policy<>>;
  for (int i = 0; i < (is_slow ? 6 : 30); ++i) {
    m.draw(is_slow ? 300 : i % 10 == 0 ? 200000 : 2000);
    CAPTURE(i);
    CAPTURE(m.ranks);
    CAPTURE(m.values.size());
    CHECK(m.agrees(Local{}, wf::arg(wf::minimum{})));
    CHECK(m.agrees(Local{}, weighted{}));
    if (m.values.empty()) continue;
    if constexpr (!is_slow) {  // to compile, too
      CHECK(m.agrees(Local{}, histogram{}));
      CHECK(m.agrees(Local{}, wf::arg(wf::maximum{}).last()));
      CHECK(m.agrees(Local{}, wf::all(wf::arg(wf::minimum{}), wf::maximum{})));
      CHECK(m.agrees(Local{}, wf::all(wf::arg(wf::minimum{}), wf::all(wf::arg(wf::maximum{})))));
      CHECK(m.agrees(Local{}, wf::all(weighted{}, wf::arg(wf::maximum{}))));
    }
  }
}

TEST_CASE("exact sums have the same bits for any split, and those of cancellation") {
  std::mt19937 random(5);
  std::vector<double> values(3000);
  for (auto& x : values) {
    x = std::ldexp(static_cast<double>(random()) - 2147483648.0, static_cast<int>(random() % 400));
  }
  for (std::size_t i = 0; i < 1500; ++i) values[i + 1500] = -values[i];  // sums to 0 ...
  values.push_back(std::ldexp(1, -900));                                 // ... but for this
  std::shuffle(values.begin(), values.end(), random);
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const auto bounds = dealt(values.size(), ranks, random);
    const auto all = on_ranks(ranks, [&](auto rank) {
      return wf::reduce(wf::across(rank, wf::par), part_of(values, bounds, rank.rank()),
                        wf::plus{}.exact());
    });
    CHECK(all.all_are(std::ldexp(1, -900)));
  }
  // A sum of no rank, and signs of zeros.
  const auto zero = on_ranks(3, [&](auto rank) {
    const std::vector<float> part(rank.rank() == 1 ? 2 : 0, -0.0f);
    return std::signbit(wf::reduce(wf::across(rank), part, wf::plus{}.exact()));
  });
  CHECK(zero.all_are(true));
}

TEST_CASE("states are combined in rank order") {
  many m;
  for (int i = 0; i < 20; ++i) {
    m.draw(50);
    if (m.values.empty()) continue;
    if (i % 2 == 0) std::sort(m.values.begin(), m.values.end());
    CHECK(m.agrees(wf::seq, ascending{}));
  }
}

namespace {

// The reduction of a rank's part. Ranks alternate between par, seq and emulated, or all have
// emulated.
template <class Ranks, class... Args>
auto reduced_on(bool all_emulated, const Ranks& ranks, const Args&... args) {
  if (all_emulated || ranks.rank() % 3 == 2) {
    return wf::reduce(wf::across(ranks, wf::emulated), args...);
  }
  return ranks.rank() % 3 == 0 ? wf::reduce(wf::across(ranks, wf::par), args...)
                               : wf::reduce(wf::across(ranks, wf::seq), args...);
}

}  // namespace

TEST_CASE("the bits of one rank, however the range is divided, with any policies") {
  std::mt19937 random(9);
  for (const std::size_t n : {1u, 2u, 7u, 64u, 1000u, 4097u, 700'000u}) {
    const std::vector<std::uint64_t> hashes = test::ordered_elements(n);
    std::vector<float> floats(n);
    std::vector<test::wide_hash> wide(n % 5000 + 1);
    for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(random()) / 3;
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
    for (const int ranks : {1, 2, 3, 8}) {
      const bool all_emulated = n <= 5000 && ranks <= 3;
      INFO(n, " elements on ", ranks, " ranks");
      const auto check = [&](const auto& expected, const auto& all, const auto&... args) {
        const auto bounds = dealt(all.size(), ranks, random);
        const auto results = on_ranks(ranks, [&](auto rank) {
          return reduced_on(all_emulated, rank, part_of(all, bounds, rank.rank()), args...);
        });
        CHECK(results.all_are(expected));
      };
      const auto check_op = [&](const auto& all, const auto& op) {
        check(wf::reduce(wf::seq, all, op), all, op);
      };
      check_op(hashes, test::ordered_hash{});
      check_op(floats, wf::plus{});
      check_op(wide, test::hash_each{});
      check(test::ordered_hash{}(5, test::ordered_fold(hashes)), hashes, std::uint64_t{5},
            test::ordered_hash{});
    }
  }
}

TEST_CASE_TEMPLATE("the declared order of views, counted ranges, placed ranges, and of many ranks",
                   Local, wf::seq_policy, wf::emulated_policy<>) {
  constexpr test::ordered_hash hash;
  std::mt19937 random(8);
  const std::vector<std::uint64_t> v = test::ordered_elements(5000);
  std::vector<std::uint32_t> bits(v.size() / 32 + 1);
  for (auto& unit : bits) unit = static_cast<std::uint32_t>(random());
  for (const int ranks : {2, 3, 70}) {
    CAPTURE(ranks);
    const auto bounds = dealt(v.size(), ranks, random);
    // `reduced(policy, elements, first)` on each rank gives that of all elements.
    const auto check = [&](const auto& reduced) {
      const auto all = on_ranks(ranks, [&](auto rank) {
        const std::size_t first = bounds[static_cast<std::size_t>(rank.rank())];
        return reduced(wf::across(rank, Local{}), part_of(v, bounds, rank.rank()), first);
      });
      CHECK(all.all_are(reduced(wf::seq, v, 0)));
    };
    check([&](auto policy, const auto& elements, std::size_t) {
      return wf::reduce(policy, wf::project(elements, [](auto x) { return x / 3; }), hash);
    });
    check([&](auto policy, const auto& elements, std::size_t) {
      const auto pairs = wf::zip(elements, elements);
      return wf::reduce(policy, wf::project(pairs, test::ordered_hash{}), hash);
    });
    check([&](auto policy, const auto& elements, std::size_t) {
      std::vector<std::uint64_t> twice(2 * elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i) twice[2 * i] = elements[i];
      return wf::reduce(policy, wf::strided(twice, 2), hash);
    });
    check([&](auto policy, const auto& elements, std::size_t first) {
      return wf::reduce(policy, wf::where(elements, bits, first), hash);
    });
    check([&](auto policy, const auto& elements, std::size_t first) {
      const auto numbers = wf::counting(std::uint64_t{first}, elements.size());
      return wf::reduce(policy, wf::project(numbers, test::ordered_element{}), hash);
    });
    check([&](auto policy, const auto& elements, std::size_t) {
      const std::size_t count = elements.size();
      std::vector<std::uint64_t> longer = elements;
      longer.resize(count + 7);
      return std::vector{wf::reduce(policy, wf::counted(longer, &count), std::uint64_t{7}, hash),
                         wf::reduce(policy, wf::counted(longer, &count), std::uint64_t{7},
                                    test::hash_with_index{})};
    });
    const auto check_placed = [&](const auto& op) {
      check([&](auto policy, const auto& elements, std::size_t) {
        return wf::reduce(policy, elements, op);
      });
      check([&](auto policy, const auto& elements, std::size_t first) {
        if constexpr (requires { policy.starting_at(first); }) {
          return wf::reduce(policy.starting_at(first), elements, op);
        } else {
          return wf::reduce(policy, elements, op);
        }
      });
    };
    check_placed(hash);
    check_placed(test::hash_with_index{});
    check_placed(test::hash_and_last{});
    check_placed(wf::all(hash, test::hash_and_last{}, wf::arg(wf::minimum{})));
    // Parts that alone fold batches and vectors.
    check([&](auto policy, const auto& elements, std::size_t) {
      const auto to_float = [](std::uint64_t x) { return static_cast<float>(x % 1013) / 3; };
      return wf::reduce(
          policy, elements,
          wf::all(wf::projected(wf::plus{}, to_float), wf::projected(wf::moments_op{}, to_float),
                  test::hash_with_index{}));
    });
  }
}

TEST_CASE("an op that throws while a rank folds its nodes") {
  const std::vector<int> v(1000, 1);
  const auto all = on_ranks(3, [&](auto rank) {
    const int own = rank.rank();
    return wf::reduce(wf::across(rank), v, [own](int a, int b) {
      if (own == 1) throw std::runtime_error("no sum");
      return a + b;
    });
  });
  CHECK(all.thrown_by<std::runtime_error>(1) == "no sum");
  CHECK(all.thrown_by<wf::rank_error>(0) == "warpfold: rank 1 of 3 threw: no sum");
}

TEST_CASE("a rank that names a kernel: rank order, and the same bits on every rank") {
  const auto named = wf::emulated.with_kernel(wf::kernel::single_pass<>{});
  std::mt19937 random(3);
  for (const std::size_t n : {5u, 1000u, 70'001u}) {
    std::vector<double> values(n);
    for (auto& x : values) x = static_cast<double>(random()) / 3;
    const auto bounds = dealt(n, 4, random);
    const auto all = on_ranks(4, [&](auto rank) {
      const auto part = part_of(values, bounds, rank.rank());
      return rank.rank() == 2 ? wf::reduce(wf::across(rank, named), part)
                              : wf::reduce(wf::across(rank, wf::par), part);
    });
    CHECK(all.all_are(all.values[0]));
    const auto check_indices = [&](const auto& op) {
      const auto results = on_ranks(4, [&](auto rank) {
        const auto part = part_of(values, bounds, rank.rank());
        return rank.rank() == 2 ? wf::reduce(wf::across(rank, named), part, op)
                                : wf::reduce(wf::across(rank, wf::par), part, op);
      });
      CHECK(results.all_are(wf::reduce(wf::seq, values, op)));
    };
    check_indices(sum_of_indices{});
    check_indices(last_index{});
    CHECK(all.values[0] == doctest::Approx(wf::reduce(wf::seq, values)).epsilon(1e-12));
    // States that no frame holds, and two exchanges of those that do.
    std::vector<float> some(values.begin(), values.begin() + static_cast<long>(n % 300 + 4));
    const auto few = dealt(some.size(), 4, random);
    const auto counts = on_ranks(4, [&](auto rank) {
      const auto part = part_of(some, few, rank.rank());
      return rank.rank() == 2 ? wf::reduce(wf::across(rank, named), part, histogram{})
                              : wf::reduce(wf::across(rank, wf::par), part, histogram{});
    });
    CHECK(counts.all_are(wf::reduce(wf::seq, some, histogram{})));
  }
}

TEST_CASE("empty parts") {
  SUBCASE("do not change the sign of a zero") {
    const auto all = on_ranks(3, [](auto rank) {
      const std::vector<float> part(rank.rank() == 2 ? 1 : 0, -0.0f);
      return std::signbit(wf::reduce(wf::across(rank), part));
    });
    CHECK(all.all_are(std::signbit(wf::reduce(wf::seq, std::vector<float>{-0.0f}))));
  }
  SUBCASE("everywhere give the identity, the init or an error on every rank") {
    const std::vector<int> none;
    CHECK(on_ranks(3, [&](auto rank) { return wf::reduce(wf::across(rank), none); }).all_are(0));
    CHECK(on_ranks(3, [&](auto rank) {
            return wf::reduce(wf::across(rank), none, 7, [](int a, int b) { return a * b; });
          }).all_are(7));
    const auto all = on_ranks(3, [&](auto rank) {
      return wf::reduce(wf::across(rank), none, [](int a, int b) { return a * b; });
    });
    for (std::size_t r = 0; r < 3; ++r) {
      CHECK(
          all.thrown_by<wf::empty_range>(r).starts_with("warpfold: cannot reduce an empty range"));
    }
  }
}

TEST_CASE("an init is combined once, in the type of the result") {
  const std::vector<int> part{1, 2};
  const auto all = on_ranks(
      4, [&](auto rank) { return wf::reduce(wf::across(rank), part, 0.5, std::plus<>{}); });
  CHECK(all.all_are(12.5));
  const auto no_identity = on_ranks(4, [&](auto rank) {
    return wf::reduce(wf::across(rank, wf::par), part, 100, [](int a, int b) { return a + b; });
  });
  CHECK(no_identity.all_are(112));
  const auto forms = on_ranks(2, [&](auto rank) {
    return wf::reduce(wf::across(rank), part.begin(), part.end(), char{1});
  });
  CHECK(forms.all_are(7));
}

TEST_CASE("an init that differs is an error on every rank") {
  const std::vector<int> part{1, 2};
  const auto all = on_ranks(3, [&](auto rank) {
    return wf::reduce(wf::across(rank), part, rank.rank() == 1 ? 5 : 4, wf::plus{});
  });
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(all.thrown_by<wf::rank_error>(r) ==
          "warpfold: rank 1 of 3 passes another init than rank 0; pass the same init on every "
          "rank");
  }
}

namespace {

// A rank that gets its messages late, unless it is rank 0.
class late {
 public:
  explicit late(wf::thread_ranks::one rank) : rank_(rank) {}

  int rank() const { return rank_.rank(); }
  int size() const { return rank_.size(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) const {
    rank_.all_gather(mine, bytes, all);
    if (rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  void all_reduce(std::int64_t* values, std::size_t count) const {
    rank_.all_reduce(values, count);
  }

 private:
  wf::thread_ranks::one rank_;
};

// What `across` uses of wf::device. Its memory is at the addresses of the host with `far` added:
// reading it without `load` fails.
struct gpu_on_host {
  static constexpr bool returns_states = true;
  static constexpr std::uintptr_t far = std::uintptr_t{1} << 63;
  template <class T>
  static T* there(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + far);
  }

  static constexpr const char* name() { return "gpu_on_host"; }
  int stream() const { return 0; }
  template <class Work>
  void check(const Work& work) const {
    work.visit_init([](const void* p, std::size_t, std::size_t) {
      if (p == nullptr) throw wf::invalid_range("the init is a null pointer");
    });
  }
  template <class Out>
  void check_output(Out*) const {}
  template <class T>
  void load(const T* from, T* to) const {
    *to = *there(from);
  }
  template <class Out>
  void store(const Out& value, Out* to) const {
    *there(to) = value;
  }
  template <class Reduction>
  auto run(const Reduction& r) const {
    using counted = typename Reduction::counted_type;
    return wf::collective::rank_state_of<counted>(r, wf::seq.run(wf::state_reduction<counted>(r)));
  }
};

}  // namespace

TEST_CASE("an init in memory is read once, before any rank writes its result") {
  const std::vector<int> part{1, 2};
  int total = 10;
  const auto all = on_ranks(3, [&](auto rank) {
    const auto policy = wf::across(late(rank));
    int own = 0;
    wf::reduce_async(policy, part, wf::value_at(&total), wf::plus{},
                     rank.rank() == 0 ? &total : &own);
    return rank.rank() == 0 ? 19 : own;
  });
  CHECK(all.all_are(19));
  CHECK(total == 19);
}

TEST_CASE("an init in memory of a GPU") {
  const auto gpu = gpu_on_host{};
  const auto across = [&](auto rank) { return wf::across(rank, gpu); };
  const auto in_gpu = [](auto& value) { return wf::value_at(gpu_on_host::there(&value)); };
  const std::vector<int> part{1, 2};
  const std::vector<int> none;
  std::int64_t init = 100, out[3] = {5, 5, 5};
  CHECK(on_ranks(3, [&](auto rank) {
          return wf::reduce(across(rank), part, in_gpu(init), wf::plus{});
        }).all_are(109));
  CHECK(on_ranks(2, [&](auto rank) {
          return wf::reduce(across(rank), none, in_gpu(init), [](auto a, auto b) { return a * b; });
        }).all_are(100));
  CHECK(on_ranks(2,
                 [&](auto rank) {  // two exchanges
                   const std::vector<float> twos{2, 2};
                   return wf::reduce(across(rank), twos, in_gpu(init), weighted{});
                 })
            .all_are(100 + 16 * (0 + 1 + 2 + 3)));
  CHECK(on_ranks(3, [&](auto rank) {
          auto* const own = gpu_on_host::there(out + rank.rank());
          wf::sum_async(across(rank), part, wf::accumulate(own));
          wf::sum_async(across(rank), none, wf::accumulate(own));
          return out[rank.rank()];
        }).all_are(14));
  out[2] = 15;
  const auto other = on_ranks(3, [&](auto rank) {
    return wf::reduce(across(rank), part, in_gpu(out[rank.rank()]), wf::plus{});
  });
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(other.thrown_by<wf::rank_error>(r).starts_with(
        "warpfold: rank 2 of 3 passes another init than rank 0"));
  }
  const auto null = on_ranks(2, [&](auto rank) {
    const std::int64_t* from = rank.rank() == 0 ? gpu_on_host::there(&init) : nullptr;
    return wf::reduce(across(rank), part, wf::value_at(from), wf::plus{});
  });
  CHECK(null.thrown_by<wf::invalid_range>(1) == "the init is a null pointer");
  CHECK(null.thrown_by<wf::rank_error>(0).find("the init is a null pointer") != std::string::npos);
}

TEST_CASE("indices may be given") {
  const std::vector<float> part{3, 1, 2};
  const auto all = on_ranks(2, [&](auto rank) {
    const auto policy = wf::across(rank).starting_at(rank.rank() == 0 ? 1000 : 10);
    return wf::argmin(policy, part).index +
           static_cast<std::size_t>(wf::reduce(policy, std::vector<float>{1}, weighted{}));
  });
  CHECK(all.all_are(11 + 8 * 1010));
  const auto of_whole = [&](std::size_t whole) {
    return on_ranks(2, [&](auto rank) {
      return wf::sum(wf::across(rank).starting_at(rank.rank() == 0 ? 0 : 3, whole), part);
    });
  };
  CHECK(of_whole(6).all_are(12));
  CHECK(of_whole(7).thrown_by<wf::invalid_argument>(1).starts_with(
      "warpfold: all ranks together have 6 elements, but starting_at was given 7"));
  const auto mixed = on_ranks(2, [&](auto rank) {
    const auto policy = wf::across(rank);
    return wf::argmin(rank.rank() == 0 ? policy : policy.starting_at(3), part).index;
  });
  CHECK(mixed.thrown_by<wf::rank_error>(0).starts_with(
      "warpfold: rank 1 of 2 makes another call than rank 0; "));
}

TEST_CASE("named functions") {
  many m;
  for (int i = 0; i < 8; ++i) {
    m.draw(1000);
    if (m.values.size() < 5) continue;
    const auto check_same = [&](const auto& f) {
      const auto expected = static_cast<double>(f(wf::seq, m.values));
      const auto all = on_ranks(m.ranks, [&](auto rank) {
        return static_cast<double>(f(wf::across(rank), part_of(m.values, m.bounds, rank.rank())));
      });
      CHECK(all.all_are(all.values[0]));
      CHECK(all.values[0] == expected);
    };
    check_same([](auto p, const auto& v) { return wf::sum(p, v); });
    check_same([](auto p, const auto& v) { return wf::mean(p, v); });
    check_same([](auto p, const auto& v) { return wf::skewness(p, v); });
    check_same([](auto p, const auto& v) { return wf::norm_2(p, v); });
    check_same([](auto p, const auto& v) { return wf::norm_infinity(p, v); });
    check_same([](auto p, const auto& v) { return wf::dot(p, v, v); });
    check_same([](auto p, const auto& v) { return wf::dot(p, v, v, wf::plus{}.compensated()); });
    check_same([](auto p, const auto& v) { return wf::min(p, v); });
    check_same([](auto p, const auto& v) { return wf::minmax(p, v).max; });
    check_same([](auto p, const auto& v) { return wf::argmax(p, v).index; });
    check_same([](auto p, const auto& v) { return wf::argminmax(p, v).min.index; });
    check_same([](auto p, const auto& v) {
      return wf::argmin(p, v, {}, [](float x) { return std::fabs(x); }).index;
    });
    check_same(
        [](auto p, const auto& v) { return wf::count_if(p, v, [](float x) { return x > 1; }); });
    check_same([](auto p, const auto& v) {
      double mean = 0;
      wf::mean_async(p, v, &mean);
      return mean;
    });
    check_same([](auto p, const auto& v) {
      float least = 0;
      wf::min_async(p, v, &least);
      return least;
    });
  }
}

TEST_CASE("named functions that need elements count those of all ranks") {
  const auto one_element = [](auto rank) {
    return std::vector<double>(rank.rank() == 1 ? 1 : 0, 3);
  };
  CHECK(on_ranks(3, [&](auto r) { return wf::min(wf::across(r), one_element(r)); }).all_are(3));
  CHECK(on_ranks(3, [&](auto r) { return wf::mean(wf::across(r), one_element(r)); }).all_are(3));

  const auto few = on_ranks(3, [&](auto r) {
    return wf::variance(wf::across(r), one_element(r), wf::variance_of::sample);
  });
  const auto none = on_ranks(3, [&](auto r) { return wf::max(wf::across(r), std::vector<int>{}); });
  const auto no_mean = on_ranks(3, [&](auto r) {
    double mean = 0;
    wf::mean_async(wf::across(r), std::vector<double>{}, &mean);
    return mean;
  });
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(few.thrown_by<wf::empty_range>(r) ==
          "warpfold: variance of a sample needs at least 2 elements, but the range has 1; test the "
          "size first");
    CHECK(none.thrown_by<wf::empty_range>(r) ==
          "warpfold: an empty range has no greatest element; test the size first");
    CHECK(no_mean.thrown_by<wf::empty_range>(r).starts_with("warpfold: mean needs at least 1"));
  }
}

TEST_CASE("counted ranges and masks") {
  const std::vector<float> part{5, 4, 3};
  const std::vector<unsigned> bits{0b010};
  const auto counted = on_ranks(3, [&](auto rank) {
    const std::size_t n = rank.rank() == 0 ? 0 : 2;
    return wf::argmin(wf::across(rank, wf::par), wf::counted(part, &n));
  });
  CHECK(counted.all_are({4, 1}));
  const auto none = on_ranks(2, [&](auto rank) {
    const std::size_t n = 0;
    return wf::min(wf::across(rank), wf::counted(part, &n));
  });
  CHECK(none.thrown_by<wf::empty_range>(1).starts_with("warpfold: an empty range has no least"));
  const auto wrong = on_ranks(2, [&](auto rank) {
    const int n = rank.rank() == 0 ? 2 : 4;
    return wf::sum(wf::across(rank), wf::counted(part, &n));
  });
  CHECK(
      wrong.thrown_by<wf::invalid_range>(1).starts_with("warpfold: the count of a counted range"));
  CHECK(wrong.thrown_by<wf::rank_error>(0).starts_with(
      "warpfold: rank 1 of 2 threw: warpfold: the count of a counted range"));

  const auto masked = on_ranks(3, [&](auto rank) {
    const std::vector<unsigned> none_set{0};
    return wf::argmin(wf::across(rank, wf::par),
                      wf::where(part, rank.rank() == 1 ? bits : none_set));
  });
  CHECK(masked.all_are({4, 4}));
}

TEST_CASE("a rank that throws makes the call throw on every rank") {
  const std::vector<int> part{1, 2, 3};
  wf::thread_ranks group(4, 20);
  const auto expect = [](const auto& all, const std::string& own) {
    for (std::size_t r = 0; r < 4; ++r) {
      if (r == 2) continue;
      CHECK(all.template thrown_by<wf::rank_error>(r) == "warpfold: rank 2 of 4 threw: " + own);
      try {
        std::rethrow_exception(all.errors[r]);
      } catch (const wf::rank_error& e) {
        CHECK(e.rank() == 2);
      }
    }
  };
  SUBCASE("the op") {
    const auto all = on_ranks(group, [&](auto rank) {
      const bool throws = rank.rank() == 2;
      return wf::reduce(wf::across(rank), part, [throws](int a, int b) {
        if (throws) throw std::runtime_error("out of ink");
        return a + b;
      });
    });
    CHECK(all.thrown_by<std::runtime_error>(2) == "out of ink");
    expect(all, "out of ink");
  }
  SUBCASE("an exception of any type") {
    const auto all = on_ranks(group, [&](auto rank) {
      const bool throws = rank.rank() == 2;
      return wf::reduce(wf::across(rank), part, [throws](int a, int b) {
        if (throws) throw 5;
        return a + b;
      });
    });
    CHECK_THROWS_AS(std::rethrow_exception(all.errors[2]), int);
    expect(all, "an exception that is no std::exception");
  }
  SUBCASE("a null pointer") {
    const auto all = on_ranks(group, [&](auto rank) {
      return wf::reduce(wf::across(rank), rank.rank() == 2 ? nullptr : part.data(), 3);
    });
    CHECK(all.thrown_by<wf::invalid_range>(2).starts_with("warpfold: the range is a null pointer"));
    expect(all, all.thrown_by<wf::invalid_range>(2));
  }
  SUBCASE("an output") {
    const auto all = on_ranks(group, [&](auto rank) {
      int sum = 0;
      wf::reduce_async(wf::across(rank), part, wf::plus{}, rank.rank() == 2 ? nullptr : &sum);
      return sum;
    });
    CHECK(
        all.thrown_by<wf::invalid_range>(2).starts_with("warpfold: the output is a null pointer"));
    expect(all, all.thrown_by<wf::invalid_range>(2));
  }
  SUBCASE("before it knows its indices") {
    const auto all = on_ranks(group, [&](auto rank) {
      const float value = 1;
      return wf::reduce(wf::across(rank), rank.rank() == 2 ? nullptr : &value, 1, weighted{});
    });
    CHECK(all.thrown_by<wf::invalid_range>(2).starts_with("warpfold: the range is a null pointer"));
    expect(all, all.thrown_by<wf::invalid_range>(2));
  }
  SUBCASE("before the policy has the range") {
    const auto all = on_ranks(group, [&](auto rank) {
      return wf::dot(wf::across(rank), part, std::vector<int>(rank.rank() == 2 ? 2 : 3));
    });
    CHECK(all.thrown_by<wf::invalid_range>(2).starts_with("warpfold: dot needs two ranges of the"));
    expect(all, all.thrown_by<wf::invalid_range>(2));
  }
  // The group stays usable.
  CHECK(on_ranks(group, [&](auto rank) { return wf::reduce(wf::across(rank), part); }).all_are(24));
}

TEST_CASE("ranks that make different calls are told so") {
  const std::vector<float> part{1, 2, 3};
  wf::thread_ranks group(3, 20);
  const auto expect = [](const auto& all, const char* name) {
    for (std::size_t r = 0; r < 3; ++r) {
      const std::string text = all.template thrown_by<wf::rank_error>(r);
      CHECK(
          text.starts_with("warpfold: rank 1 of 3 makes another call than rank 0; make the same "
                           "calls, with the same op and types, on every rank. Rank 1: "));
      CHECK(text.find(name) != std::string::npos);
    }
  };
  expect(on_ranks(group,
                  [&](auto rank) {
                    return rank.rank() == 1 ? wf::max(wf::across(rank), part)
                                            : wf::min(wf::across(rank), part);
                  }),
         "minimum");
  expect(on_ranks(group,
                  [&](auto rank) {  // states of 4 and 8 bytes
                    return rank.rank() == 1 ? wf::sum(wf::across(rank), std::vector<double>(3))
                                            : wf::sum(wf::across(rank), part);
                  }),
         "double");
  expect(on_ranks(group,
                  [&](auto rank) {  // one exchange and two
                    return rank.rank() == 1 ? wf::reduce(wf::across(rank), part, wf::plus{}.exact())
                                            : wf::reduce(wf::across(rank), part);
                  }),
         "exact");
  // Lambdas of one function: GCC writes their types alike in the names of functions.
  const auto sum = [](float x, float y) { return x + y; };
  const auto product = [](float x, float y) { return x * y; };
  expect(on_ranks(group,
                  [&](auto rank) {
                    return rank.rank() == 1 ? wf::reduce(wf::across(rank), part, sum)
                                            : wf::reduce(wf::across(rank), part, product);
                  }),
         "lambda");
  const auto large = [](float x) { return x > 2; };
  const auto small = [](float x) { return x < 2; };
  expect(on_ranks(group,
                  [&](auto rank) {  // another view with the same op
                    return rank.rank() == 1 ? wf::count_if(wf::across(rank), part, large)
                                            : wf::count_if(wf::across(rank), part, small);
                  }),
         "lambda");
  CHECK(on_ranks(group, [&](auto rank) { return wf::sum(wf::across(rank), part); }).all_are(18));
}

namespace {

// A rank whose messages come late, in any order, or not at all.
class unreliable {
 public:
  unreliable(wf::thread_ranks::one rank, unsigned seed, std::atomic<int>* drops_at = nullptr)
      : rank_(rank), seed_(seed), drops_at_(drops_at) {}

  int rank() const { return rank_.rank(); }
  int size() const { return rank_.size(); }
  void all_gather(const void* mine, std::size_t bytes, void* all) const {
    delay();
    drop();
    std::vector<unsigned char> copy(bytes);  // the caller's memory is not read after the call
    std::memcpy(copy.data(), mine, bytes);
    rank_.all_gather(copy.data(), bytes, all);
    delay();
  }
  void all_reduce(std::int64_t* values, std::size_t count) const {
    delay();
    drop();
    rank_.all_reduce(values, count);
    delay();
  }

 private:
  void delay() const {
    std::mt19937 random(seed_ + static_cast<unsigned>(rank()) * 977u);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3 == 0 ? random() % 900 : 0));
  }
  void drop() const {
    if (drops_at_ != nullptr && --*drops_at_ == 0) throw wf::communication_error("the link broke");
  }

  wf::thread_ranks::one rank_;
  unsigned seed_;
  std::atomic<int>* drops_at_;
};

}  // namespace

TEST_CASE("messages that come late and in any order change nothing") {
  std::mt19937 random(3);
  const auto values = some_floats(500, random);
  for (unsigned seed = 0; seed < 25; ++seed) {
    const auto bounds = dealt(values.size(), 5, random);
    const auto all = on_ranks(5, [&](auto rank) {
      const auto policy = wf::across(unreliable(rank, seed));
      const auto part = part_of(values, bounds, rank.rank());
      const auto sum = wf::reduce(policy, part, wf::plus{}.exact());
      const auto large = wf::reduce(policy, part, histogram{});
      const auto weights = wf::reduce(policy, part, weighted{});
      return sum == wf::reduce(wf::seq, values, wf::plus{}.exact()) &&
             large == wf::reduce(wf::seq, values, histogram{}) &&
             weights == wf::reduce(wf::seq, values, weighted{});
    });
    CHECK(all.all_are(true));
  }
}

TEST_CASE("a message that is lost is an error on every rank") {
  const std::vector<float> part{1, 2};
  for (int exchange = 1; exchange <= 2; ++exchange) {
    wf::thread_ranks group(3, 0.05);
    std::atomic<int> until_drop{exchange};
    const auto all = on_ranks(group, [&](auto rank) {
      const unreliable ends(rank, 1, rank.rank() == 1 ? &until_drop : nullptr);
      return wf::reduce(wf::across(ends), part, histogram{}).count[1];
    });
    CHECK(all.thrown_by<wf::communication_error>(1) == "the link broke");
    for (const std::size_t r : {0, 2}) {
      CHECK(all.thrown_by<wf::communication_error>(r).starts_with(
          "warpfold: rank 1 of 3 did not call within 50 ms"));
    }
  }
}

TEST_CASE("a rank that fails throws its own error if the others are gone") {
  for (int exchange = 1; exchange <= 2; ++exchange) {  // of the frames and of the texts
    wf::thread_ranks group(2, 0.05);
    std::atomic<int> until_drop{exchange};
    const auto all = on_ranks(group, [&](auto rank) {
      const unreliable ends(rank, 1, rank.rank() == 1 ? &until_drop : nullptr);
      const int value = 1;
      return wf::reduce(wf::across(ends), rank.rank() == 0 ? nullptr : &value, 1);
    });
    CHECK(all.thrown_by<wf::invalid_range>(0).starts_with("warpfold: the range is a null pointer"));
  }
}

TEST_CASE("transform runs locally, and the plan says what travels") {
  const std::vector<float> part{1, 2, 3};
  const auto all = on_ranks(2, [&](auto rank) {
    std::vector<float> out(3);
    wf::transform(wf::across(rank), part, out, [](float x) { return x + 1; });
    return out;
  });
  CHECK(all.all_are({2, 3, 4}));

  wf::thread_ranks group(8);  // nobody else calls: explain exchanges nothing
  const auto plan = wf::explain(wf::across(group[0], wf::par), part, wf::plus{}.exact());
  CHECK(plan.ranks == 8);
  CHECK(plan.bytes_sent == 128 + 128);
  CHECK(plan.local == "par");
  CHECK(plan.elements == 3);
  std::ostringstream text;
  text << plan;
  CHECK(text.str().find("8, each folds its range with par") != std::string::npos);
  CHECK(text.str().find("256 B from each rank, by an all-gather and an all-reduce") !=
        std::string::npos);
  const auto small = wf::explain(wf::across(group[0]), part);
  CHECK(small.bytes_sent == 256);
  CHECK(small.exchange == "two or three all-gathers");
  const std::vector<float> longer(5000);
  CHECK(wf::explain(wf::across(group[0]), longer).bytes_sent == 256 + 27 * sizeof(float));
  const auto least = wf::explain(wf::across(group[0]), part, wf::minimum{});
  CHECK(least.bytes_sent == 128);
  CHECK(least.exchange == "an all-gather");
  CHECK(wf::explain(wf::across(group[0]), part, histogram{}).exchange == "three all-gathers");
  const auto emulated = wf::explain(wf::across(group[0], wf::emulated), longer);
  CHECK(emulated.exchange == "two or three all-gathers");
  CHECK(emulated.kernel == "nodes");
  const auto named = wf::emulated.with_kernel(wf::kernel::single_pass<>{});
  CHECK(wf::explain(wf::across(group[0], named), part).exchange == "an all-gather");
  CHECK(wf::explain(wf::across(group[0]), part, weighted{}).exchange == "two or three all-gathers");
  CHECK(wf::explain(wf::across(group[0]), part, weighted{}).bytes_sent == 256);
  CHECK(wf::explain(wf::across(group[0]), std::vector<int>{}, [](int a, int) { return a; }).ranks ==
        8);
}

TEST_CASE("ranks that need different numbers of elements stay in step") {
  wf::thread_ranks group(2, 20);
  const auto part = [](auto rank) { return std::vector<double>(rank.rank() == 0 ? 1 : 0, 3.0); };
  const auto variance = [&](auto rank, wf::variance_of what) {
    return wf::variance(wf::across(rank), part(rank), what, wf::plus{}.exact());
  };
  const auto different = on_ranks(group, [&](auto rank) {
    return variance(rank, rank.rank() == 0 ? wf::variance_of::sample : wf::variance_of::population);
  });
  CHECK(different.thrown_by<wf::empty_range>(0).find("sample") != std::string::npos);
  CHECK(different.errors[1] == nullptr);
  CHECK(on_ranks(group, [&](auto rank) {
          return variance(rank, wf::variance_of::population);
        }).all_are(0));
}

TEST_CASE("exact statistics that do not wait count the elements of all ranks") {
  const auto all = on_ranks(3, [](auto rank) {
    const std::vector<double> part(rank.rank() == 1 ? 2 : 0, 3.0);
    const auto policy = wf::across(rank);
    const auto exact = wf::plus{}.exact();
    double results[3] = {};
    wf::mean_async(policy, part, exact, &results[0]);
    wf::variance_async(policy, part, wf::variance_of::sample, exact, &results[1]);
    wf::stddev_async(policy, part, wf::variance_of::sample, exact, &results[2]);
    return results[0] + results[1] + results[2];
  });
  CHECK(all.all_are(3));
}

TEST_CASE("many calls in a row") {
  wf::thread_ranks group(3, 20);
  const auto all = on_ranks(group, [](auto rank) {
    const auto policy = wf::across(rank);
    for (int i = 0; i < 3000; ++i) {
      const int part[] = {i, rank.rank()};
      if (wf::reduce(policy, std::span(part)) != 3 * i + 3) return i;
    }
    return -1;
  });
  CHECK(all.all_are(-1));
}
