// Which kernel wf::device chooses, by what there is to reduce and on which GPU. Nothing is
// launched, and no memory is read.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <string>

#include <doctest/doctest.h>

#include <warpfold/dot.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>

namespace wf = warpfold;

namespace {

/// A launcher that notes the kernel.
struct noting_launcher {
  wf::device_info info;
  std::string kernel;
  wf::launch_shape shape;
  int unroll = 0;  // of kernels that say so

  const wf::device_info& gpu() const { return info; }
  wf::collective::grid_storage grid() const { return {}; }
  template <class Body>
  unsigned resident_blocks_per_multiprocessor() const {
    return 8;
  }
  template <class Body>
  void launch(const char* name, const Body&, const wf::launch_shape& s) {
    wf::check_shape(name, Body::max_block, s);
    kernel = name;
    shape = s;
    if constexpr (requires { Body::unroll; }) unroll = Body::unroll;
  }
};

wf::device_info some_gpu() {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.compute_capability = 90;
  gpu.multiprocessors = 132;
  gpu.l2_bytes = std::size_t{50} << 20;
  gpu.shared_bytes_per_block = 227 * 1024;
  return gpu;
}

template <class View, class Op>
noting_launcher choice(const View& view, const Op& op, const wf::device_info& gpu) {
  const auto lifted = wf::lifted(view, op);
  const wf::reduction<std::remove_const_t<decltype(lifted)>, Op> r{lifted, op, {}};
  noting_launcher on{gpu, {}, {}};
  wf::kernel::automatic{}.enqueue(
      r, wf::collective::result_sink<typename decltype(r)::result_type>{}, on);
  return on;
}

/// `bytes` of elements that lie at an address of the 16th byte plus `offset` elements, and are
/// never read.
template <class T>
wf::contiguous_view<T> elements(std::size_t bytes, std::size_t offset = 0) {
  return {reinterpret_cast<const T*>(std::uintptr_t{1} << 40) + offset, bytes / sizeof(T)};
}

// Sums of floats whose order does not matter, as if they were whole numbers.
struct sum_in_any_order : wf::plus {};
template <class T, class Op = sum_in_any_order>
std::string kernel_for(std::size_t bytes, const Op& op = {},
                       const wf::device_info& gpu = some_gpu()) {
  return choice(elements<T>(bytes), op, gpu).kernel;
}

constexpr std::size_t kb = 1024, mb = 1024 * kb;

struct three_floats {
  float x, y, z;
  friend WARPFOLD_HD three_floats operator+(const three_floats& a, const three_floats&) {
    return a;
  }
};
struct seven_floats {
  float x[7];
  friend WARPFOLD_HD seven_floats operator+(const seven_floats& a, const seven_floats&) {
    return a;
  }
};
struct by_half {
  WARPFOLD_HD float operator()(float x) const { return x / 2; }
};
struct first_of_two {
  WARPFOLD_HD wf::tuple<float, short> operator()(const wf::tuple<float, short>& a,
                                                 const wf::tuple<float, short>&) const {
    return a;
  }
};
struct by_hand {
  WARPFOLD_HD int operator()(int a, int b) const { return a * b; }
};

// A view of a user's own: `f` of each element of one array, without a projection.
template <class T, class F>
class own_view {
  using array = wf::contiguous_view<T>;

 public:
  using value_type = float;
  using array_chunk = typename array::chunk_type;
  using chunk_type = array_chunk;
  static constexpr int chunk_size = array::chunk_size;

  own_view(const array& all, F f) : array_(all), f_(f) {}

  WARPFOLD_HD std::size_t size() const { return array_.size(); }
  WARPFOLD_HD float operator[](std::size_t i) const { return f_(array_[i]); }
  WARPFOLD_HD std::size_t head() const { return array_.head(); }
  template <class Loads>
  WARPFOLD_HD float at(std::size_t i, const Loads& loads) const {
    return f_(array_.at(i, loads));
  }
  template <class Loads>
  WARPFOLD_HD void load(chunk_type& c, std::size_t i, const Loads& loads) const {
    array_.load(c, i, loads);
  }
  template <class Loads>
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const Loads& loads) const {
    array_.load_anywhere(c, i, loads);
  }
  WARPFOLD_HD float get(const chunk_type& c, int k) const { return f_(array_.get(c, k)); }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    array_.visit_memory(visit);
  }

 private:
  array array_;
  F f_;
};

// 16-bit integers that stand for numbers from -1 on, in steps of one half.
struct number_of_step {
  WARPFOLD_HD float operator()(short step) const { return -1 + static_cast<float>(step) / 2; }
};
struct first_field {
  WARPFOLD_HD float operator()(const three_floats& v) const { return v.x; }
  WARPFOLD_HD float operator()(const seven_floats& v) const { return v.x[0]; }
};
static_assert(wf::view<own_view<short, number_of_step>>);
static_assert(wf::view<own_view<three_floats, first_field>>);

}  // namespace

namespace warpfold {
template <class A>
inline constexpr bool same_in_any_order<sum_in_any_order, A> = true;
template <class A>
inline constexpr bool same_in_any_order<first_of_two, A> = true;
template <class A>
inline constexpr bool same_in_any_order<by_hand, A> = true;
}  // namespace warpfold

TEST_CASE("if the order matters, in_order takes every size and view that reads memory") {
  const wf::plus sum;
  CHECK(choice(elements<float>(4 * kb), sum, some_gpu()).kernel == "in_order");
  CHECK(choice(elements<float>(4 * kb), sum, some_gpu()).shape.grid.x == 1);
  CHECK(choice(elements<float>(20 * mb, 1), sum, some_gpu()).shape.block.x == 256);
  CHECK(choice(elements<float>(20 * mb, 1), sum, some_gpu()).shape.grid.x == 160);
  // Beyond the cache: as many nodes as can be posted.
  CHECK(choice(elements<float>(256 * mb), sum, some_gpu()).shape.grid.x == 2048);
  CHECK(choice(elements<seven_floats>(300 * mb), sum, some_gpu()).kernel == "in_order");
  CHECK(choice(wf::project(elements<float>(mb), by_half{}), sum, some_gpu()).kernel == "in_order");
  CHECK(choice(elements<float>(mb), wf::multiplies{}, some_gpu()).kernel == "in_order");
  CHECK(choice(elements<float>(mb), wf::plus{}.compensated(), some_gpu()).kernel == "in_order");
  CHECK(choice(elements<float>(mb), wf::all(sum, wf::minimum{}), some_gpu()).kernel == "in_order");
  CHECK(choice(elements<float>(300 * mb), wf::moments_op{}, some_gpu()).kernel == "in_order");
  CHECK(choice(elements<float>(mb), wf::all(wf::minimum{}, wf::moments_op{}), some_gpu()).kernel ==
        "in_order");
  CHECK(choice(elements<int>(mb), sum, some_gpu()).kernel == "single_pass");
  CHECK(choice(wf::counting(0.0, mb), sum, some_gpu()).kernel == "thread_per_element");
}

TEST_CASE("numbers: one block, one pass, and copies ahead from five times the cache on") {
  CHECK(kernel_for<float>(4 * kb) == "single_block");
  CHECK(kernel_for<float>(128 * kb) == "single_pass");
  CHECK(kernel_for<float>(250 * mb - 16) == "single_pass");
  CHECK(kernel_for<float>(250 * mb) == "bulk_copy");
  CHECK(kernel_for<double>(4096 * mb, wf::minimum{}) == "bulk_copy");
  CHECK(kernel_for<signed char>(250 * mb, wf::minimum{}) == "bulk_copy");
  CHECK(choice(elements<signed char>(300 * mb, 3), wf::plus{}, some_gpu()).kernel == "bulk_copy");

  // Folded one by one: in groups, or by an op that nothing is known of.
  CHECK(kernel_for<signed char>(300 * mb, wf::multiplies{}) == "bulk_copy");
  CHECK(kernel_for<signed char>(300 * mb, by_hand{}) == "single_pass");
  CHECK(kernel_for<int>(300 * mb, by_hand{}) == "bulk_copy");
}

TEST_CASE("bulk copies only on GPUs that have them, with enough shared memory") {
  wf::device_info older = some_gpu();
  older.compute_capability = 80;
  CHECK(kernel_for<float>(300 * mb, sum_in_any_order{}, older) == "single_pass");
  wf::device_info smaller = some_gpu();
  smaller.shared_bytes_per_block = 64 * 1024;
  CHECK(kernel_for<float>(300 * mb, sum_in_any_order{}, smaller) == "single_pass");
}

TEST_CASE(
    "ops that lift: copies ahead for small states, and for large ones what is resident at once") {
  CHECK(kernel_for<float>(300 * mb, wf::arg(wf::minimum{})) == "bulk_copy");
  const auto five = wf::all(sum_in_any_order{}, wf::minimum{}, wf::maximum{},
                            wf::arg(wf::maximum{}), wf::arg(wf::minimum{}));
  for (const std::size_t bytes : {16 * mb, 128 * mb}) {
    const auto on = choice(elements<float>(bytes), five, some_gpu());
    CHECK(on.kernel == "single_pass");
    CHECK(on.shape.threads() == 132 * 512);
  }
  // Of doubles that fit the cache, with half as many loads.
  const auto doubles = [&](std::size_t bytes) {
    return choice(elements<double>(bytes), five, some_gpu());
  };
  CHECK(doubles(16 * mb).shape.grid == 132u);
  CHECK(doubles(16 * mb).shape.block == 512u);
  CHECK(doubles(16 * mb).unroll == 2);
  CHECK(doubles(64 * mb).shape.grid == 2 * 132u);
  CHECK(doubles(64 * mb).unroll == 4);
  for (const std::size_t bytes : {300 * mb, 3000 * mb}) {
    const auto on = choice(elements<float>(bytes), five, some_gpu());
    CHECK(on.kernel == "bulk_copy");
    CHECK(on.shape.threads() == 132 * 512);
    CHECK(on.shape.shared_bytes == 3 * 64 * kb);
  }
  // Of a struct nobody knows what folding it costs.
  const auto sums = [](auto... parts) { return wf::all(parts..., parts..., parts...); }(
                        sum_in_any_order{}, sum_in_any_order{}, sum_in_any_order{});
  CHECK(kernel_for<double>(300 * mb, sums) == "single_pass");
}

TEST_CASE("structs through shared memory, small ones from 2 MB on") {
  CHECK(kernel_for<three_floats>(mb) == "single_pass");
  CHECK(kernel_for<three_floats>(3 * mb) == "staged");
  CHECK(kernel_for<three_floats>(200 * mb) == "staged");
  CHECK(kernel_for<three_floats>(300 * mb) == "bulk_copy");
  CHECK(kernel_for<seven_floats>(mb) == "staged");
  CHECK(kernel_for<seven_floats>(300 * mb) == "staged");
}

TEST_CASE("elements of unknown cost use many threads, also for short ranges") {
  const auto squares = [](std::size_t n) {
    return choice(wf::project(elements<float>(n * 4), by_half{}), sum_in_any_order{}, some_gpu());
  };
  CHECK(squares(4096).kernel == "single_block");
  CHECK(squares(4097).kernel == "single_pass");
  CHECK(squares(4097).shape.block.x == 128);
  CHECK(squares(4097).shape.grid.x == 9);  // of 128 chunks
  CHECK(squares(1'000'000).shape.block.x == 512);
  CHECK(squares(1'000'000).shape.grid.x == 264);
  CHECK(squares(1'000'000).unroll == 4);
  CHECK(squares(100'000'000).shape.block.x == 1024);
  CHECK(squares(100'000'000).shape.grid.x == 132);
}

TEST_CASE("views of two arrays use single_pass; views of no array use thread_per_element") {
  const auto pair = wf::zip(elements<float>(300 * mb), elements<float>(300 * mb));
  CHECK(choice(wf::project(pair, wf::detail::product_for_sum{}), sum_in_any_order{}, some_gpu())
            .kernel == "single_pass");
  CHECK(choice(wf::counting(0, 300 * mb), wf::plus{}, some_gpu()).kernel == "thread_per_element");
  CHECK(choice(wf::counting(0, 10), wf::plus{}, some_gpu()).kernel == "thread_per_element");
}

namespace {

struct four_doubles {
  double x[4];
  friend WARPFOLD_HD four_doubles operator+(const four_doubles& a, const four_doubles&) {
    return a;
  }
};

const auto five_ops = wf::all(sum_in_any_order{}, wf::minimum{}, wf::maximum{},
                              wf::arg(wf::maximum{}), wf::arg(wf::minimum{}));

}  // namespace

TEST_CASE("boundaries of the choice belong to the side that the table names") {
  CHECK(kernel_for<four_doubles>(2 * mb - 32) == "single_pass");
  CHECK(kernel_for<four_doubles>(2 * mb) == "staged");
  CHECK(choice(elements<double>(50 * mb), five_ops, some_gpu()).unroll == 2);
  CHECK(choice(elements<double>(50 * mb + 8), five_ops, some_gpu()).unroll == 4);
}

TEST_CASE("one block takes up to 64 KB, of chars that are folded one by one 16 KB") {
  CHECK(kernel_for<float>(64 * kb) == "single_block");
  CHECK(kernel_for<float>(64 * kb + 4) == "single_pass");
  CHECK(kernel_for<signed char>(64 * kb, wf::plus{}) == "single_block");
  CHECK(kernel_for<signed char>(64 * kb + 1, wf::plus{}) == "single_pass");
  CHECK(kernel_for<signed char>(16 * kb, by_hand{}) == "single_block");
  CHECK(kernel_for<signed char>(16 * kb + 1, by_hand{}) == "single_pass");
}

TEST_CASE("a user's view with an array_chunk gets bulk copies and staging") {
  const auto steps = [](std::size_t bytes) {
    return own_view(elements<short>(bytes), number_of_step{});
  };
  CHECK(choice(steps(64 * kb), sum_in_any_order{}, some_gpu()).kernel == "single_block");
  CHECK(choice(steps(200 * mb), sum_in_any_order{}, some_gpu()).kernel == "single_pass");
  CHECK(choice(steps(300 * mb), sum_in_any_order{}, some_gpu()).kernel == "bulk_copy");
  // Functions of unknown cost do not use bulk copies.
  CHECK(choice(wf::project(steps(300 * mb), by_half{}), sum_in_any_order{}, some_gpu()).kernel ==
        "single_pass");
  CHECK(choice(steps(300 * mb), wf::arg(wf::minimum{}), some_gpu()).kernel == "bulk_copy");
  // Of two arrays bulk_copy would copy both, but nobody has measured whether that is faster.
  CHECK(choice(wf::zip(steps(300 * mb), elements<short>(300 * mb)), first_of_two{}, some_gpu())
            .kernel == "single_pass");

  const auto first_fields = [](auto all) { return own_view(all, first_field{}); };
  CHECK(
      choice(first_fields(elements<seven_floats>(1 * mb)), sum_in_any_order{}, some_gpu()).kernel ==
      "staged");
  CHECK(
      choice(first_fields(elements<three_floats>(1 * mb)), sum_in_any_order{}, some_gpu()).kernel ==
      "single_pass");
  CHECK(
      choice(first_fields(elements<three_floats>(8 * mb)), sum_in_any_order{}, some_gpu()).kernel ==
      "staged");
}
