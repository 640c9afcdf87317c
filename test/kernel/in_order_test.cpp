// kernel::in_order: the threads and blocks for a size, and its order in the emulation.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/kernel/in_order.hpp>

#include <warpfold/policy/emulated.hpp>

#include "contract/in_order_contract.hpp"
#include "kernel/launches.hpp"

using wf::kernel::in_order;

namespace wf = warpfold;

namespace {

struct fixture {
  template <class T>
  class array {
   public:
    array(const std::vector<T>& values, std::size_t offset)
        : bytes_(values.size() * sizeof(T) / 16 + 2), offset_(offset) {
      if (!values.empty()) __builtin_memcpy(begin(), values.data(), values.size() * sizeof(T));
    }
    const T* data() const {
      return reinterpret_cast<const T*>(reinterpret_cast<const unsigned char*>(bytes_.data()) +
                                        offset_);
    }

   private:
    struct alignas(16) word {
      unsigned char of[16];
    };
    unsigned char* begin() { return reinterpret_cast<unsigned char*>(bytes_.data()) + offset_; }

    std::vector<word> bytes_;
    std::size_t offset_;
  };
  static auto policy() { return wf::emulated; }
};
using order = test::in_order_contract<fixture>;

template <class T>
wf::launch_shape shape_of(const in_order<>& kernel, std::size_t n) {
  const auto on = test::launches_of(kernel, test::elements<T>(n));
  REQUIRE(on.launches.size() == 1);
  CHECK(on.scratches.empty());
  return on.launches[0].shape;
}

}  // namespace

TEST_CASE("one warp, then one block, which loads as few rows as eight warps can") {
  const auto threads = [](std::size_t n) {
    const wf::launch_shape shape = shape_of<float>({}, n);
    CHECK(shape.grid.x == 1);
    return shape.block.x;
  };
  CHECK(threads(0) == 32);
  CHECK(threads(1) == 32);
  CHECK(threads(128 * 4) == 32);
  CHECK(threads(128 * 4 + 1) == 256);
  CHECK(threads(256 * 16) == 256);
  CHECK(threads(256 * 16 + 1) == 512);
  CHECK(threads(512 * 16 + 1) == 1024);
  CHECK(threads(1024 * 16) == 1024);
}

TEST_CASE("then many blocks, each with a node of the tree") {
  const auto blocks = [](std::size_t n) { return shape_of<float>({64, 100}, n).grid.x; };
  CHECK(blocks(1) == 1);
  CHECK(blocks(64 * 4) == 1);
  CHECK(blocks(64 * 4 + 1) == 2);
  CHECK(blocks(100 * 64 * 4) == 100);
  CHECK(blocks(100 * 64 * 4 + 1) == 51);  // two rows
  CHECK(blocks(1000 * 64 * 4) == 63);     // sixteen rows: two tiles
  CHECK(shape_of<float>({}, 1024 * 16 + 1).grid.x > 1);
  CHECK(shape_of<float>({1000, 0}, 1 << 20).block.x == 512);
  CHECK(shape_of<float>({100, 0}, 1 << 20).block.x == 64);
  CHECK(shape_of<float>({3, 0}, 1 << 20).block.x == 32);
}

TEST_CASE("large elements, from 1.5 GB on, take blocks of 512 threads") {
  struct six {
    float x[6];
    constexpr six operator+(const six& other) const { return other; }
  };
  CHECK(shape_of<six>({}, 60'000'000).block.x == 256);
  CHECK(shape_of<six>({}, 80'000'000).block.x == 512);
  CHECK(shape_of<float>({}, 900'000'000).block.x == 256);
}

TEST_CASE("the tree is that of the declared order") { order::check_certificate(70000); }
TEST_CASE("the tree of views, masks and counted ranges") { order::check_views(); }
TEST_CASE("the tree of ranges that read no memory") { order::check_computed(70000); }
TEST_CASE("the tree of structs that are copied to shared memory") { order::check_structs(20001); }
TEST_CASE("the bits of numbers") { order::check_numbers(70000); }

TEST_CASE("more than 32 tiles of a warp") {
  // One block of one warp: tiles of 512 elements.
  for (const std::size_t n : {512u * 32, 512u * 32 + 1, 512u * 65 + 7, 512u * 128}) {
    const auto v = test::ordered_elements(n);
    CHECK(wf::reduce(order::policy(32, 1), v, test::ordered_hash{}) == test::ordered_fold(v));
  }
}
