// kernel::transformed_tiles in the emulation: the bits of wf::seq for rows of any width, and the
// width of loads.
// needs: boost_context cccl
#include <warpfold/kernel/axis/transformed_tiles.hpp>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <cuda_fp16.h>

#include <warpfold/op/with_finish.hpp>

#include "kernel/axis/emulated_term_rows.hpp"
#include "kernel/axis/row_shares.hpp"

TEST_CASE("one launch, which reads and writes words, wherever rows begin") {
  for (const std::size_t offset : {0, 1, 3}) {
    const auto v = test::term_rows<float>(1, 33 * 12 + offset, 0);
    std::vector<wf::word> out(33 * 3 + 1);
    using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
    const auto policy = wf::emulated.counting();
    wf::transform_axis<1>(policy, matrix(v.data() + offset, 12, 33), wf::softmax_op{},
                          std::span(reinterpret_cast<float*>(out.data()) + offset, 12 * 33));
    const auto r = policy.report();
    REQUIRE(r.launches.size() == 1);
    CHECK(std::string(r.launches[0].launch.kernel) == "transformed_tiles");
    // Two warps have six rows each. Their tiles begin and end within words.
    CHECK(test::loads_of(r, 16) >= 2 * (33 * 6 / 4 - 1));
    CHECK(test::loads_of(r, 4) <= 2 * 6);
    CHECK(test::stores_of(r, 16) == test::loads_of(r, 16));
  }
}

TEST_CASE("rows of a warp") {
  for (const std::size_t columns :
       {1, 2, 3, 5, 7, 9, 17, 31, 33, 67, 129, 255, 257, 511, 769, 1001}) {
    test::check_all_term_rows<float>(columns, 15, test::by_emulation<float>());
  }
  for (const std::size_t columns : {1, 5, 33, 1001}) {
    test::check_all_term_rows<__half>(columns, 15, test::by_emulation<__half>());
  }
}

TEST_CASE("rows of blocks") {
  for (const std::size_t columns : {1025, 2047, 3001, 8191}) {
    test::check_all_term_rows<float>(columns, 15, test::by_emulation<float>());
  }
  test::check_all_term_rows<__half>(2051, 15, test::by_emulation<__half>());
}

TEST_CASE("integers, which a float may not hold") {
  std::vector<int> v(7 * 33);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = (1 << 30) + static_cast<int>(i);
  std::vector<float> out(v.size()), expected(v.size());
  using matrix = cuda::std::mdspan<const int, cuda::std::dextents<std::size_t, 2>>;
  wf::transform_axis<1>(wf::seq, matrix(v.data(), 7, 33), wf::rms_norm_op{}, expected);
  wf::transform_axis<1>(wf::emulated, matrix(v.data(), 7, 33), wf::rms_norm_op{}, out);
  CHECK(out == expected);
}

namespace {

// A function of the result of softmax_op: twice the softmax.
struct twice {
  struct of_element {
    wf::softmax_term term;
    WARPFOLD_HD float operator()(float x) const { return 2 * term(x); }
  };
  WARPFOLD_HD of_element operator()(const wf::softmax_term& t) const { return {t}; }
};
// Moments of doubled elements: the op derives from one with terms.
struct doubled : wf::moments_op {
  WARPFOLD_HD wf::moments lift(float x) const { return moments_op::lift(2 * x); }
};
struct mean {
  WARPFOLD_HD double operator()(const wf::moments& m) const { return m.mean; }
};
struct only_fold {
  WARPFOLD_HD float operator()(float, double folded) const { return static_cast<float>(folded); }
};
struct percent {
  float value;
  WARPFOLD_HD explicit percent(float x) : value(x) {}
};
struct share_of_mean {
  WARPFOLD_HD percent operator()(float x, const wf::moments& m) const {
    return percent(static_cast<float>(100 * x / m.mean));
  }
};
struct same_element {
  template <class T>
  WARPFOLD_HD T operator()(const T& x, const wf::moments&) const {
    return x;
  }
};

}  // namespace

TEST_CASE("functions of results, and ops that derive from ops with terms") {
  for (const std::size_t columns : {32, 33}) {
    CAPTURE(columns);
    const auto check = [&](const auto& op, const auto& f) {
      test::check_term_rows<float>(2, columns, 0, op, f, test::by_emulation<float>());
    };
    check(wf::with_finish(wf::softmax_op{}, twice{}), wf::detail::call_fold{});
    check(wf::with_finish(doubled{}, mean{}), only_fold{});
  }
}

TEST_CASE("results without a default constructor, and elements as they are") {
  const auto v = test::term_rows<float>(2, 33, 0);
  std::vector<percent> found(66, percent(0)), expected(66, percent(0));
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
  wf::transform_axis<1>(wf::seq, matrix(v.data(), 2, 33), wf::moments_op{}, expected,
                        share_of_mean{});
  wf::transform_axis<1>(wf::emulated, matrix(v.data(), 2, 33), wf::moments_op{}, found,
                        share_of_mean{});
  for (std::size_t i = 0; i < 66; ++i) CHECK(found[i].value == expected[i].value);

  std::vector<__half> halves(33, __float2half(1.f)), out(33);
  const unsigned short signaling = 0xfe01;
  std::memcpy(&halves[7], &signaling, 2);
  using of_halves = cuda::std::mdspan<const __half, cuda::std::dextents<std::size_t, 2>>;
  wf::transform_axis<1>(wf::emulated, of_halves(halves.data(), 1, 33), wf::moments_op{}, out,
                        same_element{});
  CHECK(std::memcmp(&out[7], &signaling, 2) == 0);
}
