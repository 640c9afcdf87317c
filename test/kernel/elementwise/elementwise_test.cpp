// kernel::elementwise: how it is launched, and in the emulation what it asks of memory and that it
// takes any block.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/reverse.hpp>

#include "contract/transform_contract.hpp"
#include "kernel/elementwise/transformations.hpp"

namespace k = wf::kernel;

TEST_CASE("a block a tile, and one for the ends") {
  const auto blocks = [](std::size_t n) {
    return test::transform_of<k::elementwise<>, float, float>({}, n).shape.grid.x;
  };
  CHECK(test::transform_of<k::elementwise<>, float, float>({}, 0).kernel.empty());
  CHECK(blocks(1) == 1u);
  CHECK(blocks(4) == 1u);
  CHECK(blocks(4096) == 1u);
  CHECK(blocks(4097) == 2u);
  CHECK(blocks(4100) == 2u);
  CHECK(blocks(8192) == 2u);
  CHECK(blocks(8193) == 3u);
  // Chunks begin where stores are aligned, and loads are then or are not.
  const auto parts = [](std::size_t from, std::size_t to) {
    return test::transform_of<k::elementwise<>, float, float>({}, 1000, from, to);
  };
  CHECK(parts(4, 4).parts.head == 3);
  CHECK(parts(4, 4).loads_aligned);
  CHECK(parts(8, 4).parts.head == 3);
  CHECK(!parts(8, 4).loads_aligned);
  CHECK(!parts(4, 8).loads_aligned);
}

namespace {

/// The counts of a call from `From` to `To` elements with the given misalignments in bytes.
template <class From, class To>
struct counted_call {
  wf::emulation::report report;

  counted_call(std::size_t n, std::size_t in_offset, std::size_t out_offset) {
    const test::host_memory::array<From> in(std::vector<From>(n, From{1}), in_offset);
    test::target_in<test::host_memory>::target<To> out(std::vector<To>(n, To{0}), out_offset);
    wf::transform(wf::emulated.counting(), std::span<const From>(in.data(), n), out.data(),
                  test::changed<To>{});
    report = wf::emulation::last_report();
  }
  /// The number of requests with this many bytes per lane.
  std::uint64_t requests(wf::emulation::traffic what, unsigned bytes) const {
    std::uint64_t sum = 0;
    for (const auto& s : report.launches.at(0).sites) {
      if (s.what == what && s.access_bytes == bytes) sum += s.requests;
    }
    return sum;
  }
};

using wf::emulation::traffic;

}  // namespace

TEST_CASE("moves words where both sides are aligned, and reads and writes once") {
  const counted_call<float, float> c(8192, 0, 0);
  REQUIRE(c.report.launches.size() == 1);
  CHECK(c.report.launches[0].barriers == 0);
  const auto loads = c.report.launches[0].total(traffic::global_load);
  const auto stores = c.report.launches[0].total(traffic::global_store);
  CHECK(loads.sectors == 8192 * 4 / 32);
  CHECK(loads.bytes_used == 8192 * 4);
  CHECK(loads.requests == 8192 / 4 / 32);
  CHECK(stores.sectors == 8192 * 4 / 32);
  CHECK(stores.requests == 8192 / 4 / 32);
}

TEST_CASE("peels what precedes the first aligned store") {
  const counted_call<float, float> c(8192, 4, 4);
  CHECK(c.requests(traffic::global_store, 16) ==
        64);  // 2047 words: 63 warps, and one without its last lane
  CHECK(c.requests(traffic::global_store, 4) == 2);  // 3 elements before them, one behind
  CHECK(c.requests(traffic::global_load, 4) == 2);
}

TEST_CASE("stores words and loads elements where the two sides lie differently") {
  const counted_call<float, float> c(8192, 4, 8);
  CHECK(c.requests(traffic::global_store, 16) == 64);
  CHECK(c.requests(traffic::global_load, 16) == 0);
  CHECK(c.requests(traffic::global_load, 4) > 4 * 63);
}

TEST_CASE("loads words of chars where their place suits wider outputs") {
  // The first aligned double is element 1, and so is the first aligned char.
  const counted_call<char, double> both(8192, 15, 8);
  CHECK(both.requests(traffic::global_load, 16) > 0);
  CHECK(both.requests(traffic::global_store, 16) > 0);
  CHECK(both.requests(traffic::global_load, 1) <= 2);
  CHECK(both.requests(traffic::global_store, 8) <= 2);
  // The first aligned char is element 13, where doubles are aligned too.
  const counted_call<char, double> far(8192, 3, 8);
  CHECK(far.requests(traffic::global_load, 1) <= 2);
  // Element 12 is not aligned: the alignment of the stores takes precedence.
  const counted_call<char, double> neither(8192, 4, 8);
  CHECK(neither.requests(traffic::global_load, 16) == 0);
  CHECK(neither.requests(traffic::global_store, 8) <= 2);
}

TEST_CASE("an empty range launches nothing") {
  const counted_call<int, int> c(0, 0, 0);
  CHECK(c.report.launches.empty());
}

TEST_CASE("of a counted range it reads and writes the elements up to the count only") {
  constexpr std::size_t limit = 5003;
  const std::vector<int> values = test::some_ints(limit);
  for (const std::size_t in_offset : {0, 4}) {
    const test::host_memory::array<int> in(values, in_offset);
    for (const std::size_t out_offset : {0, 8}) {
      for (const std::size_t n : {std::size_t{0}, std::size_t{2}, std::size_t{1027}, limit}) {
        INFO(n, " elements, ", in_offset, " and ", out_offset, " bytes from alignment");
        test::target_in<test::host_memory>::target<int> out(std::vector<int>(limit, -1),
                                                            out_offset);
        using in_view = wf::counted_view<wf::contiguous_view<const int>, std::size_t>;
        using out_view = wf::contiguous_output<int>;
        const wf::transformation<in_view, out_view, test::plus_one> t{
            in_view({in.data(), limit}, &n), out_view(out.data(), limit), {}};
        wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
        on.allow(in.data(), n * sizeof(int), false);
        on.allow(out.data(), n * sizeof(int), true);
        on.allow(&n, sizeof n, false);
        CHECK_NOTHROW(k::elementwise<>{.block = 64}.enqueue(t, on));
        const auto got = out.values();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < limit; ++i) wrong += got[i] != (i < n ? values[i] + 1 : -1);
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("a count moves the chunks of a reversed range, and the grid has room for them") {
  constexpr std::size_t tile = 2048, limit = tile + 30;
  const auto values = test::whole_data<wf::plus, unsigned char>(limit);
  std::size_t wrong = 0;
  for (const std::size_t in_offset : {0, 1, 2, 15}) {
    const test::host_memory::array<unsigned char> in(values, in_offset);
    for (const std::size_t out_offset : {0, 8}) {
      for (std::size_t n = tile; n <= limit; ++n) {
        test::target_in<test::host_memory>::target<double> out(std::vector<double>(limit, -1),
                                                               out_offset);
        const auto view =
            wf::reverse(wf::counted(std::span<const unsigned char>(in.data(), limit), &n));
        using out_view = wf::contiguous_output<double>;
        const wf::transformation<std::remove_const_t<decltype(view)>, out_view, test::plus_one> t{
            view, out_view(out.data(), limit), {}};
        wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
        on.allow(in.data(), n, false);
        on.allow(out.data(), n * sizeof(double), true);
        on.allow(&n, sizeof n, false);
        k::elementwise<>{.block = 32}.enqueue(t, on);
        const auto got = out.values();
        for (std::size_t i = 0; i < limit; ++i) {
          wrong += got[i] != (i < n ? static_cast<unsigned char>(values[n - 1 - i] + 1) : -1.0);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("any block, and blocks it does not take") {
  const std::vector<int> in = test::some_ints(5003);
  std::vector<int> out(in.size());
  const auto run = [&](const wf::kernel::elementwise<>& kernel) {
    using in_view = wf::contiguous_view<const int>;
    using out_view = wf::contiguous_output<int>;
    const wf::transformation<in_view, out_view, test::plus_one> t{
        in_view(in.data(), in.size()), out_view(out.data(), out.size()), {}};
    wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
    on.allow(in.data(), in.size() * sizeof(int), false);
    on.allow(out.data(), out.size() * sizeof(int), true);
    out.assign(in.size(), -1);
    kernel.enqueue(t, on);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i) wrong += out[i] != in[i] + 1;
    return wrong;
  };
  for (const unsigned block : {32u, 64u, 256u, 1024u}) {
    INFO(block, " threads");
    CHECK(run({.block = block}) == 0);
  }
  for (const unsigned block : {0u, 33u, 2048u}) {
    test::check_throws<wf::unsupported_kernel>([&] { (void)run({.block = block}); },
                                               "multiple of 32");
  }
}
