// wf::staged on both sides of a transformation, in the emulation, and copies between structs and
// soa.
// needs: boost_context boost
// flags: -O1
#include <warpfold/policy/emulated.hpp>
#include <warpfold/soa.hpp>

#include "contract/staged_transform_contract.hpp"

namespace {

// Of one multiprocessor, so that a warp takes many tiles.
constexpr wf::device_info small_gpu = [] {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  return gpu;
}();

struct on_host : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated.emulating(small_gpu); }
};

struct float3_like {
  float x, y, z;
};
struct seven {
  BOOST_HANA_DEFINE_STRUCT(seven, (float, x), (float, y), (float, z), (float, m), (int, id),
                           (float, q), (float, r));
  friend bool operator==(const seven&, const seven&) = default;
};

std::vector<seven> some_structs(int n) {
  std::vector<seven> all;
  for (int i = 0; i < n; ++i) {
    const float f = static_cast<float>(i);
    all.push_back({f, f * 2, f * 3, f / 2, i, f + 1, f + 2});
  }
  return all;
}

template <class In, class Out>
wf::emulation::launch_counts copied(const In& in, Out&& out) {
  const auto policy = wf::emulated.counting();
  wf::copy(policy, in, static_cast<Out&&>(out));
  REQUIRE(policy.report().launches.size() == 1);
  return policy.report().launches[0];
}

using wf::emulation::traffic;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(staged_transforms, on_host);
TEST_CASE_TEMPLATE_INVOKE(staged_with_others, on_host);

TEST_CASE("staged transformations read and write whole sectors") {
  constexpr std::size_t n = 128 * 100;  // tiles of float3
  const on_host::array<float3_like> in(test::any_bytes<float3_like>(n), 0);
  on_host::target<float3_like> out(std::vector<float3_like>(n), 0);
  const std::span<const float3_like> from(in.data(), n);
  const std::span<float3_like> to(out.data(), n);
  const auto staged = copied(wf::staged(from), wf::staged(to));
  CHECK(std::string(staged.launch.kernel) == "staged_elementwise");
  CHECK(staged.total(traffic::global_load).sectors == n * 12 / 32);
  CHECK(staged.total(traffic::global_store).sectors == n * 12 / 32);
  CHECK(staged.total(traffic::shared_load).bank_conflicts == 0);
  CHECK(staged.total(traffic::shared_store).bank_conflicts == 0);
  // Directly, a thread's three words of 16 bytes are 48 from the next thread's.
  const auto direct = copied(from, to);
  CHECK(direct.total(traffic::global_load).sectors > n * 12 / 32);
}

TEST_CASE_TEMPLATE("elements of any size are read and written without bank conflicts", T,
                   test::bytes_of_size<3>, test::bytes_of_size<20, 4>, test::bytes_of_size<32, 16>,
                   test::bytes_of_size<50, 2>, test::bytes_of_size<64, 16>,
                   test::bytes_of_size<96, 16>, test::bytes_of_size<255>) {
  constexpr std::size_t n = 512 * 10;
  const on_host::array<T> in(test::any_bytes<T>(n), 0);
  on_host::target<T> out(std::vector<T>(n), 0);
  const auto counts =
      copied(wf::staged(std::span<const T>(in.data(), n)), wf::staged(std::span<T>(out.data(), n)));
  CHECK(std::string(counts.launch.kernel) == "staged_elementwise");
  CHECK(counts.total(traffic::global_load).sectors == n * sizeof(T) / 32);
  CHECK(counts.total(traffic::global_store).sectors == n * sizeof(T) / 32);
  CHECK(counts.total(traffic::shared_load).bank_conflicts == 0);
  CHECK(counts.total(traffic::shared_store).bank_conflicts == 0);
}

TEST_CASE("structs become soa and structs again") {
  for (const int n : {0, 1, 31, 64, 1000, 20001}) {
    INFO(n, " elements");
    const auto structs = some_structs(n);
    const auto check = [&](const auto& policy) {
      wf::host_soa<seven> apart(structs.size());
      wf::copy(policy, wf::staged(structs), apart);
      CHECK(apart.to_host() == structs);
      std::vector<seven> whole(structs.size());
      wf::copy(policy, apart, wf::staged(whole));
      CHECK(whole == structs);
      wf::copy(policy, apart, whole);  // unstaged
      CHECK(whole == structs);
    };
    check(wf::seq);
    check(on_host::policy());
  }
  const auto eleven = some_structs(11);
  wf::host_soa<seven> too_small(10);
  test::check_throws<wf::invalid_range>(
      [&] { wf::copy(wf::emulated, wf::staged(eleven), too_small); }, "10");
}

TEST_CASE("copies between structs and soa are coalesced on both sides") {
  constexpr std::size_t n = 64 * 100;  // tiles of 28 bytes
  const on_host::array<seven> in(some_structs(n), 0);
  wf::host_soa<seven> apart(n);
  const auto there = copied(wf::staged(std::span<const seven>(in.data(), n)), apart);
  CHECK(there.total(traffic::global_load).sectors == n * 28 / 32);
  CHECK(there.total(traffic::global_store).sectors == n * 28 / 32);
  on_host::target<seven> out(std::vector<seven>(n), 0);
  const auto back = copied(apart, wf::staged(std::span<seven>(out.data(), n)));
  CHECK(back.total(traffic::global_load).sectors == n * 28 / 32);
  CHECK(back.total(traffic::global_store).sectors == n * 28 / 32);
}

namespace {

/// Bytes made of every byte of what is given.
template <class To>
struct mixed_bytes {
  template <class T>
  WARPFOLD_HD To operator()(const T& x) const {
    return of(test::hash_of_bytes{}(x));
  }
  template <class A, class B>
  WARPFOLD_HD To operator()(const wf::tuple<A, B>& x) const {
    return of(test::hash_of_both{}(x));
  }
  static WARPFOLD_HD To of(std::uint64_t hash) {
    To y;
    auto* const bytes = reinterpret_cast<unsigned char*>(&y);
    for (unsigned k = 0; k < sizeof(To); ++k) {
      bytes[k] = static_cast<unsigned char>(hash >> k % 8 * 8);
    }
    return y;
  }
};

/// Whether the emulation writes to `To` what wf::seq writes.
template <class To, class In>
void check_mixed(const In& in, std::size_t n) {
  INFO(n, " elements to ", sizeof(To), " bytes");
  std::vector<To> want(n);
  wf::transform(wf::seq, in, std::span<To>(want), mixed_bytes<To>{});
  on_host::target<To> out(std::vector<To>(n), 0);
  wf::transform(on_host::policy(), in, wf::staged(std::span<To>(out.data(), n)), mixed_bytes<To>{});
  const std::vector<To> got = out.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += !test::same_bytes(got[i], want[i]);
  CHECK(wrong == 0);
}

struct odd_fields {
  BOOST_HANA_DEFINE_STRUCT(odd_fields, (short, a), (unsigned char, b), (float, c), (short, d));
  friend bool operator==(const odd_fields&, const odd_fields&) = default;
};

}  // namespace

TEST_CASE("staged elements of other sizes, and of two arrays, and out of what is not staged") {
  using twelve = test::bytes_of_size<12, 4>;
  using twenty = test::bytes_of_size<20, 4>;
  using fifty = test::bytes_of_size<50, 2>;
  for (const std::size_t n : {128u, 1000u}) {
    const on_host::array<twelve> a(test::any_bytes<twelve>(n), 0);
    const on_host::array<twenty> b(test::any_bytes<twenty>(n), 0);
    const on_host::array<fifty> c(test::any_bytes<fifty>(n), 0);
    const on_host::array<std::uint64_t> plain(test::any_bytes<std::uint64_t>(n), 0);
    const std::span<const twelve> in_a(a.data(), n);
    const std::span<const twenty> in_b(b.data(), n);
    const std::span<const fifty> in_c(c.data(), n);
    check_mixed<fifty>(wf::staged(in_a), n);
    check_mixed<twelve>(wf::staged(in_c), n);
    check_mixed<twelve>(wf::staged(wf::zip(in_a, in_b)), n);
    check_mixed<fifty>(wf::staged(wf::zip(in_b, in_c)), n);
    check_mixed<twelve>(std::span<const std::uint64_t>(plain.data(), n), n);
  }
}

TEST_CASE("soa with columns of odd sizes becomes structs and soa again") {
  std::vector<odd_fields> structs;
  for (int i = 0; i < 5000; ++i) {
    structs.push_back({static_cast<short>(i), static_cast<unsigned char>(i * 7),
                       static_cast<float>(i), static_cast<short>(-3 * i)});
  }
  wf::host_soa<odd_fields> apart(structs.size());
  wf::copy(on_host::policy(), wf::staged(structs), apart);
  CHECK(apart.to_host() == structs);
  std::vector<odd_fields> whole(structs.size());
  wf::copy(on_host::policy(), apart, wf::staged(whole));
  CHECK(whole == structs);
}

TEST_CASE("a warp reads and writes its tile and no more, each byte once") {
  // One tile, of elements of which a lane holds fewer at a time than it takes.
  using seventeen = test::bytes_of_size<17>;
  constexpr std::size_t n = 128;
  const on_host::array<seventeen> in(test::any_bytes<seventeen>(n), 0);
  on_host::target<seventeen> out(std::vector<seventeen>(n), 0);
  const auto counts = copied(wf::staged(std::span<const seventeen>(in.data(), n)),
                             wf::staged(std::span<seventeen>(out.data(), n)));
  CHECK(std::string(counts.launch.kernel) == "staged_elementwise");
  CHECK(counts.total(traffic::global_load).bytes_used == n * 17);
  CHECK(counts.total(traffic::global_store).bytes_used == n * 17);
  // Elements byte by byte, and the copy in 136 words of 16 bytes: five for most lanes.
  CHECK(counts.total(traffic::shared_store).requests == 4 * 17 + 5);
  const std::vector<seventeen> got = out.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += !test::same_bytes(got[i], in.data()[i]);
  CHECK(wrong == 0);
}

namespace {

/// Pairs, written to two arrays.
template <class A, class B>
class two_outputs {
 public:
  using value_type = wf::tuple<A, B>;
  static constexpr int arrays = 2;
  static constexpr std::size_t array_bytes = sizeof(A) + sizeof(B);
  static constexpr int chunk_size = 1;
  using chunk_type = wf::chunk<value_type, 1>;

  two_outputs(A* a, B* b, std::size_t size) : a_(a), b_(b), size_(size) {}
  std::size_t size() const { return size_; }
  std::size_t head() const { return wf::any_head; }
  void set(chunk_type& c, int, const value_type& value) const {
    ::new (static_cast<void*>(&c.elements[0])) value_type(value);
  }
  template <class Stores>
  void store(const chunk_type& c, std::size_t i, const Stores& stores) const {
    store_at(i, c.elements[0], stores);
  }
  template <class Stores>
  void store_at(std::size_t i, const value_type& value, const Stores& stores) const {
    stores.store(a_ + i, wf::get<0>(value));
    stores.store(b_ + i, wf::get<1>(value));
  }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    visit(static_cast<const void*>(a_), size_ * sizeof(A), alignof(A));
    visit(static_cast<const void*>(b_), size_ * sizeof(B), alignof(B));
  }
  template <class Visitor>
  void visit_columns(Visitor&& visit) const {
    visit(static_cast<const void*>(a_), sizeof(A));
    visit(static_cast<const void*>(b_), sizeof(B));
  }

 private:
  A* a_;
  B* b_;
  std::size_t size_;
};

}  // namespace

TEST_CASE("two outputs are staged side by side") {
  using twelve = test::bytes_of_size<12, 4>;
  using twenty = test::bytes_of_size<20, 4>;
  constexpr std::size_t n = 1000;
  const on_host::array<twelve> a(test::any_bytes<twelve>(n), 0);
  const on_host::array<twenty> b(test::any_bytes<twenty>(n), 0);
  on_host::target<twelve> to_a(std::vector<twelve>(n), 0);
  on_host::target<twenty> to_b(std::vector<twenty>(n), 0);
  const auto counts = copied(wf::staged(wf::zip(std::span<const twelve>(a.data(), n),
                                                std::span<const twenty>(b.data(), n))),
                             two_outputs<twelve, twenty>(to_a.data(), to_b.data(), n));
  CHECK(std::string(counts.launch.kernel) == "staged_elementwise");
  const std::vector<twelve> got_a = to_a.values();
  const std::vector<twenty> got_b = to_b.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    wrong += !test::same_bytes(got_a[i], a.data()[i]) + !test::same_bytes(got_b[i], b.data()[i]);
  }
  CHECK(wrong == 0);
}

TEST_CASE("chunks of two, and one element left") {
  for (const std::size_t n : {1u, 2u, 3u, 1025u}) {
    std::vector<double> from(n), to(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<double>(i + 1);
    wf::transform(wf::emulated, from, to, [](double x) { return 2 * x; });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) wrong += to[i] != 2 * from[i];
    CHECK(wrong == 0);
  }
}
