// How kernel::staged_elementwise is launched: tiles, warps, blocks, which arrays are staged, and
// what it leaves to elementwise. Nothing is launched, and no memory is read; staged_test.cpp runs
// it in the emulation.
#include <warpfold/kernel/elementwise/staged.hpp>

#include <warpfold/view/soa_view.hpp>
#include <warpfold/view/transform.hpp>

#include "kernel/elementwise/transformations.hpp"

namespace k = wf::kernel;

TEST_CASE("tiles, warps and blocks") {
  using three = test::float_array<3>;  // tiles of 128, 1536 bytes on either side
  using kernel = k::staged_elementwise<>;
  const test::recorded_launch l = test::transform_of<kernel, three, three>({}, 128 * 17 + 6, 4, 4);
  CHECK(l.kernel == "staged_elementwise");
  CHECK(l.parts.head == 1);
  CHECK(l.parts.chunks == 17);
  CHECK(l.parts.tail == 5);
  CHECK(l.in == std::vector<test::copied_array>{{test::base + 16, 1536, 0}});
  CHECK(l.out == std::vector<test::copied_array>{{2 * test::base + 16, 1536, 0}});
  CHECK(l.shape.grid.x == 3u);
  CHECK(l.shape.block.x == 256u);
  CHECK(l.shape.shared_bytes == 8 * 3072);
  const auto blocks = [](std::size_t n) {
    return test::transform_of<kernel, three, three>({}, n).shape.grid.x;
  };
  CHECK(blocks(1) == 1u);
  CHECK(blocks(128 * 8) == 1u);
  CHECK(blocks(128 * 9) == 2u);
  CHECK(blocks(128 * 16) == 2u);
  CHECK(test::transform_of<kernel, three, three>({}, 0).kernel.empty());

  const auto threads = [](std::size_t bytes, unsigned block = 256) {
    const test::recorded_launch n =
        test::transform_of<kernel, three, three>({block}, 10'000, 0, 0, test::some_gpu(1, bytes));
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

TEST_CASE("which arrays are staged") {
  using kernel = k::staged_elementwise<>;
  const auto name = []<class T>(T) { return test::transform_of<kernel, T, T>({}, 1000).kernel; };
  // Neighboring lanes that take neighboring words need no help.
  CHECK(name(test::float_array<1>{}) == "elementwise");
  CHECK(name(test::float_array<2>{}) == "elementwise");
  CHECK(name(test::float_array<4>{}) == "elementwise");
  CHECK(name(test::bytes<2>{}) == "staged_elementwise");
  CHECK(name(test::bytes<5>{}) == "staged_elementwise");
  CHECK(name(test::bytes<9>{}) == "staged_elementwise");
  CHECK(name(test::bytes<17>{}) == "staged_elementwise");
  CHECK(name(test::bytes<256>{}) == "staged_elementwise");
  CHECK(name(test::bytes<257>{}) == "elementwise");

  using three = test::float_array<3>;
  const test::recorded_launch one_side = test::transform_of<kernel, three, float>({}, 1000);
  CHECK(one_side.in.size() == 1);
  CHECK(one_side.out.empty());
  CHECK(test::transform_of<kernel, float, three>({}, 1000).in.empty());
  CHECK(test::transform_of<kernel, float, three>({}, 1000).out.size() == 1);
  // Where not all are aligned at one element, those that are at the first such.
  const test::recorded_launch apart = test::transform_of<kernel, three, three>({}, 1000, 4, 8);
  CHECK(apart.parts.head == 1);
  CHECK(apart.in == std::vector<test::copied_array>{{test::base + 16, 1536, 0}});
  CHECK(apart.out.empty());
  const test::recorded_launch later =
      test::transform_of<kernel, test::bytes<3>, test::bytes<3>>({}, 1000, 1, 1);
  CHECK(later.parts.head == 5);
  // Only those count that would be staged, on either side.
  CHECK(test::transform_of<kernel, three, float>({}, 1000, 4, 0).in ==
        std::vector<test::copied_array>{{test::base + 16, 1536, 0}});
  CHECK(test::transform_of<kernel, float, three>({}, 1000, 0, 4).out ==
        std::vector<test::copied_array>{{2 * test::base + 16, 1536, 0}});
  // The only aligned element would be the one behind the end.
  CHECK(test::transform_of<kernel, three, three>({}, 1, 4, 4).kernel == "elementwise");
  CHECK(test::transform_of<kernel, three, three>({}, 2, 4, 4).kernel == "staged_elementwise");
}

namespace {

struct one {
  template <class T>
  WARPFOLD_HD long long operator()(const T&) const {
    return 1;
  }
};

struct large_fields {
  test::bytes<257> a;
  float b;
};
struct odd_fields {
  test::bytes<2> a;
  test::bytes<6> b;
};

/// What staged_elementwise does with the soa of two fields, projected.
template <class T, auto A, auto B>
test::recorded_launch launch_of_columns(const wf::soa_view<T, A, B>& fields) {
  const auto in = wf::project(fields, one{});
  using out_view = wf::contiguous_output<test::float_array<3>>;
  const out_view out{reinterpret_cast<test::float_array<3>*>(2 * test::base), fields.size()};
  const wf::transformation<std::remove_const_t<decltype(in)>, out_view,
                           test::turned<test::float_array<3>>>
      t{in, out, {}};
  test::launch_recorder on{test::some_gpu(), {}, {}};
  k::staged_elementwise<>{}.enqueue(t, on);
  return on.launches.at(0);
}

}  // namespace

TEST_CASE("columns of fields") {
  // More than 256 bytes are read directly, as 4 are.
  const test::recorded_launch large =
      launch_of_columns(wf::soa_view<large_fields, &large_fields::a, &large_fields::b>(
          1000, reinterpret_cast<const test::bytes<257>*>(test::base),
          reinterpret_cast<const float*>(test::base)));
  CHECK(large.kernel == "staged_elementwise");
  CHECK(large.in.empty());
  CHECK(large.out.size() == 1);
  // As many as the view says it has.
  const test::recorded_launch odd =
      launch_of_columns(wf::soa_view<odd_fields, &odd_fields::a, &odd_fields::b>(
          1000, reinterpret_cast<const test::bytes<2>*>(test::base),
          reinterpret_cast<const test::bytes<6>*>(3 * test::base)));
  CHECK(odd.kernel == "staged_elementwise");
  REQUIRE(!odd.in.empty());
  CHECK(odd.in[0] == test::copied_array{test::base, 256, 0});
  CHECK(odd.shape.shared_bytes == 8 * (256 + 1536));
}
