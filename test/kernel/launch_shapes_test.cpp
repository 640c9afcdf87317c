// How kernels that stage arrays, meet in clusters or transform are launched: blocks, threads,
// shared memory, and which arrays are copied. Nothing is launched, and no memory is read.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/cluster.hpp>
#include <warpfold/kernel/elementwise/elementwise.hpp>
#include <warpfold/kernel/elementwise/staged.hpp>
#include <warpfold/kernel/ladder/source.hpp>
#include <warpfold/kernel/staged.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/soa_view.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace wf = warpfold;
namespace k = wf::kernel;

namespace {

/// An array that is copied: where its first tile begins, bytes of a tile or chunk, and byte of the
/// copy.
struct copied_array {
  std::uintptr_t from;
  unsigned bytes, at;
  friend bool operator==(const copied_array&, const copied_array&) = default;
};

/// What a kernel was about to launch.
struct noted {
  std::string kernel;
  wf::launch_shape shape;
  wf::partition parts{};
  std::vector<copied_array> in, out;
  unsigned chunks = 0;        // of a tile of bulk_copy
  std::size_t rounds = 0;     // of its tiles
  unsigned left = 0;          // chunks a block behind them
  bool loads_aligned = true;  // of elementwise
};

struct noting_launcher {
  wf::device_info info;
  noted what;

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class Body>
  void launch(const char* name, const Body& body, const wf::launch_shape& s) {
    wf::check_shape(name, Body::max_block, s);
    what.kernel = name;
    what.shape = s;
    const auto add = [](std::vector<copied_array>& to, const auto& arrays) {
      for (const auto& a : arrays) {
        if (a.tile_bytes != 0) {
          to.push_back({reinterpret_cast<std::uintptr_t>(a.data), a.tile_bytes, a.at});
        }
      }
    };
    if constexpr (requires { body.parts.tail; }) what.parts = body.parts;
    if constexpr (requires { body.loads_aligned; }) what.loads_aligned = body.loads_aligned;
    if constexpr (requires { body.copied; }) add(what.in, body.copied.arrays);
    if constexpr (requires { body.in.arrays; }) {
      add(what.in, body.in.arrays);
      add(what.out, body.out.arrays);
    }
    if constexpr (requires { body.tiles.rounds; }) {
      what.rounds = body.tiles.rounds;
      what.left = body.tiles.left;
      what.chunks = body.arrays.chunks;
      for (const auto& a : body.arrays.arrays) {
        if (a.chunk_bytes != 0) {
          what.in.push_back({reinterpret_cast<std::uintptr_t>(a.from), a.chunk_bytes, a.at});
        }
      }
    }
  }
};

wf::device_info some_gpu(int multiprocessors = 132, std::size_t shared_bytes = 227 * 1024) {
  wf::device_info gpu;
  gpu.multiprocessors = multiprocessors;
  gpu.compute_capability = 90;
  gpu.threads_per_multiprocessor = 2048;
  gpu.l2_bytes = std::size_t{50} << 20;
  gpu.shared_bytes_per_block = shared_bytes;
  return gpu;
}

constexpr std::uintptr_t base = std::uintptr_t{1} << 40;

/// `n` elements, `offset` bytes behind a 16th byte, that are never read.
template <class T>
wf::contiguous_view<T> elements(std::size_t n, std::size_t offset = 0) {
  return {reinterpret_cast<const T*>(base + offset), n};
}

template <int Floats>
struct floats {
  float x[Floats];
  friend WARPFOLD_HD floats operator+(const floats& a, const floats&) { return a; }
};
template <int Bytes>
struct bytes {
  unsigned char b[Bytes];
};
struct one {
  template <class T>
  WARPFOLD_HD long long operator()(const T&) const {
    return 1;
  }
};

template <class View>
using reduction_of = wf::reduction<View, wf::plus>;
template <class View>
using state_of = typename reduction_of<View>::state;

template <class Kernel, class View>
noted launch_of(const Kernel& kernel, const View& view, const wf::device_info& gpu = some_gpu()) {
  const reduction_of<View> r{view, {}, {}};
  noting_launcher on{gpu, {}};
  kernel.enqueue(r, wf::collective::result_sink<typename reduction_of<View>::result_type>{}, on);
  return on.what;
}

template <class Kernel, class View>
std::string refusal_of(const Kernel& kernel, const View& view,
                       const wf::device_info& gpu = some_gpu()) {
  try {
    return "launched " + launch_of(kernel, view, gpu).kernel;
  } catch (const wf::unsupported_kernel& e) {
    return e.what();
  }
}

/// Turns elements into `To`, however it does that.
template <class To>
struct turned {
  template <class T>
  WARPFOLD_HD To operator()(const T&) const {
    return {};
  }
};

template <class Kernel, class In, class Out>
noted transform_of(const Kernel& kernel, std::size_t n, std::size_t from = 0, std::size_t to = 0,
                   const wf::device_info& gpu = some_gpu()) {
  using out_view = wf::contiguous_output<Out>;
  const out_view out{reinterpret_cast<Out*>(2 * base + to), n};
  const wf::transformation<wf::contiguous_view<In>, out_view, turned<Out>> t{
      elements<In>(n, from), out, {}};
  noting_launcher on{gpu, {}};
  kernel.enqueue(t, on);
  return on.what;
}

}  // namespace

TEST_CASE("grids of the ladder: as many blocks as have work, at most what is resident") {
  CHECK(k::blocks_for(0, 32) == 1u);
  CHECK(k::blocks_for(32, 32) == 1u);
  CHECK(k::blocks_for(33, 32) == 2u);
  CHECK(k::blocks_for(std::size_t{0x7fffffff} * 32, 32) == 0x7fffffffu);
  CHECK_THROWS_AS((void)k::blocks_for(std::size_t{0x7fffffff} * 32 + 1, 32),
                  wf::unsupported_kernel);

  auto gpu = some_gpu();
  const std::size_t much = std::size_t{1} << 40;
  CHECK(k::strided_blocks(much, 256, 0, gpu) == 8 * 132u);
  CHECK(k::strided_blocks(much, 256, 7, gpu) == 7u);
  CHECK(k::strided_blocks(0, 256, 0, gpu) == 1u);
  CHECK(k::strided_blocks(256, 256, 0, gpu) == 1u);
  CHECK(k::strided_blocks(257, 256, 0, gpu) == 2u);
  CHECK(k::strided_blocks(512, 256, 0, gpu) == 2u);
  gpu.threads_per_multiprocessor = 128;  // fewer than a block has
  CHECK(k::strided_blocks(much, 256, 0, gpu) == 132u);
  gpu.multiprocessors = 0;
  CHECK(k::strided_blocks(much, 256, 0, gpu) == 1u);
}

TEST_CASE("cluster: whole clusters, two blocks a multiprocessor or as many as are asked for") {
  constexpr std::size_t cluster = 4 * 512 * 8;  // floats that one loads in one go
  const auto blocks = [](std::size_t n, unsigned grid = 0) {
    const noted l = launch_of(k::cluster<8>{.grid = grid}, elements<float>(n));
    CHECK(l.shape.cluster == 8);
    CHECK(l.shape.block.x == 512u);
    return l.shape.grid.x;
  };
  const noted own = launch_of(k::cluster<>{}, elements<float>(1000 * cluster));
  CHECK(own.shape.grid.x == 264u);
  CHECK(own.shape.shared_bytes == 0);
  CHECK(blocks(0) == 8u);
  CHECK(blocks(1) == 8u);
  CHECK(blocks(cluster) == 8u);
  CHECK(blocks(cluster + 1) == 16u);
  CHECK(blocks(2 * cluster) == 16u);
  CHECK(blocks(33 * cluster) == 264u);
  CHECK(blocks(1000 * cluster) == 264u);
  CHECK(blocks(1000 * cluster, 20) == 16u);
  CHECK(blocks(1000 * cluster, 1) == 8u);
  CHECK(blocks(1'000'000 * cluster, 1u << 30) ==
        8 * wf::collective::most_clusters<state_of<wf::contiguous_view<float>>>());
  CHECK(refusal_of(k::cluster<8>{.block = 0}, elements<float>(1000)).find("blocks of 0") !=
        std::string::npos);
}

TEST_CASE("bulk_copy: blocks, tiles, and the even rest") {
  const auto gpu = some_gpu(2);
  const k::bulk_copy kernel{.block = 32, .stage_bytes = 1024};
  const auto division_of = [&](std::size_t chunks) {
    const noted l = launch_of(kernel, elements<float>(4 * chunks), gpu);
    CHECK(l.shape.grid.x == 2u);
    CHECK(l.shape.shared_bytes == 2048);
    CHECK(l.chunks == 64u);
    return l;
  };
  struct {
    std::size_t chunks, rounds;
    unsigned left;
  } const cases[] = {{33, 0, 32},  {64, 0, 32},  {65, 0, 48},  {66, 0, 48},  {127, 0, 64},
                     {128, 1, 0},  {129, 1, 16}, {160, 1, 16}, {161, 1, 32}, {896, 7, 0},
                     {992, 7, 48}, {993, 7, 64}, {1000, 7, 64}};
  for (const auto& c : cases) {
    INFO(c.chunks, " chunks");
    const noted l = division_of(c.chunks);
    CHECK(l.rounds == c.rounds);
    CHECK(l.left == c.left);
  }

  const auto blocks = [&](std::size_t n, unsigned each = 1) {
    return launch_of(k::bulk_copy{.block = 32, .blocks_per_multiprocessor = each},
                     elements<float>(n), some_gpu(10))
        .shape.grid.x;
  };
  CHECK(blocks(0) == 1u);
  CHECK(blocks(1) == 1u);
  CHECK(blocks(128) == 1u);
  CHECK(blocks(4 * 33) == 2u);
  CHECK(blocks(4 * 64) == 2u);
  CHECK(blocks(1 << 20) == 10u);
  CHECK(blocks(1 << 20, 3) == 30u);
  CHECK(blocks(std::size_t{1} << 30, 1u << 20) ==
        wf::collective::most_blocks<state_of<wf::contiguous_view<float>>>());
}

TEST_CASE("bulk_copy: which arrays are copied") {
  using pair = floats<8>;
  const k::bulk_copy kernel{.stage_bytes = 1024};
  const auto copied = [&](const auto& view) { return launch_of(kernel, wf::project(view, one{})); };
  // From where the first chunk begins.
  CHECK(copied(elements<float>(1000)).in == std::vector<copied_array>{{base, 16, 0}});
  CHECK(copied(elements<float>(1000, 4)).in == std::vector<copied_array>{{base + 16, 16, 0}});
  CHECK(copied(elements<float>(1000, 4)).parts.head == 3);
  // 16 chunks must fit a stage.
  const noted just = copied(elements<floats<16>>(1000));
  CHECK(just.in == std::vector<copied_array>{{base, 64, 0}});
  CHECK(just.chunks == 16u);
  CHECK(copied(elements<floats<20>>(1000)).in.empty());
  CHECK(copied(elements<floats<20>>(1000)).chunks == 64u);  // a measure for direct loads
  CHECK(copied(wf::counting(0, 1000)).in.empty());
  CHECK(copied(wf::counting(0, 1000)).chunks == 64u);
  // Of several as many as fit; behind one another.
  const auto a = elements<pair>(1000), b = elements<pair>(1000, 1 << 20);
  const noted both = copied(wf::zip(a, b));
  CHECK(both.in == std::vector<copied_array>{{base, 32, 0}, {base + (1 << 20), 32, 512}});
  CHECK(both.chunks == 16u);
  CHECK(copied(wf::zip(a, b, a)).in == both.in);
  // Not what lies otherwise, nor what is of another length.
  const noted one_of_two = copied(wf::zip(elements<pair>(1000, 4), b));
  CHECK(one_of_two.in == std::vector<copied_array>{{base + (1 << 20), 32, 0}});
  CHECK(one_of_two.chunks == 32u);
  CHECK(copied(wf::zip(elements<pair>(1001), b)).in == one_of_two.in);
  // Nor more than four.
  const auto f = elements<float>(1000);
  const noted four = launch_of(k::bulk_copy{}, wf::project(wf::zip(f, f, f, f, f), one{}));
  CHECK(four.in.size() == 4);
  CHECK(four.chunks == 48u * 1024 / (4 * 256) * 16);
}

TEST_CASE("bulk_copy: where the shared memory is just enough, and values of members") {
  using view = wf::contiguous_view<float>;
  const auto of_its_own = sizeof(wf::collective::block_storage<state_of<view>>) +
                          8 * sizeof(wf::collective::bulk_copies) + 128;
  const std::size_t needed = 2 * 48 * 1024 + of_its_own;
  const view v = elements<float>(1000);
  CHECK(k::bulk_copy{}.fits<reduction_of<view>>(some_gpu(132, needed)));
  CHECK(!k::bulk_copy{}.fits<reduction_of<view>>(some_gpu(132, needed - 1)));
  auto older = some_gpu();
  older.compute_capability = 89;
  CHECK(!k::bulk_copy{}.fits<reduction_of<view>>(older));
  CHECK(refusal_of(k::bulk_copy{}, v, some_gpu(132, needed)) == "launched bulk_copy");
  CHECK(refusal_of(k::bulk_copy{}, v, some_gpu(132, needed - 1)).find("shared memory") !=
        std::string::npos);
  CHECK(refusal_of(k::bulk_copy{.stages = 8, .stage_bytes = 1024}, v) == "launched bulk_copy");
  CHECK(refusal_of(k::bulk_copy{.stages = 0}, v).find("asked for 0 stages") != std::string::npos);
  CHECK(refusal_of(k::bulk_copy{.stages = 9, .stage_bytes = 1024}, v).find("9 stages") !=
        std::string::npos);
  CHECK(refusal_of(k::bulk_copy{.stage_bytes = 1024 - 128}, v).find("from 1024 on") !=
        std::string::npos);
  CHECK(refusal_of(k::bulk_copy{.stage_bytes = 1025}, v).find("multiple of 128") !=
        std::string::npos);
  CHECK(refusal_of(k::bulk_copy{.stage_bytes = 1152}, v) == "launched bulk_copy");
  CHECK(refusal_of(k::bulk_copy{.blocks_per_multiprocessor = 0}, v).find("no block") !=
        std::string::npos);
  CHECK(refusal_of(k::bulk_copy{.block = 0}, v).find("blocks of 0") != std::string::npos);
}

TEST_CASE("staged: tiles, warps and blocks") {
  using three = floats<3>;  // tiles of 256, 3072 bytes
  const noted l = launch_of(k::staged<>{}, elements<three>(256 * 100 + 6, 4));
  CHECK(l.kernel == "staged");
  CHECK(l.parts.head == 1);
  CHECK(l.parts.chunks == 100);
  CHECK(l.parts.tail == 5);
  CHECK(l.in == std::vector<copied_array>{{base + 16, 3072, 0}});
  CHECK(l.shape.grid.x == 13u);  // of eight warps
  CHECK(l.shape.block.x == 256u);
  CHECK(l.shape.shared_bytes == 8 * 3 * 3072);

  const auto blocks = [](std::size_t n, unsigned grid = 0) {
    return launch_of(k::staged<>{.grid = grid}, elements<three>(n)).shape.grid.x;
  };
  CHECK(blocks(1) == 1u);
  CHECK(blocks(256) == 1u);
  CHECK(blocks(256 * 8) == 1u);
  CHECK(blocks(256 * 9) == 2u);
  CHECK(blocks(256 * 16) == 2u);
  CHECK(blocks(256 * 8 * 1000) == 132u);
  CHECK(blocks(256 * 8 * 1000, 7) == 7u);
  CHECK(blocks(std::size_t{256} * 8 * 100'000, 100'000) ==
        wf::collective::most_blocks<state_of<wf::contiguous_view<three>>>());
}

TEST_CASE("staged: fewer warps where there is little shared memory, and then single_pass") {
  using view = wf::contiguous_view<floats<3>>;
  const view v = elements<floats<3>>(100'000);
  const std::size_t fixed = sizeof(wf::collective::block_storage<state_of<view>>);
  const auto threads = [&](std::size_t bytes, unsigned block = 256) {
    const noted l = launch_of(k::staged<>{.block = block}, v, some_gpu(132, bytes));
    return l.kernel == "staged" ? l.shape.block.x : 0;
  };
  const std::size_t warp = 3 * 3072;
  CHECK(threads(8 * warp + fixed) == 256u);
  CHECK(threads(8 * warp + fixed - 1) == 128u);
  CHECK(threads(4 * warp + fixed) == 128u);
  CHECK(threads(2 * warp + fixed) == 64u);
  CHECK(threads(2 * warp + fixed - 1) == 32u);
  CHECK(threads(warp + fixed) == 32u);
  CHECK(threads(warp + fixed - 1) == 0u);
  CHECK(threads(8 * warp + fixed, 1024) == 256u);
  CHECK(threads(warp + fixed, 96) == 32u);
  // A block that no kernel takes is refused all the same.
  for (const unsigned block : {0u, 16u, 33u, 100u, 1056u, 2048u}) {
    INFO("blocks of ", block);
    const auto small = some_gpu(132, warp + fixed);
    CHECK(refusal_of(k::staged<>{.block = block}, v, small).find("multiple of 32") !=
          std::string::npos);
  }
}

TEST_CASE("staged: what is not staged is read directly") {
  const auto kernel = [](const auto& view) {
    return launch_of(k::staged<>{.block = 128}, wf::project(view, one{}));
  };
  CHECK(kernel(elements<floats<3>>(1000)).kernel == "staged");
  const noted unaligned = kernel(elements<floats<8>>(1000, 4));
  CHECK(unaligned.kernel == "single_pass");
  CHECK(unaligned.shape.block.x == 128u);
  CHECK(kernel(elements<floats<8>>(0)).kernel == "single_pass");
  // The only aligned element would be the one behind the end.
  CHECK(kernel(elements<floats<3>>(1, 4)).kernel == "single_pass");
  CHECK(kernel(elements<floats<3>>(2, 4)).kernel == "staged");
  CHECK(kernel(wf::zip(elements<floats<3>>(1000), elements<floats<5>>(1001))).kernel ==
        "single_pass");
  CHECK(kernel(elements<bytes<256>>(1000)).kernel == "staged");
  CHECK(kernel(elements<bytes<257>>(1000)).kernel == "single_pass");
  CHECK(kernel(wf::counting(0, 1000)).kernel == "single_pass");
  // Two arrays, of which both, or one, are aligned at the first's element.
  const auto three = elements<floats<3>>(1000);
  const auto five = elements<floats<5>>(1000, 1 << 20);
  const noted both = kernel(wf::zip(three, five));
  CHECK(both.in ==
        std::vector<copied_array>{{base, 128 * 12, 0}, {base + (1 << 20), 128 * 20, 1536}});
  CHECK(kernel(wf::zip(three, elements<floats<5>>(1000, 4))).in ==
        std::vector<copied_array>{{base, 128 * 12, 0}});
}

TEST_CASE("elementwise: a block a tile, and one for the ends") {
  const auto blocks = [](std::size_t n) {
    return transform_of<k::elementwise<>, float, float>({}, n).shape.grid.x;
  };
  CHECK(transform_of<k::elementwise<>, float, float>({}, 0).kernel.empty());
  CHECK(blocks(1) == 1u);
  CHECK(blocks(4) == 1u);
  CHECK(blocks(4096) == 1u);
  CHECK(blocks(4097) == 2u);
  CHECK(blocks(4100) == 2u);
  CHECK(blocks(8192) == 2u);
  CHECK(blocks(8193) == 3u);
  // Chunks begin where stores are aligned, and loads are then or are not.
  const auto parts = [](std::size_t from, std::size_t to) {
    return transform_of<k::elementwise<>, float, float>({}, 1000, from, to);
  };
  CHECK(parts(4, 4).parts.head == 3);
  CHECK(parts(4, 4).loads_aligned);
  CHECK(parts(8, 4).parts.head == 3);
  CHECK(!parts(8, 4).loads_aligned);
  CHECK(!parts(4, 8).loads_aligned);
}

TEST_CASE("staged_elementwise: tiles, warps and blocks") {
  using three = floats<3>;  // tiles of 128, 1536 bytes on either side
  using kernel = k::staged_elementwise<>;
  const noted l = transform_of<kernel, three, three>({}, 128 * 17 + 6, 4, 4);
  CHECK(l.kernel == "staged_elementwise");
  CHECK(l.parts.head == 1);
  CHECK(l.parts.chunks == 17);
  CHECK(l.parts.tail == 5);
  CHECK(l.in == std::vector<copied_array>{{base + 16, 1536, 0}});
  CHECK(l.out == std::vector<copied_array>{{2 * base + 16, 1536, 0}});
  CHECK(l.shape.grid.x == 3u);
  CHECK(l.shape.block.x == 256u);
  CHECK(l.shape.shared_bytes == 8 * 3072);
  const auto blocks = [](std::size_t n) {
    return transform_of<kernel, three, three>({}, n).shape.grid.x;
  };
  CHECK(blocks(1) == 1u);
  CHECK(blocks(128 * 8) == 1u);
  CHECK(blocks(128 * 9) == 2u);
  CHECK(blocks(128 * 16) == 2u);
  CHECK(transform_of<kernel, three, three>({}, 0).kernel.empty());

  const auto threads = [](std::size_t bytes, unsigned block = 256) {
    const noted n = transform_of<kernel, three, three>({block}, 10'000, 0, 0, some_gpu(1, bytes));
    return n.kernel == "staged_elementwise" ? n.shape.block.x : 0;
  };
  const std::size_t warp = 3072;
  CHECK(threads(8 * warp) == 256u);
  CHECK(threads(8 * warp - 1) == 128u);
  CHECK(threads(2 * warp) == 64u);
  CHECK(threads(2 * warp - 1) == 32u);
  CHECK(threads(warp) == 32u);
  CHECK(threads(warp - 1) == 0u);
  CHECK(threads(8 * warp, 1024) == 256u);
  CHECK(threads(warp, 32) == 32u);
  for (const unsigned block : {0u, 16u, 100u, 1056u, 2048u}) {
    INFO("blocks of ", block);
    CHECK_THROWS_AS((void)threads(warp, block), wf::unsupported_kernel);
  }
}

TEST_CASE("staged_elementwise: which arrays are staged") {
  using kernel = k::staged_elementwise<>;
  const auto name = []<class T>(T) { return transform_of<kernel, T, T>({}, 1000).kernel; };
  // Neighbouring lanes that take neighbouring words need no help.
  CHECK(name(floats<1>{}) == "elementwise");
  CHECK(name(floats<2>{}) == "elementwise");
  CHECK(name(floats<4>{}) == "elementwise");
  CHECK(name(bytes<2>{}) == "staged_elementwise");
  CHECK(name(bytes<5>{}) == "staged_elementwise");
  CHECK(name(bytes<9>{}) == "staged_elementwise");
  CHECK(name(bytes<17>{}) == "staged_elementwise");
  CHECK(name(bytes<256>{}) == "staged_elementwise");
  CHECK(name(bytes<257>{}) == "elementwise");

  using three = floats<3>;
  const noted one_side = transform_of<kernel, three, float>({}, 1000);
  CHECK(one_side.in.size() == 1);
  CHECK(one_side.out.empty());
  CHECK(transform_of<kernel, float, three>({}, 1000).in.empty());
  CHECK(transform_of<kernel, float, three>({}, 1000).out.size() == 1);
  // Where not all are aligned at one element, those that are at the first such.
  const noted apart = transform_of<kernel, three, three>({}, 1000, 4, 8);
  CHECK(apart.parts.head == 1);
  CHECK(apart.in == std::vector<copied_array>{{base + 16, 1536, 0}});
  CHECK(apart.out.empty());
  const noted later = transform_of<kernel, bytes<3>, bytes<3>>({}, 1000, 1, 1);
  CHECK(later.parts.head == 5);
  // Only those count that would be staged, on either side.
  CHECK(transform_of<kernel, three, float>({}, 1000, 4, 0).in ==
        std::vector<copied_array>{{base + 16, 1536, 0}});
  CHECK(transform_of<kernel, float, three>({}, 1000, 0, 4).out ==
        std::vector<copied_array>{{2 * base + 16, 1536, 0}});
  // The only aligned element would be the one behind the end.
  CHECK(transform_of<kernel, three, three>({}, 1, 4, 4).kernel == "elementwise");
  CHECK(transform_of<kernel, three, three>({}, 2, 4, 4).kernel == "staged_elementwise");
}

namespace {

struct large_fields {
  bytes<257> a;
  float b;
};
struct odd_fields {
  bytes<2> a;
  bytes<6> b;
};

/// What staged_elementwise does with the soa of two fields, projected.
template <class T, auto A, auto B>
noted launch_of_columns(const wf::soa_view<T, A, B>& fields) {
  const auto in = wf::project(fields, one{});
  using out_view = wf::contiguous_output<floats<3>>;
  const out_view out{reinterpret_cast<floats<3>*>(2 * base), fields.size()};
  const wf::transformation<std::remove_const_t<decltype(in)>, out_view, turned<floats<3>>> t{
      in, out, {}};
  noting_launcher on{some_gpu(), {}};
  k::staged_elementwise<>{}.enqueue(t, on);
  return on.what;
}

/// Whether the words of every element change places among themselves.
template <std::size_t ElementBytes>
bool stays_inside() {
  std::vector<bool> taken(512 * ElementBytes / 16);
  for (unsigned i = 0; i < 512 * ElementBytes; i += 16) {
    const unsigned place = wf::collective::place_in_copy<ElementBytes>(i);
    if (place % 16 != 0 || place / ElementBytes != i / ElementBytes || taken[place / 16]) {
      return false;
    }
    taken[place / 16] = true;
  }
  return true;
}

}  // namespace

TEST_CASE("staged_elementwise: columns of fields") {
  // More than 256 bytes are read directly, as 4 are.
  const noted large =
      launch_of_columns(wf::soa_view<large_fields, &large_fields::a, &large_fields::b>(
          1000, reinterpret_cast<const bytes<257>*>(base), reinterpret_cast<const float*>(base)));
  CHECK(large.kernel == "staged_elementwise");
  CHECK(large.in.empty());
  CHECK(large.out.size() == 1);
  // As many as the view says it has.
  const noted odd = launch_of_columns(wf::soa_view<odd_fields, &odd_fields::a, &odd_fields::b>(
      1000, reinterpret_cast<const bytes<2>*>(base), reinterpret_cast<const bytes<6>*>(3 * base)));
  CHECK(odd.kernel == "staged_elementwise");
  REQUIRE(!odd.in.empty());
  CHECK(odd.in[0] == copied_array{base, 256, 0});
  CHECK(odd.shape.shared_bytes == 8 * (256 + 1536));
}

TEST_CASE("words that change places stay inside their element") {
  CHECK(stays_inside<32>());
  CHECK(stays_inside<64>());
  CHECK(stays_inside<96>());
  CHECK(stays_inside<128>());
  CHECK(stays_inside<160>());
  CHECK(stays_inside<192>());
  CHECK(stays_inside<224>());
  CHECK(stays_inside<256>());
}
